import SDP
import Testing

@Suite("Levels in header extensions") struct MixLevelTests {
    private static let client = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
    private static let mixer = "urn:ietf:params:rtp-hdrext:csrc-audio-level"

    @Test("a number, a direction and a meaning are read and written; what lacks one is left alone") func read() {
        for (text, map) in [
            ("1 \(Self.client)", HeaderExtensionMap(number: 1, uri: Self.client)),
            ("255/sendonly \(Self.mixer)", HeaderExtensionMap(number: 255, direction: .sendOnly, uri: Self.mixer)),
        ] {
            let attribute = Attribute.other(name: "extmap", value: text)
            #expect(HeaderExtensionMap(attribute) == map && map.attribute == attribute)
        }
        let withMore = HeaderExtensionMap(.other(name: "extmap", value: "3 \(Self.client) vad=on"))
        #expect(withMore == HeaderExtensionMap(number: 3, uri: Self.client))
        for text in ["0 u", "256 u", "+1 u", "1/both u", "1/ u", "1", "", "/sendonly u", "4096 u"] {
            #expect(HeaderExtensionMap(.other(name: "extmap", value: text)) == nil, "\(text)")
        }
        #expect(HeaderExtensionMap(.other(name: "extmap", value: nil)) == nil && HeaderExtensionMap(.rtcpMux) == nil)
    }

    @Test("are offered by a side that mixes, and by no other") func offer() throws {
        var mixing = negotiation { $0.local.mixes = true }
        let lines = try mixing.makeOffer().lines
        #expect(lines.contains("a=extmap:1/recvonly \(Self.client)") && lines.contains("a=extmap:2/sendonly \(Self.mixer)"))
        var other = negotiation()
        let text = try other.makeOffer().text
        #expect(!text.contains("extmap"))
    }

    @Test(
        "are used as the answer allows",
        arguments: [
            (["1/sendonly \(Self.client)", "2/recvonly \(Self.mixer)"], MixLevels(received: 1, sent: 2)),
            (["1 \(Self.client)"], MixLevels(received: 1, sent: nil)), (["2 \(Self.mixer)"], MixLevels(received: nil, sent: 2)),
            (["1/recvonly \(Self.client)", "2/inactive \(Self.mixer)"], MixLevels(received: nil, sent: nil)),
            (["7 \(Self.client)", "1 \(Self.mixer)"], MixLevels(received: nil, sent: nil)),
            (["1 \(Self.client)", "1 \(Self.mixer)"], MixLevels(received: nil, sent: nil)),
            ([], MixLevels(received: nil, sent: nil)),
        ])
    func answered(maps: [String], levels: MixLevels) throws {
        var ours = negotiation { $0.local.mixes = true }
        _ = try ours.makeOffer()
        try ours.receive(answer: try described(maps))
        #expect(ours.inForce?.levels == levels)
        // A later offer keeps the numbers.
        let lines = try ours.makeOffer().lines
        #expect(lines.contains("a=extmap:1/recvonly \(Self.client)") && lines.contains("a=extmap:2/sendonly \(Self.mixer)"))
    }

    private func described(_ maps: [String]) throws -> SessionDescription {
        var answer = try description("m=audio 5000 RTP/AVP 0")
        answer.media[0].attributes += maps.map { .other(name: "extmap", value: $0) }
        return answer
    }

    @Test("are answered by a side that mixes with the numbers of the offer") func answers() throws {
        let offer = try described(["5 \(Self.client)", "17 \(Self.mixer)", "3 urn:something:else"])
        var mixing = negotiation { $0.local.mixes = true }
        let lines = try mixing.answer(offer).lines.filter { $0.contains("extmap") }
        #expect(lines == ["a=extmap:5/recvonly \(Self.client)", "a=extmap:17/sendonly \(Self.mixer)"])
        #expect(mixing.inForce?.levels == MixLevels(received: 5, sent: 17))

        var other = negotiation()
        let text = try other.answer(offer).text
        #expect(!text.contains("extmap") && other.inForce?.levels == MixLevels())
    }

    @Test("that the offer does not send, or want, are not answered") func oneWay() throws {
        let offer = try described(["5/recvonly \(Self.client)", "6/sendonly \(Self.mixer)"])
        var mixing = negotiation { $0.local.mixes = true }
        let text = try mixing.answer(offer).text
        #expect(!text.contains("extmap") && mixing.inForce?.levels == MixLevels())
    }

    @Test("that stand above the media lines hold for them") func session() throws {
        var offer = try described([])
        offer.attributes.append(.other(name: "extmap", value: "4 \(Self.client)"))
        var mixing = negotiation { $0.local.mixes = true }
        let lines = try mixing.answer(offer).lines
        #expect(lines.contains("a=extmap:4/recvonly \(Self.client)"))
    }
}
