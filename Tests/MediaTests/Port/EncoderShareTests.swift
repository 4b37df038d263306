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

    /// A voice: tones of slowly changing pitch, with a little noise.
    /// - Parameter pauses: whether it is silent for the last 0.8 s of every three; else it never pauses.
    private func voice(rate: Int, pitch: Float, seed: UInt64, pauses: Bool = false) -> [Float] {
        var random = SplitMix64(seed: seed)
        var phase: Float = 0
        return (0..<Self.seconds * rate).map { index in
            let time = Float(index) / Float(rate)
            phase += (pitch + 20 * sin(2 * time)) / Float(rate)
            phase -= phase.rounded(.down)
            if pauses, index % (3 * rate) >= 22 * rate / 10 { return 0.0002 * Float.random(in: -1...1, using: &random) }
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

    @Test("a speaker becomes a listener, and a listener a speaker, without a click", arguments: [Codec.opus, .g722])
    func change(codec: Codec) throws {
        // Two listen from the beginning; the third speaks now and then, and always hears the first alone.
        let (listener, guest) = (try Party(codec, seed: 1), try Party(codec, seed: 2))
        let alone = try Party(codec, seed: 3)
        let encoders = ConferenceEncoders()
        let (rate, length) = (guest.call.sampleRate, guest.call.frameLength)
        let first = voice(rate: rate, pitch: 130, seed: 4, pauses: codec == .g722)
        let third = voice(rate: rate, pitch: 210, seed: 5)
        var activity = VoiceActivity()
        var switches = 0
        var wasActive = true
        for number in 0..<first.count / length {
            encoders.begin()
            let range = number * length..<(number + 1) * length
            let own = Array(first[range])
            // He speaks for 2 s, is quiet for 8 s, and again.
            let speaks = number * 20 % 10_000 < 2000
            let words = speaks ? Array(third[range]) : [Float](repeating: 0, count: length)
            let isActive = words.withUnsafeBufferPointer { activity.note($0, milliseconds: 20) }
            if isActive != wasActive { switches += 1 }
            wasActive = isActive
            if isActive { try guest.say(own, nil, at: number) }
            let mixed = isActive ? zip(own, words).map { $0 + $1 } : own
            try listener.say(mixed, encoders, at: number)
            if !isActive { try guest.say(own, encoders, at: number) }
            try alone.say(own, nil, at: number)
        }
        #expect(switches == 4)
        // For most of the time that he listens one encoder works for both.
        let frames = first.count / length
        #expect(encoders.encodings == frames && encoders.count == 1)
        #expect(guest.payloads.count == frames && alone.payloads.count == frames)
        #expect(zip(guest.payloads, listener.payloads).filter { $0 == $1 }.count > frames / 5)
        // Two encoders never say quite the same. Where one takes the other's place they differ no more than elsewhere.
        let isShared = zip(guest.payloads, listener.payloads).map { $0 == $1 }
        let changes = (1..<frames).filter { isShared[$0] != isShared[$0 - 1] }
        #expect(changes.count >= switches, "\(changes)")
        #expect(guest.heard.count == alone.heard.count)
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
        #expect(mean(near) < 2 * mean(elsewhere), "\(mean(near) / sound), \(mean(elsewhere) / sound)")
        let (worst, usual) = (near.max() ?? 0, elsewhere.max() ?? 0)
        #expect(worst < 1.5 * usual + 1e-3 * sound, "\(worst / sound), \(usual / sound)")
    }

    @Test("encoders that never meet by themselves change places in a pause, and not before it")
    func waitsForPause() throws {
        let (listener, guest) = (try Party(.g722, seed: 1), try Party(.g722, seed: 2))
        let encoders = ConferenceEncoders()
        let length = guest.call.frameLength
        let first = voice(rate: guest.call.sampleRate, pitch: 130, seed: 4)
        let third = voice(rate: guest.call.sampleRate, pitch: 210, seed: 5)
        for number in 0..<600 {
            encoders.begin()
            let range = number * length..<(number + 1) * length
            // He speaks for a second; the other's voice ends after ten.
            let own = number < 500 ? Array(first[range]) : [Float](repeating: 0, count: length)
            if number < 50 { try guest.say(own, nil, at: number) }
            let mixed = number < 50 ? zip(own, third[range]).map { $0 + $1 } : own
            try listener.say(mixed, encoders, at: number)
            if number >= 50 { try guest.say(own, encoders, at: number) }
        }
        let isShared = zip(guest.payloads, listener.payloads).map { $0 == $1 }
        #expect(!isShared[..<500].contains(true))
        #expect(isShared[530...].allSatisfy { $0 }, "\(isShared[500...].prefix { !$0 }.count) frames of silence apart")
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
