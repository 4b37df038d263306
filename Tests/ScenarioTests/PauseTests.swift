import Media
import Codecs
import Simulation
import Testing

@Suite("With discontinuous transmission") struct PauseTests {
    /// Side 0 speaks from 0 to 4 s and from 8 to 12 s, side 1 in between, both in rooms with some noise.
    private func run(_ codec: Codec, dtx: Bool) throws -> OfflineCall {
        var plan = try quietPlan(codec, seconds: 16)
        plan.room.noiseDecibels = -58
        plan.encoder.dtx = dtx
        let call = try OfflineCall(plan)
        try call.run()
        return call
    }

    @Test(
        "pauses cost few packets, the background is still heard in them, and nothing is concealed",
        arguments: Codec.allCases)
    func pauses(codec: Codec) throws {
        let steady = try run(codec, dtx: false)
        let paused = try run(codec, dtx: true)
        for side in [0, 1] {
            let sent = try #require(paused.sides[side].statistics.packetsSent)
            let usual = try #require(steady.sides[side].statistics.packetsSent)
            let heard = paused.sides[1 - side]
            print("\(codec), side \(side): \(sent) packets of \(usual)")
            #expect(abs(usual - 800) < 5)
            #expect(Double(sent) < 0.75 * Double(usual))
            #expect(heard.statistics.packetsLost == 0)
            #expect(heard.statistics.packetsLate == 0)
            #expect(heard.statistics.concealedRatio == 0)
            for turn in [0, 1] {
                // The pause is that of the side that listens for these four seconds.
                let start = Double(turn * 8 + (side == 0 ? 4 : 0))
                let pause = heard.heardLevel(from: start + 1, to: start + 3.8)
                let wanted = steady.sides[1 - side].heardLevel(from: start + 1, to: start + 3.8)
                #expect(abs(pause - wanted) < 3, "\(codec), side \(side), \(start) s: \(pause) dBov, not \(wanted)")
            }
            let start = side == 0 ? 8.0 : 4.0
            let voice = heard.heardLevel(from: start, to: start + 4)
            let wanted = steady.sides[1 - side].heardLevel(from: start, to: start + 4)
            #expect(abs(voice - wanted) < 0.5, "\(codec), side \(side): a voice of \(voice) dBov, not \(wanted)")
        }
    }
}
