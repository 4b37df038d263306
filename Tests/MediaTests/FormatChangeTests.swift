import Codecs
import Glibc
import Media
import RTP
import Realtime
import Testing

/// A codec, and how long its packets are.
struct Step: Sendable, CustomTestStringConvertible {
    let codec: Codec
    let milliseconds: Int
    var payloadType: UInt8?

    var format: SendingFormat {
        SendingFormat(
            MediaFormat(codec, payloadType: payloadType), encoder: EncoderSettings(frameMilliseconds: milliseconds))
    }
    var testDescription: String { "\(codec.name) \(milliseconds) ms" }
}

/// Somebody who speaks and somebody who listens, both at 48 kHz; each change is made two seconds after the one before.
private struct Line {
    static let rate = 48_000
    static let period = 2.0
    let speaker: Endpoint
    let listener: Endpoint

    /// - Parameter follows: whether the listener sends in what it hears.
    init(
        _ first: Codec = .opus, follows: Bool = false,
        microphone: @escaping (Int) -> Float = sine(400, amplitude: 0.3, rate: rate)
    ) throws {
        func configuration(_ seed: UInt64) -> CallConfiguration {
            var configuration = CallConfiguration(codec: first, seed: seed)
            configuration.alsoReceives = Codec.allCases.filter { $0 != first }.map { MediaFormat($0) }
            // Of one codec a second number.
            configuration.alsoReceives.append(MediaFormat(first, payloadType: 126))
            return configuration
        }
        speaker = try Endpoint(
            [configuration(61)], isConference: false, format: (Self.rate, Self.rate / 50), microphone: microphone)
        var listening = configuration(62)
        listening.followsCodec = follows
        listener = try Endpoint(
            [listening], isConference: false, format: (Self.rate, Self.rate / 50), microphone: { _ in 0 })
    }

    /// Carries to each side what the other one sends; `eachPacket` sees the speaker's RTP.
    func run(from: Double, to: Double, eachPacket: ([UInt8]) -> Void = { _ in }) {
        everyTenMilliseconds(from: from, to: to) { now in
            speaker.step(now: now)
            listener.step(now: now)
            for packet in speaker.links[0].rtp { eachPacket(packet) }
            // A goodbye leaves before the packets that follow it.
            for bytes in speaker.links[0].rtcp {
                bytes.withUnsafeBytes { listener.call.receive(rtcp: $0, arrival: now) }
            }
            for bytes in speaker.links[0].rtp { bytes.withUnsafeBytes { listener.call.receive(rtp: $0, arrival: now) } }
            speaker.links[0].carry(to: nil, now: now)
            listener.links[0].carry(to: speaker.call, now: now)
        }
    }

    /// What was heard between two times in seconds.
    func heard(from: Double, to: Double) -> ArraySlice<Float> {
        listener.device.played[Int(from * Double(Self.rate))..<Int(to * Double(Self.rate))]
    }
}

/// No turn of the signal is sharper than those of a tone of 1500 Hz that is as loud; a cut through the tone of 400 Hz is more than
/// twenty times as sharp.
private let sharpest: Float = 0.3 * Float(pow(2 * Double.pi * 1500 / Double(Line.rate), 2))

/// Greatest second difference of a signal.
private func roughness(_ sound: ArraySlice<Float>) -> Float {
    let values = Array(sound)
    var most: Float = 0
    for index in 2..<values.count { most = max(most, abs(values[index] - 2 * values[index - 1] + values[index - 2])) }
    return most
}

/// Longest stretch in milliseconds that is 12 dB quieter than `level` (RMS), in steps of 2.5 ms: a period of 400 Hz.
private func longestGap(_ sound: ArraySlice<Float>, level: Double, rate: Int) -> Double {
    let values = Array(sound)
    let window = rate / 400
    var (run, longest) = (0, 0)
    for start in stride(from: 0, to: values.count - window, by: window) {
        var energy = 0.0
        for value in values[start..<(start + window)] { energy += Double(value) * Double(value) }
        run = (energy / Double(window)).squareRoot() < level / 4 ? run + 1 : 0
        longest = max(longest, run)
    }
    return Double(longest) * 2.5
}

