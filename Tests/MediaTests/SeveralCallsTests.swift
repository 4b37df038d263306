import Codecs
import Media
import RTP
import Realtime
import Testing

@Suite("Three calls on one sound card") struct SeveralCallsTests {
    private static let frequencies = [400.0, 700, 1100]

    /// A hub that calls three others, who each speak a tone of `amplitude`, while it speaks one of 1600 Hz.
    private func run(
        amplitude: Double, seconds: Double = 4, meanwhile: (HostTime, Endpoint, [Endpoint]) -> Void = { _, _, _ in }
    ) throws -> (hub: Endpoint, others: [Endpoint]) {
        let hub = try Endpoint(seeds: [1, 2, 3], microphone: sine(1600, amplitude: 0.1, rate: 16_000))
        let others = try Self.frequencies.enumerated().map { index, frequency in
            try Endpoint(seeds: [UInt64(10 + index)], microphone: sine(frequency, amplitude: amplitude, rate: 16_000))
        }
        everyTenMilliseconds(to: seconds) { now in
            hub.step(now: now)
            for (index, other) in others.enumerated() {
                other.step(now: now)
                other.links[0].carry(to: hub.calls[index], now: now)
                hub.links[index].carry(to: other.call, now: now)
            }
            meanwhile(now, hub, others)
        }
        return (hub, others)
    }

    @Test("are heard together, each at its own level, and each of them hears the card's microphone")
    func sum() throws {
        let (hub, others) = try run(amplitude: 0.1)
        for frequency in Self.frequencies {
            let heard = amplitude(of: frequency, in: hub.device.played[16_000..<48_000], rate: 16_000)
            #expect(abs(heard - 0.1) < 0.002, "\(frequency) Hz: \(heard)")
        }
        #expect(amplitude(of: 1600, in: hub.device.played[16_000..<48_000], rate: 16_000) < 0.001)
        for (other, own) in zip(others, Self.frequencies) {
            let heard = other.device.played[16_000..<48_000]
            #expect(abs(amplitude(of: 1600, in: heard, rate: 16_000) - 0.1) < 0.002)
            #expect(amplitude(of: own, in: heard, rate: 16_000) < 0.001)
        }
        #expect(hub.calls.allSatisfy { $0.state == .active } && hub.loop.playoutGaps == 0)
    }

    @Test("wake nobody any more once one is over, while the others go on")
    func over() throws {
        var late = 0
        _ = try run(amplitude: 0.1, seconds: 30) { now, hub, _ in
            if now == seconds(2) { hub.calls[0].perform(.hangUp(.remoteHangup), now: now, ntp: NTPTime(unixNanoseconds: 0)) }
            if let next = hub.loop.nextDeadline, next < now { late += 1 }
        }
        #expect(late == 0)
    }

    @Test("that all shout stay inside full scale, and a single one is not touched")
    func limiter() throws {
        let (hub, others) = try run(amplitude: 0.9)
        let heard = hub.device.played[16_000..<48_000]
        #expect(heard.allSatisfy { abs($0) <= 1 })
        #expect(heard.contains { abs($0) > 0.85 })
        #expect(
            others.allSatisfy { abs(amplitude(of: 1600, in: $0.device.played[16_000..<48_000], rate: 16_000) - 0.1) < 0.002 })
        let a = try Endpoint(seeds: [5], microphone: sine(500, amplitude: 0.95, rate: 16_000))
        let b = try Endpoint(seeds: [6])
        everyTenMilliseconds(to: 3) { now in
            a.step(now: now)
            b.step(now: now)
            a.links[0].carry(to: b.call, now: now)
        }
        #expect(abs(amplitude(of: 500, in: b.device.played[16_000..<48_000], rate: 16_000) - 0.95) < 0.002)
    }

    @Test("lose one without the others noticing")
    func oneLeaves() throws {
        let (hub, others) = try run(amplitude: 0.1) { now, _, others in
            if now == HostTime(milliseconds: 1500) { others[1].perform(.hangUp(.localHangup), now: now) }
        }
        #expect(hub.calls.map(\.state) == [.active, .ended(.remoteHangup), .active])
        #expect(others[1].call.state == .ended(.localHangup))
        let levels = Self.frequencies.map { amplitude(of: $0, in: hub.device.played[32_000..<64_000], rate: 16_000) }
        #expect(abs(levels[0] - 0.1) < 0.002 && levels[1] < 0.001 && abs(levels[2] - 0.1) < 0.002, "\(levels)")
    }

    @Test("The limiter leaves quiet sound alone, is odd, rises everywhere and never reaches full scale")
    func curve() {
        var block = (-400...400).map { Float($0) / 100 }
        let before = block
        Mixer.limit(&block)
        for (x, y) in zip(before, block) where abs(x) <= 0.7 { #expect(x == y) }
        for (low, high) in zip(block, block.dropFirst()) { #expect(low < high) }
        for (one, other) in zip(block, block.reversed()) { #expect(one == -other) }
        #expect(block.allSatisfy { abs($0) < 1 })
    }
}
