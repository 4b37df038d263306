import Codecs
import Link
import Media
import RTP
import Realtime
import SDP
import Signalling
import Softphone
import Testing

@Suite("Payload types of what comes, where each side has its own") struct ReceivedNumbersTests {
    private static let opus = "a=rtpmap:111 opus/48000/2"

    private func negotiation(_ media: MediaCapabilities = MediaCapabilities()) -> Negotiation {
        Negotiation(
            capabilities: media.described, local: LocalMedia(address: "192.0.2.1", port: 40_000, controlPort: 40_001),
            sessionID: 4000)
    }

    private func description(_ lines: [String], version: Int = 1) throws -> SessionDescription {
        let head = ["v=0", "o=- 1 \(version) IN IP4 192.0.2.10", "s=-", "c=IN IP4 192.0.2.10", "t=0 0"]
        return try SessionDescription(parsing: (head + lines).joined(separator: "\r\n") + "\r\n")
    }

    private func configuration(_ negotiation: Negotiation) throws -> CallConfiguration {
        let agreement = try #require(negotiation.inForce.flatMap { MediaAgreement($0) })
        var configuration = CallConfiguration(codec: agreement.codec, seed: 1)
        configuration.take(agreement)
        return configuration
    }

    /// What our offer and an answer of these lines bring about.
    private func answered(_ media: MediaCapabilities = MediaCapabilities(), _ lines: String...) throws -> CallConfiguration {
        var made = negotiation(media)
        _ = try made.makeOffer()
        try made.receive(answer: try description(lines))
        return try configuration(made)
    }

    private func call(_ configuration: CallConfiguration) throws -> Call {
        try Call(configuration: configuration, link: NoLink(), now: .zero)
    }

    private func receive(_ payloadType: UInt8, _ sequence: UInt8, _ payload: [UInt8], by call: Call) {
        // Time stamps are 65536 units apart.
        let header: [UInt8] = [0x80, payloadType, 0, sequence, 0, sequence, 0, 0, 0, 0, 0, 1]
        (header + payload).withUnsafeBytes { call.receive(rtp: $0, arrival: HostTime(milliseconds: Double(sequence) * 1000)) }
    }

    /// Keys 1, 2 and so on are pressed, each under its number and for so many units of its clock: what is heard of each.
    private func hear(_ keys: [(payloadType: UInt8, units: UInt16)], by call: Call) -> [String] {
        for (index, key) in keys.enumerated() {
            let (code, sequence) = (UInt8(index + 1), UInt8(index + 1))
            receive(key.payloadType, sequence, [code, 0x8a, UInt8(key.units >> 8), UInt8(key.units & 0xff)], by: call)
        }
        let now = HostTime(milliseconds: Double(keys.count) * 1000)
        call.advance(to: now, ntp: NTPTime(unixNanoseconds: now.nanoseconds))
        return call.takeEvents().compactMap { event in
            if case .digitReceived(let digit, let milliseconds) = event { "\(digit) \(milliseconds)" } else { nil }
        }
    }

    @Test("keys are heard by the number that we offered, and by the other side's where ours says nothing else")
    func otherNumber() throws {
        let configuration = try answered(
            MediaCapabilities(), "m=audio 6000 RTP/AVP 0 96", "a=rtpmap:96 telephone-event/8000")
        #expect(configuration.telephoneEventPayloadType == 96, "we send by theirs")
        let call = try call(configuration)
        #expect(hear([(101, 800), (96, 800)], by: call) == ["1 100.0", "2 100.0"])
        #expect(call.statistics.drops["unknown_payload_type"] == nil)
    }

    @Test("keys and noise of each codec that the other side may change to are heard, in the clock of their number")
    func otherCodec() throws {
        let configuration = try answered(
            MediaCapabilities(), "m=audio 6000 RTP/AVP 111 0 102 101 13", Self.opus, "a=rtpmap:102 telephone-event/48000",
            "a=rtpmap:101 telephone-event/8000")
        let call = try call(configuration)
        #expect(hear([(101, 800), (102, 4800)], by: call) == ["1 100.0", "2 100.0"])
        receive(13, 3, [0x40], by: call)
        receive(0, 4, [UInt8](repeating: 0xff, count: 160), by: call)
        #expect(call.statistics.drops["unknown_payload_type"] == nil && call.statistics.packetsReceived == 4)
    }