@Suite("A stream that changes its codec in mid-call") struct FormatChangeTests {
    private static let ways: [[Step]] = [
        [Step(codec: .opus, milliseconds: 20), Step(codec: .pcmu, milliseconds: 20), Step(codec: .g722, milliseconds: 40)],
        [Step(codec: .pcmu, milliseconds: 20), Step(codec: .opus, milliseconds: 60), Step(codec: .pcma, milliseconds: 10)],
        [Step(codec: .g722, milliseconds: 20), Step(codec: .l16, milliseconds: 20), Step(codec: .opus, milliseconds: 20)],
        [Step(codec: .opus, milliseconds: 20), Step(codec: .opus, milliseconds: 40), Step(codec: .opus, milliseconds: 10)],
        [Step(codec: .pcmu, milliseconds: 20), Step(codec: .pcmu, milliseconds: 20, payloadType: 126)],
    ]

    @Test("is heard through each change without a click, and without a gap of more than 20 ms", arguments: ways)
    func heard(steps: [Step]) throws {
        let line = try Line(steps[0].codec)
        let period = Line.period
        for (index, step) in steps.enumerated() {
            let time = Double(index) * period
            if index > 0 { line.speaker.perform(.send(step.format), now: seconds(time)) }
            line.run(from: time, to: time + period)
            #expect(line.speaker.call.stream.sending == step.format)
            #expect(line.listener.call.stream.heard.codec == step.codec)
            // What the codec itself makes of the tone.
            let settled = line.heard(from: time + 1, to: time + period - 0.1)
            #expect(abs(amplitude(of: 400, in: settled, rate: Line.rate) - 0.3) < 0.03, "\(step.codec.name)")
            guard index > 0 else { continue }
            let change = line.heard(from: time - 0.1, to: time + 1)
            let gap = longestGap(change, level: 0.3 / 2.0.squareRoot(), rate: Line.rate)
            #expect(gap <= 20, "\(gap) ms at the change to \(step.codec.name)")
            let click = roughness(change)
            #expect(click < sharpest, "\(click) at the change to \(step.codec.name)")
        }
        let figures = line.listener.call.statistics
        #expect(figures.packetsLost == 0)
        #expect(figures.packetsDiscarded == 0 && figures.packetsLate == 0)
        #expect(line.listener.events[0].allSatisfy { if case .bufferReset = $0 { false } else { true } })
    }

    @Test(
        "is answered in each codec where the listener follows, told once each, and in its own where it does not",
        arguments: [true, false])
    func followed(follows: Bool) throws {
        let line = try Line(.opus, follows: follows)
        let steps = [
            Step(codec: .pcmu, milliseconds: 10), Step(codec: .g722, milliseconds: 40), Step(codec: .opus, milliseconds: 60),
        ]
        line.run(from: 0, to: Line.period)
        for (index, step) in steps.enumerated() {
            let time = Double(index + 1) * Line.period
            line.speaker.perform(.send(step.format), now: seconds(time))
            line.run(from: time, to: time + Line.period)
            #expect(line.listener.call.stream.sending.format.codec == (follows ? step.codec : .opus))
            // Its own packets stay as long as somebody chose.
            #expect(line.listener.call.stream.sending.encoder.frameMilliseconds == 20)
            #expect(line.speaker.call.stream.heard.codec == (follows ? step.codec : .opus))
        }
        let told = line.listener.events[0].compactMap { if case .formatFollowed(let format) = $0 { format.codec } else { nil } }
        #expect(told == (follows ? steps.map(\.codec) : []))
    }

