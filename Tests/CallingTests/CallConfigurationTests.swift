import Calling
import Codecs
import Realtime
import Testing

@Suite("A call's configuration") struct CallConfigurationTests {
    @Test("takes its payload types from the codec", arguments: CodecKind.allCases)
    func payloadTypes(codec: CodecKind) {
        let configuration = CallConfiguration(codec: codec, seed: 1)
        #expect(configuration.payloadType == codec.defaultPayloadType)
        #expect(configuration.telephoneEventPayloadType != configuration.payloadType)
        #expect(configuration.mediaTimeoutMilliseconds == 30_000)
        #expect(configuration.digits.isEmpty && configuration.announcement.isEmpty && !configuration.echoes)
    }

    @Test("names neither person nor machine, and no two calls alike")
    func canonicalName() {
        let names = Set((0..<100).map { CallConfiguration(codec: .opus, seed: $0).canonicalName })
        #expect(names.count == 100)
        #expect(names.allSatisfy { $0.hasPrefix("yodel-") && $0.utf8.count < 20 })
    }

    @Test("with encoder settings that no codec takes is refused before anything starts", arguments: CodecKind.allCases)
    func badEncoder(codec: CodecKind) {
        var configuration = CallConfiguration(codec: codec, seed: 1)
        configuration.encoder.frameMilliseconds = 7
        #expect(throws: CallError.self) { try Call(configuration: configuration, port: QueuePort(), now: .zero) }
    }
}