    @Test("two numbers of keys beside one codec are both heard")
    func twoNumbers() throws {
        let offer = try description([
            "m=audio 6000 RTP/AVP 0 96 97", "a=rtpmap:96 telephone-event/8000", "a=rtpmap:97 telephone-event/8000",
        ])
        var made = negotiation()
        _ = try made.answer(offer)
        let call = try call(try configuration(made))
        #expect(hear([(96, 800), (97, 800)], by: call) == ["1 100.0", "2 100.0"])
    }

    @Test("a number of ours goes before the same number of the other side's")
    func crossed() throws {
        let configuration = try answered(
            MediaCapabilities(codecs: [.opus]), "m=audio 6000 RTP/AVP 102 111", "a=rtpmap:102 opus/48000/2",
            "a=rtpmap:111 telephone-event/48000")
        #expect(configuration.payloadType == 102 && configuration.telephoneEventPayloadType == 111)
        #expect(configuration.stream.receivedFormats.map(\.payloadType) == [111])
        let call = try call(configuration)
        #expect(hear([(102, 4800), (111, 4800)], by: call) == ["1 100.0"])
    }

    @Test("a clock that is not the audio's is that of the keys, both ways")
    func otherClock() throws {
        let configuration = try answered(
            MediaCapabilities(), "m=audio 6000 RTP/AVP 111 101", Self.opus, "a=rtpmap:101 telephone-event/8000")
        #expect(configuration.telephoneEventPayloadType == 101 && configuration.telephoneEventClockRate == 8000)
        #expect(configuration.stream.receivedFormat == nil && configuration.alsoReceives.isEmpty)
        let call = try call(configuration)
        #expect(hear([(101, 800)], by: call) == ["1 100.0"])
    }

    @Test("numbers that change in mid-call are taken, and the former ones of what is still on its way")
    func renumbered() throws {
        var made = negotiation()
        for (version, audio, keys) in [(1, 96, 97), (2, 120, 121)] {
            let lines = [
                "m=audio 6000 RTP/AVP \(audio) \(keys)", "a=rtpmap:\(audio) opus/48000/2",
                "a=rtpmap:\(keys) telephone-event/48000",
            ]
            _ = try made.answer(try description(lines, version: version))
        }
        let configuration = try configuration(made)
        #expect(configuration.stream.receivedFormats.first == configuration.format && configuration.payloadType == 120)
        #expect(Set(configuration.stream.receivedFormats.map(\.payloadType)) == [96, 120])
        let call = try call(configuration)
        #expect(hear([(97, 4800), (121, 4800)], by: call) == ["1 100.0", "2 100.0"])
    }

    @Test("a codec beside the one that is sent has its own rate, and copies come by our number")
    func rateAndCopies() throws {
        let rates = try answered(
            MediaCapabilities(codecs: [.pcmu, .l16], sampleRate: 48_000), "m=audio 6000 RTP/AVP 0 112",
            "a=rtpmap:112 L16/48000")
        #expect(rates.alsoReceives.first { $0.codec == .l16 }?.audioRate == 48_000)
        let copies = try answered(
            MediaCapabilities(codecs: [.opus], redundantCopies: 1), "m=audio 6000 RTP/AVP 100 101",
            "a=rtpmap:100 opus/48000/2", "a=rtpmap:101 red/48000/2", "a=fmtp:101 100/100")
        #expect(copies.redundancyPayloadType == 101)
        #expect(copies.alsoReceivesRedundancy.count == 1)
        let known = copies.stream.expectedPayloadTypes
        #expect(copies.alsoReceivesRedundancy.allSatisfy { known.contains($0) } && known.contains(111) && known.contains(100))
    }

    @Test("numbers that are the same on both sides make the formats that they always made")
    func symmetric() throws {
        let configuration = try answered(
            MediaCapabilities(), "m=audio 6000 RTP/AVP 0 101 13", "a=rtpmap:101 telephone-event/8000")
        #expect(configuration.stream.receivedFormats == [MediaFormat(.pcmu)])
        #expect(configuration.stream.receivedFormat == nil && configuration.alsoReceivesRedundancy.isEmpty)
    }
}