    @Test("keeps the right clocks: jitter here and in the reports there, one SSRC for each clock (RFC 7160)")
    func clocks() throws {
        let line = try Line()
        var sources: [UInt32] = []
        var time = 0.0
        for step in Self.ways[0] {
            if time > 0 { line.speaker.perform(.send(step.format), now: seconds(time)) }
            line.run(from: time, to: time + 12) { bytes in
                let source = bytes.withUnsafeBytes { try? RTPPacket(parsing: $0).header.ssrc } ?? 0
                if sources.last != source { sources.append(source) }
            }
            time += 12
            // Packets come on the clock's tick: what is left is the rounding to a period of 10 ms.
            let jitter = try #require(line.listener.call.statistics.jitterMilliseconds)
            #expect(jitter < 0.5, "\(step.codec.name): \(jitter) ms")
            let reported = try #require(line.speaker.call.statistics.remote?.jitterMilliseconds)
            #expect(reported < 0.5, "\(step.codec.name): \(reported) ms")
            #expect(line.speaker.call.statistics.remote?.packetsLost == 0)
        }
        // Opus has a clock of 48 kHz, PCMU and G.722 one of 8 kHz.
        #expect(Set(sources).count == 2 && sources.count == 2)
        #expect(line.listener.call.state == .active)
        let changes = line.listener.events[0].filter { if case .sourceChanged = $0 { true } else { false } }
        #expect(changes.count == 1)
    }

    @Test("is followed too where another program keeps one SSRC over two clocks")
    func oneSource() throws {
        let line = try Line(.pcmu)
        line.run(from: 0, to: 2)
        // The stream of an Opus sender, under the SSRC and in the sequence of the first.
        let other = try Line(.opus, microphone: sine(400, amplitude: 0.3, rate: Line.rate))
        var last: RTPHeader?
        line.run(from: 2, to: 3) { bytes in last = bytes.withUnsafeBytes { try? RTPPacket(parsing: $0).header } }
        let before = try #require(last)
        var count: UInt16 = 0
        everyTenMilliseconds(from: 3, to: 6) { now in
            other.speaker.step(now: now)
            line.listener.step(now: now)
            for packet in other.speaker.links[0].rtp {
                count += 1
                var bytes = packet
                bytes[2] = UInt8((before.sequence &+ count) >> 8)
                bytes[3] = UInt8((before.sequence &+ count) & 0xff)
                for index in 0..<4 { bytes[8 + index] = UInt8(truncatingIfNeeded: before.ssrc >> (24 - 8 * UInt32(index))) }
                bytes.withUnsafeBytes { line.listener.call.receive(rtp: $0, arrival: now) }
            }
            other.speaker.links[0].carry(to: nil, now: now)
            line.listener.links[0].carry(to: nil, now: now)
        }
        #expect(line.listener.call.stream.heard.codec == .opus)
        #expect(line.listener.call.statistics.packetsLost == 0)
        #expect(try #require(line.listener.call.statistics.jitterMilliseconds) < 0.5)
        #expect(abs(amplitude(of: 400, in: line.heard(from: 4, to: 5.9), rate: Line.rate) - 0.3) < 0.03)
        #expect(roughness(line.heard(from: 2.9, to: 4)) < sharpest)
    }

    @Test("goes on as before where the new format cannot be sent, and says why")
    func refused() throws {
        let line = try Line()
        line.run(from: 0, to: 1)
        line.speaker.perform(.send(Step(codec: .pcmu, milliseconds: 25).format), now: seconds(1))
        line.run(from: 1, to: 3)
        let refusals = line.speaker.events[0].compactMap { if case .formatRefused(let reason) = $0 { reason } else { nil } }
        #expect(refusals.count == 1 && refusals[0].contains("25 ms"))
        #expect(line.speaker.call.stream.sending.format.codec == .opus)
        #expect(abs(amplitude(of: 400, in: line.heard(from: 1.5, to: 3), rate: Line.rate) - 0.3) < 0.03)
    }

    @Test("waits for the end of a digit, whose time stamps are of one clock, and sends the next ones in the new one")
    func digits() throws {
        let line = try Line()
        line.run(from: 0, to: 1)
        line.speaker.perform(.digits("12"), now: seconds(1))
        line.run(from: 1, to: 1.06)
        line.speaker.perform(.send(Step(codec: .pcmu, milliseconds: 20).format), now: seconds(1.06))
        #expect(line.speaker.call.stream.sending.format.codec == .opus)
        line.run(from: 1.06, to: 3)
        #expect(line.speaker.call.stream.sending.format.codec == .pcmu)
        let digits = line.listener.events[0].compactMap { event -> (Character, Double)? in
            if case .digitReceived(let digit, let milliseconds) = event { (digit, milliseconds) } else { nil }
        }
        #expect(digits.map(\.0) == ["1", "2"])
        #expect(digits.allSatisfy { abs($0.1 - 100) < 1 }, "\(digits)")
    }

