import Codecs
import Media
import RTP
import Simulation
import Testing

@Suite("Speech through a recorded network") struct TraceReplayTests {
    /// Six seconds of speech, 300 packets.
    private func replay(_ codec: Codec, _ delays: [Double?]) throws -> ReplayFigures {
        var configuration = CallConfiguration(codec: codec, seed: 1)
        let rate = codec == .opus ? 16_000 : 8000
        if codec == .opus { configuration.sampleRate = rate }
        var talker = SyntheticTalker(sampleRate: rate, pitch: 120, seed: 9)
        let replay = try TraceReplay(
            speech: talker.converse(seconds: 6, turnSeconds: 4, startsSilent: false),
            trace: NetworkTrace(delays: delays), configuration: configuration)
        replay.run()
        return replay.figures
    }

    @Test("that loses nothing invents nothing, not even after the last word", arguments: [Codec.opus, .pcmu])
    func clean(codec: Codec) throws {
        let figures = try replay(codec, (0..<300).map { _ in 20 })
        #expect(figures.packetsSent == 300 && figures.packetsLost == 0)
        #expect(figures.buffer.concealments == 0 && figures.buffer.underruns == 0 && figures.buffer.concealedRatio == 0)
    }

    @Test("counts the packets that later ones overtook, be they too late or not")
    func overtaken() throws {
        let figures = try replay(.pcmu, (0..<300).map { $0 % 25 == 10 ? 90 : 20 })
        #expect(figures.packetsReordered == 12, "\(figures.buffer)")
    }
}
