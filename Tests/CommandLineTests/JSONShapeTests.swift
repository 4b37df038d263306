import Foundation
import Metrics
import Reporting
import Testing

/// The names that scripts read: docs promise that they stay.
private let promisedNames = [
    "mouth_to_ear_ms", "local_delay_ms", "ledger_ms.capture", "ledger_ms.voice_processing", "ledger_ms.conversion",
    "ledger_ms.ring", "ledger_ms.framer", "ledger_ms.encoder", "ledger_ms.network", "ledger_ms.jitter_buffer",
    "ledger_ms.decoder", "ledger_ms.playout_ring", "ledger_ms.playback", "ledger_ms.sum", "jitter_ms", "round_trip_ms",
    "packets_sent", "packets_received", "packets_lost", "packets_late", "packets_duplicate", "packets_reordered",
    "packets_discarded", "lost_ratio", "late_ratio", "concealed_ratio", "concealed_short", "concealed_long",
    "accelerated_ms", "decelerated_ms", "fec_used", "redundancy_used", "buffer_target_ms", "buffer_level_ms",
    "r_factor",
    "mos_lq", "mos_cq", "level_sent_dbov", "level_heard_dbov", "echo.converged", "echo.erle_db", "echo.delay_ms",
    "echo.drift_ppm", "echo.realign_count", "echo.double_talk", "xruns.capture", "xruns.playback", "xruns.silent_ms",
    "drift_ppm",
    "cpu_seconds_per_minute", "peak_rss_mib", "render.allocations", "render.locks", "render.max_us", "render.period_us",
    "srtp.replayed", "srtp.failed", "playout_gap_ms", "gaps_by_cause.machine.count", "gaps_by_cause.machine.ms",
    "gaps_by_cause.network.count", "gaps_by_cause.network.ms", "gaps_by_cause.sender.count", "gaps_by_cause.sender.ms",
]

private func parsed(_ value: JSONValue) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(value.text.utf8)) as? [String: Any])
}

