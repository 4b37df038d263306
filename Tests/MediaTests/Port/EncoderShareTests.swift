import Codecs
import Link
import Media
import RTP
import Realtime
import Testing

/// Parties of a conference, as whoever mixes them has them: who speaks is sent a frame of his own, all others the same.
@Suite("Listeners share one encoder") struct EncoderShareTests {
    /// A party, and what it is sent.
    private final class Party {
        let link = QueueLink()
        let call: Call
        private let decoder: any AudioDecoder
        private var samples: [Float]
        private(set) var heard: [Float] = []
        private(set) var payloads: [[UInt8]] = []

        init(_ codec: Codec, seed: UInt64) throws {
            var configuration = CallConfiguration(codec: codec, seed: seed)
            configuration.encoder.complexity = 5
            call = try Call(configuration: configuration, link: link, now: .zero)
            decoder = try makeDecoder(codec)
            samples = [Float](repeating: 0, count: decoder.maximumFrames)
        }

        func say(_ frame: [Float], _ encoders: ConferenceEncoders?, at number: Int) throws {
            _ = frame.withUnsafeBufferPointer {
                call.say($0, now: HostTime(milliseconds: Double(number) * 20), encoders: encoders)
            }
            for packet in link.rtp {
                let payload = Array(packet.dropFirst(12))
                payloads.append(payload)
                let count = try payload.withUnsafeBytes { payload in
                    try samples.withUnsafeMutableBufferPointer { try decoder.decode(payload, into: $0) }
                }
                heard += samples[..<count]
            }
            link.carryControl(to: nil, now: .zero)
        }
    }

    private static let seconds = 22

    /// A voice that never pauses: tones of slowly changing pitch, with a little noise.
    private func voice(rate: Int, pitch: Float, seed: UInt64) -> [Float] {
        var random = SplitMix64(seed: seed)
        var phase: Float = 0
        return (0..<Self.seconds * rate).map { index in
            let time = Float(index) / Float(rate)
            phase += (pitch + 20 * sin(2 * time)) / Float(rate)
            phase -= phase.rounded(.down)
            let loudness = 0.12 + 0.08 * sin(9 * time)
            return loudness * (phase - 0.5) + 0.002 * Float.random(in: -1...1, using: &random)
        }
    }

    private func sin(_ value: Float) -> Float {
        // Two turns of a parabola: smooth enough for a voice.
        var turn = value / 6.283_185
        turn -= turn.rounded(.down)
        return turn < 0.5 ? 16 * turn * (0.5 - turn) : -16 * (turn - 0.5) * (1 - turn)
    }

    @Test(
        "as soon as they are sent the same, for codecs without a memory at once", arguments: [Codec.pcmu, .l16, .opus, .g722])
    func once(codec: Codec) throws {
        let parties = try (0..<5).map { try Party(codec, seed: UInt64($0 + 1)) }
        let encoders = ConferenceEncoders()
        let length = parties[0].call.frameLength
        let said = voice(rate: parties[0].call.sampleRate, pitch: 130, seed: 1)
        for number in 0..<200 {
            encoders.begin()
            let frame = Array(said[number * length..<(number + 1) * length])
            for party in parties { try party.say(frame, encoders, at: number) }
        }
        // Once a frame for all five.
        #expect(encoders.count == 1 && encoders.encodings == 200)
        for party in parties {
            #expect(party.payloads.count == 200)
            #expect(party.payloads[100...] == parties[0].payloads[100...])
            #expect(party.call.statistics.packetsSent == 200)
        }
    }

    /// A conference of two listeners, one of whom speaks now and then.
    private struct Talk {
        let listener: Party
        /// Speaks for 2 s, is quiet for 8 s, and again; hears the first voice all the time.
        let guest: Party
        /// Is sent the same as the guest, by an encoder of his own.
        let alone: Party
        let encoders = ConferenceEncoders()
        /// What the guest is sent.
        var first: [Float] = []
        /// How often he began to speak, or to listen.
        var switches = 0

        init(_ codec: Codec) throws {
            listener = try Party(codec, seed: 1)
            guest = try Party(codec, seed: 2)
            alone = try Party(codec, seed: 3)
        }

        var length: Int { guest.call.frameLength }
        var frames: Int { first.count / length }
    }

    private func talk(_ codec: Codec) throws -> Talk {
        var talk = try Talk(codec)
        let (rate, length) = (talk.guest.call.sampleRate, talk.length)
        talk.first = voice(rate: rate, pitch: 130, seed: 4)
        let third = voice(rate: rate, pitch: 210, seed: 5)
        var activity = VoiceActivity()
        var wasActive = true
        for number in 0..<talk.frames {
            talk.encoders.begin()
            let range = number * length..<(number + 1) * length
            let own = Array(talk.first[range])
            let speaks = number * 20 % 10_000 < 2000
            let words = speaks ? Array(third[range]) : [Float](repeating: 0, count: length)
            let isActive = words.withUnsafeBufferPointer { activity.note($0, milliseconds: 20) }
            if isActive != wasActive { talk.switches += 1 }
            wasActive = isActive
            if isActive { try talk.guest.say(own, nil, at: number) }
            let mixed = isActive ? zip(own, words).map { $0 + $1 } : own
            try talk.listener.say(mixed, talk.encoders, at: number)
            if !isActive { try talk.guest.say(own, talk.encoders, at: number) }
            try talk.alone.say(own, nil, at: number)
        }
        return talk
    }