    @Test("takes a format that was agreed on in mid-call, and none that was not")
    func agreed() throws {
        let rate = 8000
        let speaker = try Endpoint(.pcmu, seeds: [71], microphone: sine(400, amplitude: 0.3, rate: rate))
        let listener = try Endpoint(.pcmu, seeds: [72])
        func run(from: Double, to: Double) {
            everyTenMilliseconds(from: from, to: to) { now in
                for end in [speaker, listener] { end.step(now: now) }
                speaker.links[0].carry(to: listener.call, now: now)
                listener.links[0].carry(to: speaker.call, now: now)
            }
        }
        run(from: 0, to: 1)
        speaker.perform(.send(SendingFormat(MediaFormat(.pcma))), now: seconds(1))
        run(from: 1, to: 2)
        #expect(listener.call.statistics.drops["unknown_payload_type"] ?? 0 > 40)
        listener.perform(.receive([MediaFormat(.pcma), MediaFormat(.pcmu)]), now: seconds(2))
        run(from: 2, to: 4)
        #expect(listener.call.stream.heard.codec == .pcma)
        #expect(abs(amplitude(of: 400, in: listener.device.played[rate * 3..<rate * 39 / 10], rate: rate) - 0.3) < 0.03)
    }

    @Test("has its formats in its capture's settings; those that say nothing are left out")
    func captured() throws {
        var configuration = StreamConfiguration(codec: .opus, seed: 1)
        configuration.alsoReceives = [MediaFormat(.g722), MediaFormat(.l16, payloadType: 99, sampleRate: 44_100)]
        var settings = configuration.captureSettings
        let replayed = try #require(StreamConfiguration(captureSettings: settings, seed: 2))
        #expect(replayed.receivedFormats == configuration.receivedFormats)
        settings["also_receives"] = "9 g722 16000, 200 pcmu 8000, 9 g7 8000, 0 pcmu, x pcma 8000, 8 pcma 9000, 8 pcma 8000"
        #expect(
            StreamConfiguration(captureSettings: settings, seed: 2)?.alsoReceives == [MediaFormat(.g722), MediaFormat(.pcma)])
        settings["also_receives"] = nil
        #expect(StreamConfiguration(captureSettings: settings, seed: 2)?.alsoReceives == [])
    }

    @Test("is not followed in each packet: two codecs by turns make few decoders, and end in the one that stays")
    func alternating() throws {
        let (first, second) = (try Line(.pcmu), try Line(.pcma))
        var sequence: UInt16 = 0
        let listener = first.listener
        everyTenMilliseconds(to: 6) { now in
            for line in [first, second] { line.speaker.step(now: now) }
            listener.step(now: now)
            let isFlood = now < seconds(4)
            let line = isFlood && sequence % 2 == 0 ? second : first
            for packet in line.speaker.links[0].rtp {
                var bytes = packet
                sequence += 1
                bytes[2] = UInt8(sequence >> 8)
                bytes[3] = UInt8(sequence & 0xff)
                for index in 8..<12 { bytes[index] = 7 }
                bytes.withUnsafeBytes { listener.call.receive(rtp: $0, arrival: now) }
            }
            for line in [first, second] { line.speaker.links[0].carry(to: nil, now: now) }
            listener.links[0].carry(to: nil, now: now)
        }
        #expect(listener.call.stream.heard.codec == .pcmu)
        #expect(amplitude(of: 400, in: listener.device.played[48_000 * 5..<48_000 * 59 / 10], rate: 48_000) > 0.25)
        #expect(listener.call.statistics.packetsLate ?? 0 > 50)
    }
}
