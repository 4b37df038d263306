import Codecs
import Media
import Realtime
import Simulation
import Testing

@Suite("Somebody who presses all keys at random") struct PersonTests {
    @Test("has a working call when the keys are released", arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func keys(seed: UInt64) throws {
        let codec = Codec.allCases[Int(seed) % Codec.allCases.count]
        let call = try OfflineCall(quietPlan(codec, seconds: 30, network: "delay=20,jitter=10", seed: seed))
        var dice = SplitMix64(seed: seed)
        try call.run { now in
            if now < HostTime(milliseconds: 15_000), Int.random(in: 0..<10, using: &dice) == 0 {
                let command: CallCommand =
                    switch Int.random(in: 0..<4, using: &dice) {
                    case 0: .mute(.random(using: &dice))
                    case 1: .direction(Bool.random(using: &dice) ? .inactive : .sendReceive)
                    case 2: .volume(.random(in: -1...9, using: &dice))
                    default: .digits(["1", "", "*#", "%"].randomElement(using: &dice) ?? "")
                    }
                call.sides[Int.random(in: 0..<2, using: &dice)].perform(command, now: now)
            }
            if now == HostTime(milliseconds: 15_000) {
                for side in call.sides {
                    for command in [CallCommand.mute(false), .direction(.sendReceive), .volume(1)] {
                        side.perform(command, now: now)
                    }
                }
            }
        }
        for speaker in 0..<2 {
            #expect(call.sides[speaker].call.state == .ended(.duration), "seed \(seed)")
            let delay = try #require(call.delay(of: speaker, from: 19), "seed \(seed)")
            #expect(delay < 150, "seed \(seed)")
            #expect(call.sides[speaker].heardLevel(from: 19, to: 29) > -45, "seed \(seed)")
            #expect(call.sides[speaker].heard.allSatisfy { $0.isFinite }, "seed \(seed)")
            #expect(call.sides[speaker].statistics.playoutGaps == 0, "seed \(seed)")
        }
    }
}
