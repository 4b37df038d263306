import Codecs
import Media
import Realtime
import Testing

/// Two parties that are joined by a bridge, or talk to each other without one.
private final class Joined {
    static let tones = [400.0, 700.0]
    let bridge: Endpoint?
    let parties: [Endpoint]
    private var clock = 0.0

    /// - Parameters:
    ///   - codecs: of each party, and the length of its packets in ms.
    ///   - from: when the first begins to speak, in seconds.
    init(_ codecs: [(Codec, Int)], isBridged: Bool = true, from: Double = 0) throws {
        func configuration(_ index: Int, seed: UInt64) -> CallConfiguration {
            var configuration = CallConfiguration(codec: codecs[index].0, seed: seed)
            configuration.encoder.frameMilliseconds = codecs[index].1
            return configuration
        }
        bridge =
            isBridged
            ? try Endpoint(
                (0..<2).map { configuration($0, seed: UInt64(1 + $0)) }, isBridge: true, format: (48_000, 960)) : nil
        parties = try (0..<2).map { index in
            let rate = codecs[index].0.sampleRate
            let tone = sine(Self.tones[index], amplitude: 0.1, rate: rate)
            return try Endpoint([configuration(index, seed: UInt64(10 + index))]) {
                index == 0 && $0 < Int(from * Double(rate)) ? 0 : tone($0)
            }
        }
    }

    func run(seconds: Double, each: (HostTime) -> Void = { _ in }) {
        everyTenMilliseconds(from: clock, to: clock + seconds) { now in
            each(now)
            bridge?.step(now: now)
            for (index, party) in parties.enumerated() {
                party.step(now: now)
                party.links[0].carry(to: bridge?.calls[index] ?? parties[1 - index].call, now: now)
                bridge?.links[index].carry(to: party.call, now: now)
            }
        }
        clock += seconds
    }

    /// Levels of both tones in what a party heard in its last second.
    func levels(_ index: Int) -> [Double] {
        let device = parties[index].device
        return Self.tones.map { amplitude(of: $0, in: device.played.suffix(device.sampleRate), rate: device.sampleRate) }
    }

    /// When the second party first heard something, in seconds.
    var heard: Double? {
        let device = parties[1].device
        return device.played.firstIndex { abs($0) > 0.02 }.map { Double($0) / Double(device.sampleRate) }
    }
}

@Suite("A bridge of two calls") struct BridgeTests {
    @Test(
        "lets each hear the other and not itself, whatever their codecs and packets",
        arguments: [[(Codec.opus, 20), (.opus, 20)], [(.opus, 20), (.pcmu, 10)], [(.g722, 40), (.opus, 60)]])
    func hear(codecs: [(Codec, Int)]) throws {
        let joined = try Joined(codecs)
        joined.run(seconds: 4)
        for index in 0..<2 {
            let levels = joined.levels(index)
            #expect(abs(levels[1 - index] - 0.1) < 0.02 && levels[index] < 0.004, "party \(index) hears \(levels)")
        }
        #expect(joined.bridge?.loop.playoutGaps == 0 && joined.bridge?.device.played.isEmpty == true)
        // The buffer of shorter packets learns in the beginning that two are asked for at a time.
        for call in joined.bridge?.calls ?? [] { #expect(call.jitterBufferStatistics.concealments <= 1) }
    }

    @Test("adds one jitter buffer, and nothing else that waits")
    func delay() throws {
        let direct = try Joined([(.l16, 20), (.l16, 20)], isBridged: false, from: 3)
        let bridged = try Joined([(.l16, 20), (.l16, 20)], from: 3)
        for joined in [direct, bridged] { joined.run(seconds: 4) }
        let added = 1000 * (try #require(bridged.heard) - (try #require(direct.heard)))
        let buffer = try #require(bridged.bridge?.calls[0].statistics.ledger.jitterBuffer)
        #expect(added > 0 && added <= buffer + 20, "\(added) ms more, of which \(buffer) in the jitter buffer")
    }

    @Test("is silence for the other while a call is held or muted, and one that leaves is not missed")
    func hold() throws {
        let joined = try Joined([(.opus, 20), (.opus, 20)])
        joined.run(seconds: 3)
        guard let bridge = joined.bridge else { return }
        let at = HostTime(milliseconds: 3000)
        bridge.calls[1].perform(.mute(true), now: at, ntp: .init(unixNanoseconds: 3_000_000_000))
        joined.run(seconds: 2)
        #expect(joined.levels(1)[0] < 0.001 && joined.levels(0)[1] > 0.08, "only what goes to that party is muted")
        bridge.calls[1].perform(.mute(false), now: at, ntp: .init(unixNanoseconds: 3_000_000_000))
        bridge.calls[1].perform(.direction(.inactive), now: at, ntp: .init(unixNanoseconds: 3_000_000_000))
        joined.run(seconds: 2)
        #expect(joined.levels(1)[0] < 0.001 && joined.levels(0)[1] < 0.001)
        bridge.loop.remove(bridge.calls[1])
        joined.parties[0].step(now: HostTime(milliseconds: 7010))
        bridge.step(now: HostTime(milliseconds: 7010))
        #expect(bridge.calls[0].state == .active)
    }

    @Test("tells what lies before and behind it, once the network is known")
    func ledger() throws {
        let joined = try Joined([(.opus, 20), (.opus, 20)])
        joined.run(seconds: 1)
        #expect(joined.bridge?.calls[1].statistics.local?.sendDelayMilliseconds == nil, "nobody knows the network yet")
        joined.run(seconds: 30)
        for call in joined.bridge?.calls ?? [] {
            let figures = call.statistics
            let send = try #require(figures.local?.sendDelayMilliseconds)
            let receive = try #require(figures.local?.receiveDelayMilliseconds)
            #expect((5...150).contains(send) && (5...150).contains(receive), "\(send), \(receive)")
            #expect(figures.ledger.capture == nil && figures.ledger.playback == nil, "nobody is at the device")
        }
    }
}
