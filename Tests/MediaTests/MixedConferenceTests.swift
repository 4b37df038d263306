import Codecs
import Glibc
import Media
import Realtime
import Testing

/// A person in the middle and three others, each with a codec and packet length of its own and a tone of its own.
private final class MixedConference {
    static let own = 1600.0
    static let tones = [400.0, 700.0, 1000.0]
    let middle: Endpoint
    private(set) var parties: [(index: Int, endpoint: Endpoint)]
    private var clock = 0.0

    /// Opus of 20 ms, G.711 of 10 ms, G.722 of 40 ms.
    static func configuration(_ index: Int, seed: UInt64) -> CallConfiguration {
        var configuration = CallConfiguration(codec: [Codec.opus, .pcmu, .g722][index], seed: seed)
        configuration.encoder.frameMilliseconds = [20, 10, 40][index]
        return configuration
    }

    init() throws {
        middle = try Endpoint(
            (0..<3).map { Self.configuration($0, seed: UInt64(1 + $0)) }, isConference: true, format: (48_000, 480),
            microphone: sine(Self.own, amplitude: 0.1, rate: 48_000))
        parties = try (0..<3).map { ($0, try Self.party($0, seed: UInt64(10 + $0))) }
    }

    private static func party(_ index: Int, seed: UInt64) throws -> Endpoint {
        let configuration = configuration(index, seed: seed)
        return try Endpoint(
            [configuration], isConference: false,
            microphone: sine(tones[index], amplitude: 0.1, rate: configuration.codec.sampleRate))
    }

    func run(seconds: Double) {
        everyTenMilliseconds(from: clock, to: clock + seconds) { now in
            middle.step(now: now)
            for (place, party) in parties.enumerated() {
                party.endpoint.step(now: now)
                party.endpoint.links[0].carry(to: middle.calls[place], now: now)
                middle.links[place].carry(to: party.endpoint.call, now: now)
            }
        }
        clock += seconds
    }

    func leave(_ place: Int) {
        middle.leave(place)
        parties.remove(at: place)
    }

    func join(_ index: Int, seed: UInt64) throws {
        try middle.join(Self.configuration(index, seed: seed), now: HostTime(milliseconds: clock * 1000))
        parties.append((index, try Self.party(index, seed: seed + 100)))
    }

    /// What a party heard in its last seconds.
    func heard(_ place: Int, seconds: Double) -> (signal: ArraySlice<Float>, rate: Int) {
        let endpoint = parties[place].endpoint
        return (endpoint.device.played.suffix(Int(seconds * Double(endpoint.call.sampleRate))), endpoint.call.sampleRate)
    }
}

@Suite("A conference of different codecs and packet lengths") struct MixedConferenceTests {
    private func expectOthers(_ conference: MixedConference, place: Int) {
        let (signal, rate) = conference.heard(place, seconds: 1)
        let own = conference.parties[place].index
        for (index, tone) in MixedConference.tones.enumerated() {
            let level = amplitude(of: tone, in: signal, rate: rate)
            let isThere = conference.parties.contains { $0.index == index }
            if index == own || !isThere {
                #expect(level < 0.004, "party \(own) hears \(tone) Hz at \(level)")
            } else {
                #expect(abs(level - 0.1) < 0.02, "party \(own) hears \(tone) Hz at \(level)")
            }
        }
        #expect(abs(amplitude(of: MixedConference.own, in: signal, rate: rate) - 0.1) < 0.02, "party \(own), the middle")
    }

    @Test("lets each hear the others at their level, and not itself")
    func everybodyHearsTheOthers() throws {
        let conference = try MixedConference()
        conference.run(seconds: 4)
        for place in 0..<3 { expectOthers(conference, place: place) }
        let left = stride(from: 0, to: conference.middle.device.played.count, by: 2).map { conference.middle.device.played[$0] }
        for tone in MixedConference.tones {
            #expect(amplitude(of: tone, in: left.suffix(48_000), rate: 48_000) > 0.05)
        }
        #expect(conference.middle.loop.playoutGaps == 0)
    }

    @Test("goes on without a gap while one leaves, and comes back as another source")
    func leaveAndReturn() throws {
        let conference = try MixedConference()
        conference.run(seconds: 3)
        conference.leave(1)
        conference.run(seconds: 3)
        #expect(conference.parties.map(\.index) == [0, 2])
        for place in 0..<2 { expectOthers(conference, place: place) }
        try conference.join(1, seed: 77)
        conference.run(seconds: 4)
        #expect(conference.parties.map(\.index) == [0, 2, 1])
        for place in 0..<3 { expectOthers(conference, place: place) }
        // The middle's tone at those who stayed: no 20 ms of it are missing from a second after the start on.
        for place in 0..<2 {
            let (signal, rate) = conference.heard(place, seconds: 8.5)
            let samples = Array(signal)
            let window = rate / 50
            let weakest =
                stride(from: 0, to: samples.count - window, by: window).map {
                    amplitude(of: MixedConference.own, in: samples[$0..<($0 + window)], rate: rate)
                }.min() ?? 0
            #expect(weakest > 0.05, "party \(conference.parties[place].index): \(weakest)")
        }
        #expect(conference.middle.loop.playoutGaps == 0)
    }

    @Test("tells what conversion and longer packets cost in each call's ledger")
    func ledger() throws {
        let conference = try MixedConference()
        conference.run(seconds: 4)
        let ledgers = conference.middle.calls.map { $0.statistics.ledger }
        #expect(ledgers[0].framer == 20 && ledgers[1].framer == 10 && ledgers[2].framer == 40, "\(ledgers)")
        #expect((ledgers[0].conversion ?? 0) == 0)
        for party in 1...2 {
            #expect((1...15).contains(ledgers[party].conversion ?? 0), "\(String(describing: ledgers[party].conversion))")
        }
    }

    @Test("takes no more parties than a headset has directions for, and says so")
    func full() throws {
        let conference = try MixedConference()
        for seed in 0..<5 { try conference.middle.join(MixedConference.configuration(0, seed: UInt64(50 + seed)), now: .zero) }
        #expect(throws: MediaLoopError.full(parties: 8)) {
            try conference.middle.join(MixedConference.configuration(0, seed: 99), now: .zero)
        }
        conference.run(seconds: 1)
    }
}
