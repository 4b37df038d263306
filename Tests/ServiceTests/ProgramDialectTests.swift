import Metrics
import Realtime
import Reporting
import Testing

import Service

private func topic(
    rate: Int = 16_000, encoding: String? = nil, track: ProgramTrack = .inbound
) throws -> ProgramTopic {
    ProgramTopic(call: "c-1", stream: "c-1-1", format: try ProgramFormat(rate: rate, encoding: encoding), track: track)
}

/// Binary frames with JSON beside them.
struct PCMDialectTests {
    @Test func samplesSurviveTheWayThereAndBack() throws {
        let samples: [Float] = [0, 0.5, -0.5, -1, 0x7FFFp-15]
        var speaker = ProgramDialect.pcm.speaker(try topic())
        let sent = try #require(speaker.sound(inbound: samples, outbound: nil).first)
        #expect(speaker.understand(sent) == .say(samples))
    }

    @Test func whatIsTooLoudIsClippedAndHalfASampleLeftOut() throws {
        var speaker = ProgramDialect.pcm.speaker(try topic())
        #expect(speaker.sound(inbound: [2, -2], outbound: nil) == [.binary([0xFF, 0x7F, 0, 0x80])])
        #expect(speaker.understand(.binary([0, 0x40, 1])) == .say([0.5]))
    }

