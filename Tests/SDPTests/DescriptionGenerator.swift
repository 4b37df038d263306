import Link
import Realtime
import SDP

/// Makes random session descriptions out of every part that there is.
struct DescriptionGenerator {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func description() -> SessionDescription {
        var made = SessionDescription(
            origin: Origin(
                username: word(), sessionID: number(), sessionVersion: number(), networkType: "IN",
                addressType: chance() ? "IP4" : "IP6", address: word()),
            sessionName: text(), connection: chance() ? connection() : nil)
        if chance() { made.information = text() }
        made.bandwidths = list(0...3) { $0.bandwidth() }
        made.timings = list(1...2) { "\($0.number()) \($0.number())" }
        // Printed first: u=, e= and p= stand before c= (RFC 8866 section 9).
        made.otherLines =
            list(0...2) { OtherLine(letter: $0.one(Array("uep".utf8)), value: $0.text()) }
            + list(0...2) { OtherLine(letter: $0.one(Array("rzkxyQ".utf8)), value: $0.text()) }
        made.attributes = list(0...4) { $0.attribute() }
        made.media = list(0...4) { $0.media() }
        return made
    }

    private mutating func media() -> MediaDescription {
        var made = MediaDescription(
            media: one(["audio", "video", "image", word()]), port: UInt16(truncatingIfNeeded: random.next()),
            portCount: chance() ? nil : UInt16.random(in: 0...9, using: &random),
            transport: one(["RTP/AVP", "RTP/SAVP", "UDP/TLS/RTP/SAVPF", "udptl"]),
            formats: list(1...6) { $0.chance() ? "\(UInt8.random(in: 0...127, using: &$0.random))" : $0.word() })
        if chance() { made.information = text() }
        made.connections = list(0...2) { $0.connection() }
        made.bandwidths = list(0...2) { $0.bandwidth() }
        made.otherLines = list(0...2) { OtherLine(letter: $0.one(Array("kxyQs".utf8)), value: $0.text()) }
        made.attributes = list(0...9) { $0.attribute() }
        return made
    }

    private mutating func attribute() -> Attribute {
        let port = UInt16(truncatingIfNeeded: random.next())
        let number = UInt32(truncatingIfNeeded: random.next())
        let payloadType = UInt8.random(in: 0...127, using: &random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0: return .rtpmap(RTPMap(payloadType: payloadType, format: format()))
        case 1: return .formatParameters(FormatParameters(format: word(), text: "x" + text()))
        case 2: return .packetTime(one([20, 2.5, 0.125, 60, 7.000001]))
        case 3: return .maximumPacketTime(one([120, 3.5]))
        case 4: return .direction(one(MediaDirection.allCases))
        case 5: return .rtcp(RTCPAttribute(port: port, connection: chance() ? connection() : nil))
        case 6: return .rtcpMux
        case 7: return .source(SourceAttribute(ssrc: number, attribute: word(), value: chance() ? text() : nil))
        case 8: return .group(GroupAttribute(semantics: word(), mediaIDs: list(0...3) { $0.word() }))
        case 9: return .mediaID(word())
        case 10: return .iceUsername(word())
        case 11: return .icePassword(MediaSecret(word()))
        case 12: return .iceOptions(list(1...3) { $0.word() })
        case 13: return one([.iceLite, .endOfCandidates])
        case 14: return .candidate(candidate())
        case 15:
            return .fingerprint(
                Fingerprint(
                    hashFunction: "SHA-256", bytes: list(1...32) { UInt8(truncatingIfNeeded: $0.random.next()) }))
        case 16: return .setup(one(SetupRole.allCases))
        case 17:
            return .crypto(
                CryptoAttribute(
                    tag: number % 1_000_000, suite: word(), keyParameters: MediaSecret("inline:" + word()),
                    sessionParameters: list(0...2) { $0.word() }))
        default: return .other(name: "x-" + word(), value: chance() ? text() : nil)
        }
    }

    private mutating func candidate() -> ICECandidate {
        ICECandidate(
            foundation: "f" + String(number().prefix(9)), component: UInt16.random(in: 1...256, using: &random),
            transport: one(["UDP", "tcp"]),
            priority: UInt32(truncatingIfNeeded: random.next()), address: word(),
            port: UInt16(truncatingIfNeeded: random.next()),
            type: word(), relatedAddress: chance() ? word() : nil, relatedPort: chance() ? 9 : nil,
            extensions: list(0...2) { ICECandidate.Extension(name: "e" + $0.number(), value: $0.word()) })
    }

    private mutating func format() -> AudioFormat {
        AudioFormat(
            encodingName: word(), clockRate: Int.random(in: 1...1_000_000, using: &random),
            channels: Int.random(in: 1...255, using: &random))
    }

    private mutating func connection() -> Connection {
        Connection(
            networkType: "IN", addressType: one(["IP4", "IP6", "X"]), address: word(), suffix: chance() ? "127/3" : nil)
    }

    private mutating func bandwidth() -> Bandwidth {
        let kinds: [Bandwidth.Kind] = [
            .applicationSpecific, .conferenceTotal, .transportIndependent, .rtcpSenders, .rtcpReceivers, .other("X-Z"),
        ]
        return Bandwidth(one(kinds), random.next())
    }

    private mutating func number() -> String { String(random.next()) }

    private mutating func word() -> String {
        String(decoding: list(1...8) { $0.one(Array("abcXYZ019.-_!~*+^`{|}".utf8)) }, as: UTF8.self)
    }

    private mutating func text() -> String {
        list(0...20) { String($0.one(Array("abc =:/;\"<>()\t,üß€\u{1f600}"))) }.joined()
    }

    mutating func chance() -> Bool { Bool.random(using: &random) }

    private mutating func one<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }

    private mutating func list<Value>(_ count: ClosedRange<Int>, _ make: (inout Self) -> Value) -> [Value] {
        var made: [Value] = []
        for _ in 0..<Int.random(in: count, using: &random) { made.append(make(&self)) }
        return made
    }
}