@Test("Every promised name can be asserted") func promised() {
    let known = Set(CallStatistics.comparablePaths.map(\.path))
    for name in promisedNames { #expect(known.contains(name), "\(name)") }
    #expect(known.count == CallStatistics.comparablePaths.count)
}

@Test("What is not known is left out, and what is not counted is null") func unknown() throws {
    let json = try parsed(CallStatistics().json)
    #expect(json.keys.sorted() == ["render"])
    let render = try #require(json["render"] as? [String: Any])
    #expect(render["allocations"] is NSNull && render["locks"] is NSNull)
}

@Test("Figures keep sensible decimals; what is no number becomes null") func rounding() throws {
    var statistics = CallStatistics()
    statistics.mouthToEarMilliseconds = 74.123456
    statistics.lostRatio = 0.012_345_678
    statistics.jitterMilliseconds = -0.0001
    statistics.levelHeardDecibels = -.infinity
    statistics.ledger.sum = 100
    let json = try parsed(statistics.json)
    #expect(json["mouth_to_ear_ms"] as? Double == 74.12)
    #expect(json["lost_ratio"] as? Double == 0.01235)
    #expect(json["level_heard_dbov"] is NSNull)
    #expect(statistics.json.value(at: "ledger_ms.sum") == .number(100))
    #expect(statistics.json.text.contains("\"sum\":100}"))
    #expect(statistics.json.text.contains("\"jitter_ms\":0,"))
}

@Test(
    "Texts of any kind come back from a JSON reader as they were",
    arguments: ["", "\u{0}", "a\u{0}b", "\"\\/\n\r\t\u{1f}\u{7f}", "é", "\u{1F4DE} \u{2028}", "e\u{301}"])
func texts(text: String) throws {
    let value = JSONValue.object([JSONMember("k" + text, .array([.string(text)]))])
    let read = try #require(try parsed(value)["k" + text] as? [String])
    #expect(Array(try #require(read.first).unicodeScalars) == Array(text.unicodeScalars))
    #expect(!value.text.contains("\n"))
}

@Test(
    "Values print shortest and in the order they were given",
    arguments: [
        (.number(51.6), "51.6"), (.number(0.1 + 0.2), "0.3"), (.number(100), "100"), (.number(-0.5), "-0.5"),
        (.number(.nan), "null"), (.number(.infinity), "null"), (.integer(.max), "9223372036854775807"),
        (.integer(.min), "-9223372036854775808"), (.number(0.000_01), "1e-5"), (.boolean(true), "true"),
        (.null, "null"), (.array([]), "[]"), (.object([]), "{}"),
        (
            .object([JSONMember("z", .integer(1)), JSONMember("a", .array([.null, .string("b")]))]),
            #"{"z":1,"a":[null,"b"]}"#
        ),
    ] as [(JSONValue, String)])
func values(value: JSONValue, text: String) { #expect(value.text == text) }

@Test("An event is one line: type, time, call, then what happened") func event() throws {
    let event = Event(
        .deviceLost(device: "alsa:\"x\"\\\n\u{1}é", reason: "gone"), callID: "c1",
        time: Timestamp(millisecondsSince1970: 1_770_091_506_789))
    let text = event.json.text
    #expect(text.hasPrefix(#"{"type":"device_lost","time":"2026-02-03T04:05:06.789Z","call_id":"c1","device":"#))
    #expect(!text.contains("\n"))
    #expect(try parsed(event.json)["device"] as? String == "alsa:\"x\"\\\n\u{1}é")
}

@Test("Times before 1970 and full seconds keep their milliseconds") func timestamps() {
    #expect(Timestamp(millisecondsSince1970: 0).text == "1970-01-01T00:00:00.000Z")
    #expect(Timestamp(millisecondsSince1970: -1).text == "1969-12-31T23:59:59.999Z")
}

@Test("All promised event types exist") func eventTypes() {
    let echo = EchoFigures()
    let bodies: [EventBody] = [
        .callStarted(remote: nil, local: "l", codec: "opus", device: "null"),
        .mediaStarted(remote: "r", afterMilliseconds: 1), .stats(CallStatistics()),
        .routeChanged(direction: .capture, from: "a", to: nil, reason: "new_device"), .deviceLost(device: "d", reason: "r"),
        .deviceBack(device: "d", afterMilliseconds: 1), .ssrcChanged(from: 1, to: 2), .remoteChanged(from: "a", to: nil),
        .codecChanged(codec: "pcmu", payloadType: 0),
        .xrun(direction: .playback, count: 1), .echoState(echo), .dtmf(digit: "5", direction: .sent), .warning("w"),
        .callEnded(reason: "r", durationSeconds: nil), .report(CallReport()),
        .callIncoming(from: "f", name: nil, to: "t", account: nil),
        .callProgress(sipCode: 180, reason: "r", earlyMedia: false), .callAnswered(sipCode: 200),
        .negotiated(NegotiationReport(offeredByUs: true)), .callHeld(byUs: true, byPeer: false), .callResumed,
        .transferRequested(target: ""), .transferProgress(target: "", sipCode: 200, reason: ""), .callTransferred(to: ""),
        .callsJoined(parties: 2),
        .registration(RegistrationReport(account: "a", state: "registered")),
        .message(from: "f", name: nil, to: "t", text: "x"), .textSent(to: "t", text: "x"), .recordingEnded(.transferred),
        .messagesWaiting(account: "a", isWaiting: true, new: 2, old: nil),
        .waiting(local: "l", fingerprint: "f"),
        .peer(PeerReport(.known, name: "n", address: nil, fingerprint: "f", ownFingerprint: "o", words: ["w"])),
    ]
    #expect(
        bodies.map(\.type) == [
            "call_started", "media_started", "stats", "route_changed", "device_lost", "device_back", "ssrc_changed",
            "remote_changed",
            "codec_changed", "xrun", "echo_state", "dtmf", "warning", "call_ended", "report",
            "call_incoming", "call_progress", "call_answered", "negotiated", "call_held", "call_resumed", "transfer_requested",
            "transfer_progress", "call_transferred", "calls_joined", "registration",
            "message", "message_sent", "call_recording_ended", "mwi", "waiting", "peer",
        ])
    #expect(EventBody.loopbackReport(LoopbackReport()).type == "report")
}

@Test("A loopback report has one object for each direction, its seed and its assertions") func loopback() throws {
    var report = LoopbackReport()
    report.seed = 7
    report.gaps = 0
    report.scenario = "loss=5"
    report.aToB.packetsReceived = 10
    report.assertions = [AssertionOutcome(expression: "mos_lq>4", value: nil, passed: false)]
    let json = try parsed(report.json)
    #expect((json["a_to_b"] as? [String: Any])?["packets_received"] as? Int == 10)
    #expect(json["b_to_a"] is [String: Any])
    #expect(json["seed"] as? Int == 7 && json["gaps"] as? Int == 0 && json["scenario"] as? String == "loss=5")
    let outcome = try #require((json["assertions"] as? [[String: Any]])?.first)
    #expect(outcome["expression"] as? String == "mos_lq>4")
    #expect(outcome["value"] is NSNull && outcome["passed"] as? Bool == false)
}
