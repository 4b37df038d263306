import Codecs
import LiveMedia
import Media
import Realtime
import Testing

@Suite("A call's configuration") struct CallConfigurationTests {
    @Test("takes its payload types from the codec", arguments: Codec.allCases)
    func payloadTypes(codec: Codec) {
        let configuration = CallConfiguration(codec: codec, seed: 1)
        #expect(configuration.payloadType == codec.defaultPayloadType)
        #expect(configuration.telephoneEventPayloadType != configuration.payloadType)
        #expect(configuration.policy.mediaTimeoutMilliseconds == 30_000)
        #expect(configuration.digits.isEmpty && configuration.announcement.isEmpty && !configuration.echoes)
    }

    @Test("names neither person nor machine, and no two calls alike")
    func canonicalName() {
        let names = Set((0..<100).map { CallConfiguration(codec: .opus, seed: $0).canonicalName })
        #expect(names.count == 100)
        #expect(names.allSatisfy { $0.hasPrefix("yodel-") && $0.utf8.count < 20 })
    }

    @Test("with encoder settings that no codec takes is refused before anything starts", arguments: Codec.allCases)
    func badEncoder(codec: Codec) {
        var configuration = CallConfiguration(codec: codec, seed: 1)
        configuration.encoder.frameMilliseconds = 7
        #expect(throws: CodecError.self) { try Call(configuration: configuration, link: QueueLink(), now: .zero) }
    }
}