    @Test(
        arguments: [
            (#"{"type": "clear"}"#, .clear), (#"{"type": "mark", "name": "a"}"#, .mark("a")),
            (#"{"type": "stop", "why": 1}"#, .stop), (#"{"type": "dtmf", "digits": "1a#"}"#, .digits("1A#")),
            (#"{"type": "mark"}"#, nil), (#"{"type": 7}"#, nil), ("[", nil), ("", nil), (#"{"type": "dance"}"#, nil),
            (#"{"type": "dtmf", "digits": "1x"}"#, nil), (#"{"type": "dtmf", "digits": ""}"#, nil),
        ] as [(String, ProgramWish?)])
    func textIsUnderstoodOrNot(_ text: String, _ wish: ProgramWish?) throws {
        #expect(ProgramDialect.pcm.speaker(try topic()).understand(.text(text)) == wish)
    }

    @Test func theStartTellsTheSound() throws {
        var speaker = ProgramDialect.pcm.speaker(try topic())
        #expect(
            speaker.begin() == [
                .text(
                    #"{"type":"start","rate":16000,"channels":1,"samples":320,"track":"inbound","call_id":"c-1"}"#)
            ])
        var both = ProgramDialect.pcm.speaker(try topic(track: .both))
        #expect(both.sound(inbound: [0.5, 0], outbound: [-0.5, 0]) == [.binary([0, 0x40, 0, 0xC0, 0, 0, 0, 0])])
    }

    @Test func aMarkSaysHowItIsKnown() throws {
        var speaker = ProgramDialect.pcm.speaker(try topic())
        #expect(
            speaker.mark(HeardMark(name: "a", delayMilliseconds: 62.5, isMeasured: true))
                == .text(#"{"type":"mark","name":"a","heard":"measured","delay_ms":62.5}"#))
        #expect(
            speaker.mark(HeardMark(name: "a", delayMilliseconds: nil, isMeasured: true))
                == .text(#"{"type":"mark","name":"a","cleared":true}"#))
    }
}

/// The JSON dialect of media-stream services.
struct MediaStreamDialectTests {
    private func value(_ message: ProgramMessage) throws -> JSONValue {
        guard case .text(let text) = message else { return .null }
        return try JSONValue(reading: text)
    }

    @Test(arguments: [("l16", 8000), ("l16", 48_000), ("mulaw", 8000)])
    func itBeginsAsThoseServicesDo(_ encoding: String, _ rate: Int) throws {
        var speaker = ProgramDialect.mediaStream.speaker(try topic(rate: rate, encoding: encoding))
        let begin = try speaker.begin().map { try value($0) }
        #expect(begin.map { $0.text("event") } == ["connected", "start"])
        #expect(begin[1].text("start.mediaFormat.encoding") == "audio/x-\(encoding)")
        #expect(begin[1].value(at: "start.mediaFormat.sampleRate") == .integer(rate))
        #expect(begin[1].value(at: "start.tracks") == .array([.string("inbound")]))
        #expect(begin[1].text("streamSid") == "c-1-1" && begin[1].text("start.callSid") == "c-1")
    }

    @Test func soundIsCountedAndTimedPacketByPacket() throws {
        var speaker = ProgramDialect.mediaStream.speaker(try topic(track: .both))
        _ = speaker.begin()
        var sequence: [String?] = []
        for packet in 0..<3 {
            let media = try speaker.sound(inbound: [0.5], outbound: [-0.5]).map { try value($0) }
            #expect(media.map { $0.text("media.track") } == ["inbound", "outbound"])
            #expect(media.allSatisfy { $0.text("media.timestamp") == "\(20 * packet)" })
            #expect(media.allSatisfy { $0.text("media.chunk") == "\(packet + 1)" })
            #expect(media.map { $0.text("media.payload") } == ["AEA=", "AMA="])
            sequence += media.map { $0.text("sequenceNumber") }
        }
        #expect(sequence == (2...7).map { "\($0)" })
    }

    @Test func whatIsSaidInMuLawIsHeardAsItWas() throws {
        let speaker = ProgramDialect.mediaStream.speaker(try topic(rate: 8000, encoding: "mulaw"))
        // 0xFF is silence, 0x80 the loudest.
        let wish = speaker.understand(.text(#"{"event":"media","streamSid":"x","media":{"payload":"/4AA"}}"#))
        #expect(wish == .say([0, 32_124 * 0x1p-15, -32_124 * 0x1p-15]))
    }

    @Test(
        arguments: [
            (#"{"event": "clear", "streamSid": "x"}"#, .clear), (#"{"event": "mark", "mark": {"name": "a"}}"#, .mark("a")),
            (#"{"event": "stop"}"#, .stop), (#"{"event": "dtmf", "dtmf": {"digit": "5"}}"#, .digits("5")),
            (#"{"event": "media", "media": {"payload": "AAA"}}"#, .say([0])),
            (#"{"event": "media", "media": {"payload": "A"}}"#, nil),
            (#"{"event": "media", "media": {"payload": "*AAA"}}"#, nil),
            (#"{"event": "media"}"#, nil), (#"{"event": "mark", "mark": "a"}"#, nil), ("{", nil), ("7", nil),
        ] as [(String, ProgramWish?)])
    func textIsUnderstoodOrNot(_ text: String, _ wish: ProgramWish?) throws {
        #expect(ProgramDialect.mediaStream.speaker(try topic()).understand(.text(text)) == wish)
    }

    @Test func binaryFramesAreNothing() throws {
        #expect(ProgramDialect.mediaStream.speaker(try topic()).understand(.binary([0, 1])) == nil)
    }
}

/// Which dialect is chosen.
struct ProgramDialectChoiceTests {
    @Test(
        arguments: [
            (nil, nil, .mediaStream), ("yodel.pcm", nil, .pcm), ("yodel.media-stream", nil, .mediaStream),
            ("chat, yodel.media-stream , yodel.pcm", nil, .mediaStream), ("chat", nil, nil), ("", nil, nil),
            ("yodel.pcm", "mulaw", nil), ("yodel.pcm,yodel.media-stream", "mulaw", .mediaStream),
        ] as [(String?, String?, ProgramDialect?)])
    func theFirstThatIsKnown(_ offered: String?, _ encoding: String?, _ dialect: ProgramDialect?) throws {
        let format = try ProgramFormat(rate: nil, encoding: encoding)
        #expect(ProgramDialect.choose(offered, for: format) == dialect)
    }

    @Test func muLawIsAtEightKilohertz() throws {
        #expect(try ProgramFormat(rate: nil, encoding: "mulaw").sampleRate == 8000)
        #expect(throws: Problem.self) { try ProgramFormat(rate: 16_000, encoding: "mulaw") }
        #expect(throws: Problem.self) { try ProgramFormat(rate: nil, encoding: "opus") }
    }
}

/// When a mark is heard at the far end.
struct FarEndTests {
    private func statistics(
        own: Double? = nil, network: Double? = nil, theirs: Double? = nil, buffer: Double? = nil
    ) -> CallStatistics {
        var statistics = CallStatistics()
        var (local, remote) = (SideFigures(), SideFigures())
        local.sendDelayMilliseconds = own
        (remote.receiveDelayMilliseconds, remote.jitterBufferMilliseconds) = (theirs, buffer)
        (statistics.local, statistics.remote) = (local, remote)
        statistics.ledger.network = network
        return statistics
    }

    @Test func whatTheOtherSideTellsIsMeasured() {
        let farEnd = FarEnd(statistics(own: 30, network: 12, theirs: 55, buffer: 20))
        #expect(farEnd == FarEnd(statistics(own: 30, network: 12, theirs: 55)))
        #expect(farEnd.milliseconds == 97 && farEnd.isMeasured)
    }

    @Test func whatItDoesNotTellIsEstimatedAndSaidToBe() {
        let byBuffer = FarEnd(statistics(own: 30, network: 12, buffer: 50))
        #expect(byBuffer.milliseconds == 30 + 12 + 50 + 20 && !byBuffer.isMeasured)
        let unknown = FarEnd(CallStatistics())
        #expect(unknown.milliseconds > 0 && !unknown.isMeasured)
        #expect(!FarEnd(statistics(own: 30, theirs: 55)).isMeasured, "the network's part is not known")
    }

    @Test func marksComeBackInOrderWhenTheyWereHeard() {
        let start = HostTime.zero.advanced(byMilliseconds: 1000)
        func after(_ milliseconds: Double) -> HostTime { start.advanced(byMilliseconds: milliseconds) }
        var marks = MarksOnTheWay()
        marks.add("a", at: start, FarEnd(statistics(own: 30, network: 10, theirs: 60)))
        // The other side's buffer has shrunk: the second is not heard before the first.
        marks.add("b", at: after(5), FarEnd(statistics(own: 30, network: 10, theirs: 20)))
        #expect(marks.next == after(100) && marks.take(at: after(99.9)).isEmpty)
        let heard = marks.take(at: after(100))
        #expect(heard.map(\.name) == ["a", "b"] && heard.allSatisfy(\.isMeasured))
        #expect(marks.next == nil && marks.take(at: after(200)).isEmpty)
    }
}