    @Test("a speaker becomes a listener, and a listener a speaker, without a click", arguments: [Codec.opus, .g722])
    func change(codec: Codec) throws {
        let talk = try talk(codec)
        let (listener, guest, alone) = (talk.listener, talk.guest, talk.alone)
        let (frames, length) = (talk.frames, talk.length)
        #expect(talk.switches == 4)
        // For most of the time that he listens one encoder works for both.
        #expect(talk.encoders.encodings == frames && talk.encoders.count == 1)
        #expect(guest.payloads.count == frames && alone.payloads.count == frames)
        #expect(zip(guest.payloads, listener.payloads).filter { $0 == $1 }.count > frames / 5)
        // Two encoders never say quite the same. Where one takes the other's place they differ no more than elsewhere.
        let isShared = zip(guest.payloads, listener.payloads).map { $0 == $1 }
        let changes = (1..<frames).filter { isShared[$0] != isShared[$0 - 1] }
        #expect(changes.count >= talk.switches, "\(changes)")
        #expect(guest.heard.count == alone.heard.count)
        let rate = guest.call.sampleRate
        let window = rate / 200
        var (near, elsewhere): ([Float], [Float]) = ([], [])
        for start in stride(from: rate, to: guest.heard.count - window, by: window) {
            let added = (start..<start + window).reduce(Float(0)) { sum, index in
                let difference = guest.heard[index] - alone.heard[index]
                return sum + difference * difference
            }
            let frame = start / length
            if changes.contains(where: { ($0..<$0 + 3).contains(frame) }) {
                near.append(added)
            } else {
                elsewhere.append(added)
            }
        }
        func mean(_ values: [Float]) -> Float { values.reduce(0, +) / Float(max(1, values.count)) }
        #expect(near.count > 30 && elsewhere.count > 1000)
        let sound = mean(alone.heard.map { $0 * $0 }) * Float(window)
        #expect(mean(near) < 2 * mean(elsewhere) + 0.01 * sound, "\(mean(near) / sound), \(mean(elsewhere) / sound)")
        let (worst, usual) = (near.max() ?? 0, elsewhere.max() ?? 0)
        // Of G.722, whose encoders come together in small steps, `noise` says more.
        #expect(worst < (codec == .g722 ? 2 : 1.5) * usual + 1e-3 * sound, "\(worst / sound), \(usual / sound)")
    }

    @Test("G.722 has no more noise for a speaker who becomes a listener than for whoever has an encoder of his own")
    func noise() throws {
        let talk = try talk(.g722)
        let delay = talk.guest.call.sampleRate * 22 / 16_000
        /// Power of what coding adds to a frame.
        func noise(of party: Party, in frame: Int) -> Float {
            (frame * talk.length..<(frame + 1) * talk.length).reduce(Float(0)) { sum, index in
                let error = party.heard[index + delay] - talk.first[index]
                return sum + error * error
            }
        }
        let ratios = (50..<talk.frames - 1).map { noise(of: talk.guest, in: $0) / noise(of: talk.alone, in: $0) }
        let worst = ratios.indices.max { ratios[$0] < ratios[$1] } ?? 0
        #expect(ratios.count > 1000)
        // 2 dB is what two encoders differ by in a frame.
        #expect(ratios[worst] < 2.5, "frame \(worst + 50): \(ratios[worst])")
        #expect(ratios.reduce(0, +) / Float(ratios.count) < 1.05)
        // And one encoder works for both before long: seven of ten seconds are to be had.
        let shared = (0..<talk.frames).filter { talk.guest.payloads[$0] == talk.listener.payloads[$0] }.count
        #expect(shared > talk.frames / 2, "\(shared) of \(talk.frames)")
    }

    @Test("whoever is sent something of his own has an encoder of his own")
    func own() throws {
        let (one, two) = (try Party(.opus, seed: 1), try Party(.opus, seed: 2))
        let encoders = ConferenceEncoders()
        let length = one.call.frameLength
        let said = voice(rate: one.call.sampleRate, pitch: 130, seed: 1)
        two.call.perform(.mute(true), now: .zero, ntp: NTPTime(unixNanoseconds: 0))
        for number in 0..<100 {
            encoders.begin()
            let frame = Array(said[number * length..<(number + 1) * length])
            try one.say(frame, encoders, at: number)
            try two.say(frame, encoders, at: number)
        }
        #expect(one.heard[one.heard.count / 2..<one.heard.count].contains { abs($0) > 0.05 })
        #expect(two.heard[two.heard.count / 2..<two.heard.count].allSatisfy { abs($0) < 0.001 })
    }
}

@Suite("Who is heard in a conference") struct VoiceActivityTests {
    @Test("at once with a word, and until he has been quiet for a second")
    func hangover() {
        var activity = VoiceActivity()
        let word = [Float](repeating: 0.01, count: 160)
        let breath = [Float](repeating: 0.001, count: 160)
        func note(_ frame: [Float]) -> Bool { frame.withUnsafeBufferPointer { activity.note($0, milliseconds: 20) } }
        #expect(!note(breath))
        #expect(note(word))
        for _ in 0..<49 { #expect(note(breath)) }
        #expect(!note(breath))
        #expect(note(word))
    }
}
