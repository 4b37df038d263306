import Codecs
import SDP
import Signalling
import Testing

@Suite("What a side may use in its calls") struct MediaCapabilitiesTests {
    @Test("each codec brings the delay of its own encoder", arguments: Codec.allCases)
    func lookahead(codec: Codec) throws {
        let described = try #require(MediaCapabilities(codecs: [codec]).described.codecs.first)
        let encoder = try makeEncoder(codec)
        #expect(described.lookahead == Double(encoder.lookaheadSamples) * 1000 / Double(encoder.sampleRate))
    }

    @Test("where nobody chooses, the usual codecs are offered in their order") func usual() {
        #expect(MediaCapabilities().codecs == Codec.usual)
        #expect(Codec.usual.allSatisfy { Codec.allCases.contains($0) })
    }
}
