import Codecs
import Glibc
import LiveMedia
import Realtime
import Testing

/// A person in the middle who calls two others, who each speak a tone of their own.
private struct Conference {
    static let own = 1600.0
    static let others = [400.0, 700.0]
    let middle: Endpoint
    let parties: [Endpoint]

    init(_ codec: Codec = .l16) throws {
        let rate = codec.sampleRate
        middle = try Endpoint(
            codec, seeds: [1, 2], isConference: true, microphone: sine(Self.own, amplitude: 0.1, rate: rate))
        parties = try Self.others.enumerated().map { index, frequency in
            try Endpoint(
                codec, seeds: [UInt64(10 + index)], microphone: sine(frequency, amplitude: 0.1, rate: rate))
        }
    }

    func run(from: Double = 0, to seconds: Double) {
        everyTenMilliseconds(from: from, to: seconds) { now in
            middle.step(now: now)
            for (index, party) in parties.enumerated() {
                party.step(now: now)
                party.links[0].carry(to: middle.calls[index], now: now)
                middle.links[index].carry(to: party.call, now: now)
            }
        }
    }

    /// Level of each of the three tones in a signal's last two seconds: the parties', then the middle's own.
    func levels(_ signal: [Float], rate: Int) -> [Double] {
        (Self.others + [Self.own]).map { amplitude(of: $0, in: signal.suffix(2 * rate), rate: rate) }
    }

    /// What the middle's headset played on one side.
    func ear(_ channel: Int) -> [Float] {
        stride(from: channel, to: middle.device.played.count, by: 2).map { middle.device.played[$0] }
    }
}

@Suite("A conference of three") struct ConferenceTests {
    @Test("lets each hear the other two and not itself", arguments: [Codec.l16, .opus])
    func mixedMinusOneself(codec: Codec) throws {
        let conference = try Conference(codec)
        conference.run(to: 4)
        let rate = codec.sampleRate
        let tolerance = codec == .l16 ? 0.002 : 0.02
        let silence = codec == .l16 ? 0.0005 : 0.003
        for (party, own) in zip(conference.parties, [0, 1]) {
            let levels = conference.levels(party.device.played, rate: rate)
            #expect(abs(levels[1 - own] - 0.1) < tolerance && abs(levels[2] - 0.1) < tolerance, "\(levels)")
            #expect(levels[own] < silence, "\(levels)")
        }
        for channel in 0..<2 {
            let levels = conference.levels(conference.ear(channel), rate: rate)
            #expect(levels[0] > 0.05 && levels[1] > 0.05 && levels[2] < silence, "\(levels)")
        }
        #expect(conference.middle.calls.allSatisfy { $0.state == .active })
        #expect(conference.middle.loop.playoutGaps == 0)
    }

    @Test("places the other two on either side of the headset: the nearer ear hears each louder and earlier")
    func directions() throws {
        let conference = try Conference()
        conference.run(to: 4)
        let (left, right) = (conference.ear(0), conference.ear(1))
        let (atLeft, atRight) = (conference.levels(left, rate: 16_000), conference.levels(right, rate: 16_000))
        #expect(atLeft[0] > atRight[0] * 1.1, "the first party: \(atLeft[0]) and \(atRight[0])")
        #expect(atRight[1] > atLeft[1] * 1.1, "the second party: \(atLeft[1]) and \(atRight[1])")
        // Brown and Duda's head: about 0.38 ms between the ears at 45 degrees.
        let first = delay(of: Conference.others[0], from: left, to: right)
        let second = delay(of: Conference.others[1], from: right, to: left)
        #expect((0.2...0.8).contains(first) && (0.2...0.8).contains(second), "\(first) ms, \(second) ms")
        #expect(HeadsetMixer.azimuths(parties: 2) == [-45, 45])
        #expect(HeadsetMixer.azimuths(parties: 3) == [-60, 0, 60])
    }

    /// Milliseconds by which a tone comes later in the second signal, by its phase in the last second.
    private func delay(of frequency: Double, from one: [Float], to other: [Float]) -> Double {
        func phase(_ signal: [Float]) -> Double {
            let part = signal.suffix(16_000)
            var (real, imaginary) = (0.0, 0.0)
            for (index, sample) in part.enumerated() {
                let angle = 2 * .pi * frequency * Double(index) / 16_000
                real += Double(sample) * cos(angle)
                imaginary += Double(sample) * sin(angle)
            }
            return atan2(real, imaginary)
        }
        let turn = (phase(one) - phase(other)).remainder(dividingBy: 2 * .pi)
        return turn / (2 * .pi * frequency) * 1000
    }

    @Test("goes on with whoever is left when one leaves")
    func oneLeaves() throws {
        let conference = try Conference()
        conference.run(to: 2)
        conference.parties[0].perform(.hangUp(.localHangup), now: HostTime(milliseconds: 2000))
        conference.run(from: 2, to: 5)
        #expect(conference.middle.calls.map(\.state) == [.ended(.remoteHangup), .active])
        let levels = conference.levels(conference.parties[1].device.played, rate: 16_000)
        #expect(levels[0] < 0.0005 && levels[1] < 0.0005 && abs(levels[2] - 0.1) < 0.002, "\(levels)")
        #expect(conference.levels(conference.ear(0), rate: 16_000)[1] > 0.05)
    }

    @Test("goes on between the others while the one in the middle is muted")
    func muted() throws {
        let conference = try Conference()
        conference.middle.loop.isMicrophoneMuted = true
        conference.run(to: 4)
        for (party, own) in zip(conference.parties, [0, 1]) {
            let levels = conference.levels(party.device.played, rate: 16_000)
            #expect(abs(levels[1 - own] - 0.1) < 0.002 && levels[2] < 0.0005, "\(levels)")
        }
    }

    @Test("has room for a party's voice to come late, or all at once, and forgets none of the others' then")
    func stall() throws {
        let conference = try Conference()
        conference.run(to: 2)
        // The first party's packets stay away for half a second and then come together.
        everyTenMilliseconds(from: 2, to: 2.5) { now in
            conference.middle.step(now: now)
            for party in conference.parties { party.step(now: now) }
            conference.parties[1].links[0].carry(to: conference.middle.calls[1], now: now)
            conference.middle.links[1].carry(to: conference.parties[1].call, now: now)
        }
        conference.run(from: 2.5, to: 6)
        let levels = conference.levels(conference.parties[1].device.played, rate: 16_000)
        #expect(abs(levels[0] - 0.1) < 0.002 && abs(levels[2] - 0.1) < 0.002, "\(levels)")
    }
}
