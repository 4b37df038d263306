import Media
import Realtime
import Testing

@Suite("A call at play") struct RandomPlayTests {
    private struct Dice {
        var random: SplitMix64
        mutating func roll(_ sides: Int) -> Int { Int(random.next() % UInt64(sides)) }
    }

    @Test(
        "with mute, hold, route change, volume and digits in any order and at any speed still works afterwards",
        arguments: [1, 2, 3] as [UInt64])
    func play(seed: UInt64) throws {
        let a = try Endpoint(seeds: [seed &* 10], microphone: sine(500, amplitude: 0.1, rate: 16_000))
        let b = try Endpoint(seeds: [seed &* 10 &+ 1], microphone: sine(800, amplitude: 0.1, rate: 16_000))
        var dice = Dice(random: SplitMix64(seed: seed))
        func step(_ now: HostTime) {
            for side in [a, b] { side.step(now: now) }
            a.links[0].carry(to: b.call, now: now)
            b.links[0].carry(to: a.call, now: now)
        }
        everyTenMilliseconds(to: 2) { step($0) }
        everyTenMilliseconds(from: 2, to: 32) { now in
            for side in [a, b] where dice.roll(3) == 0 {
                switch dice.roll(6) {
                case 0: side.perform(.mute(dice.roll(2) == 0), now: now)
                case 1: side.perform(.direction(dice.roll(2) == 0 ? .inactive : .sendReceive), now: now)
                case 2: side.perform(.volume(Float(dice.roll(5)) / 2), now: now)
                case 3: side.perform(.digits(String(dice.roll(10))), now: now)
                default:
                    side.device.reroute(capture: dice.roll(2) == 0, rate: [8000, 16_000, 44_100, 48_000][dice.roll(4)])
                }
            }
            step(now)
        }
        let calm = HostTime(milliseconds: 32_000)
        for side in [a, b] {
            for command in [CallCommand.mute(false), .direction(.sendReceive), .volume(1)] { side.perform(command, now: calm) }
            side.device.reroute(capture: true, rate: 16_000)
            side.device.reroute(capture: false, rate: 16_000)
        }
        // The digits that were asked for are sent to their end before the voice comes through again.
        everyTenMilliseconds(from: 32, to: 150) { step($0) }
        #expect(a.call.state == .active && b.call.state == .active, "seed \(seed)")
        for (side, frequency) in [(a, 800.0), (b, 500.0)] {
            let level = amplitude(of: frequency, in: side.device.played.suffix(32_000), rate: 16_000)
            #expect(abs(level - 0.1) < 0.002, "seed \(seed): \(level)")
        }
    }
}
