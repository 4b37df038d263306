import Codecs
import Glibc
import JitterBuffer
import Realtime

/// A seeded generator for test streams: runs are repeatable, seeds are printed.
struct TestRandom: RandomNumberGenerator {
    private var random: SplitMix64
    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        print("seed \(seed)")
    }
    mutating func next() -> UInt64 { random.next() }
    mutating func unit() -> Double { random.unit() }
}

/// One packet on its way: what the network does to it is the test's choice.
struct SimulatedPacket {
    var index: Int
    var sequence: Int64
    var timestamp: Int64
    /// When its last sample was captured, in milliseconds.
    var sentAt: Double
}

/// A call's receive side in virtual time: a signal is encoded into packets, the test's network delays or drops them,
/// the buffer is pulled by a jittering player.
struct StreamSimulation {
    var codec: Codec = .l16
    var frameMilliseconds = 20
    var seconds = 10.0
    var signal: (_ time: Double) -> Float = { _ in 0 }
    /// Arrival delays in milliseconds after sending, one for each copy; empty is lost.
    var network: (SimulatedPacket, inout TestRandom) -> [Double] = { _, random in [1 + 2 * random.unit()] }
    /// Changes a packet's numbers, nil leaves it unsent (DTX).
    var rewrite: (SimulatedPacket) -> SimulatedPacket? = { $0 }
    var pullMilliseconds = 10.0
    /// When the loudspeaker begins, in milliseconds after the first sample was captured.
    var firstPull = 3.3
    /// Half-width of the pulls' jitter in milliseconds.
    var pullJitter = 5.0
    /// Sender's and player's clocks against the host's, in parts per million.
    var driftPPM = 0.0
    var playerDriftPPM = 0.0
    var settings = EncoderSettings(inbandFEC: true, expectedLossPercent: 0)
    var configuration = JitterBufferConfiguration()
    var seed: UInt64 = 1
    /// Whether the sound is kept: an hour of it takes memory.
    var keepsOutput = true

    struct Result {
        var rate: Int
        var output: [Float] = []
        /// Per pull: its time in milliseconds and outcome.
        var pulls: [(time: Double, outcome: PullOutcome, delay: Double?)] = []
        var statistics = JitterBufferStatistics()
        var incidents: [Incident] = []
        var isBalanced = false
        var driftPPM: Double?
        var meanTransit = 0.0
        var lookahead = 0

        /// Mean buffering delay that the buffer reports between two times in seconds.
        func delay(_ from: Double, _ to: Double) -> Double {
            let values = pulls.filter { $0.time >= from * 1000 && $0.time < to * 1000 }.compactMap(\.delay)
            return values.isEmpty ? .nan : values.reduce(0, +) / Double(values.count)
        }

        func count(_ from: Double, _ to: Double = .infinity, where matches: (PlayoutReason) -> Bool) -> Int {
            pulls.count { $0.time >= from * 1000 && $0.time < to * 1000 && matches($0.outcome.reason) }
        }

        func concealed(_ from: Double, _ to: Double = .infinity) -> Int {
            count(from, to) { $0 == .concealShort || $0 == .concealLong }
        }

        /// Mean milliseconds from the media time of what is pulled to the time of the pull.
        func mediaLag(_ from: Double, _ to: Double) -> Double {
            let values = pulls.filter { $0.time >= from * 1000 && $0.time < to * 1000 }
                .compactMap { pull in pull.outcome.mediaMilliseconds.map { pull.time - $0 } }
            return values.reduce(0, +) / Double(max(values.count, 1))
        }

        /// Milliseconds in which the envelope of a tone is under half its median, dips under 4 ms not counted.
        func gapMilliseconds(_ from: Double, _ to: Double) -> Double {
            let step = rate / 1000
            var envelope: [Float] = []
            var index = Int(from * Double(rate))
            // 2 ms are one period of the 500 Hz tone.
            while index + 2 * step <= min(output.count, Int(to * Double(rate))) {
                let energy = output[index..<(index + 2 * step)].reduce(0) { $0 + $1 * $1 }
                envelope.append((energy / Float(2 * step)).squareRoot())
                index += step
            }
            guard !envelope.isEmpty else { return .infinity }
            let median = envelope.sorted()[envelope.count / 2]
            var total = 0
            var run = 0
            for value in envelope + [.infinity] {
                if value < 0.5 * median {
                    run += 1
                } else {
                    if run >= 4 { total += run }
                    run = 0
                }
            }
            return Double(total)
        }
    }

    func run() throws -> Result {
        let encoder = try makeEncoder(codec, settings: encoderSettings)
        let decoder = try makeDecoder(codec)
        let clockRate = codec.rtpClockRate()
        let buffer = JitterBuffer(decoder: decoder, clockRate: clockRate, configuration: configuration)
        var random = TestRandom(seed: seed)
        var arrivals = try packets(encoder, clockRate: clockRate, &random)
        arrivals.sort { $0.time < $1.time }

        var result = Result(rate: decoder.sampleRate)
        result.lookahead = encoder.lookaheadSamples
        result.meanTransit = arrivals.reduce(0) { $0 + $1.time - $1.sentAt } / Double(max(arrivals.count, 1))
        let block = Int(pullMilliseconds * Double(decoder.sampleRate) / 1000)
        var samples = [Float](repeating: 0, count: block)
        var next = 0
        var index = 0
        var clock = firstPull
        while clock < seconds * 1000 {
            let now = clock + pullJitter * (2 * random.unit() - 1)
            while next < arrivals.count, arrivals[next].time <= now {
                insert(arrivals[next], into: buffer)
                next += 1
            }
            let outcome = samples.withUnsafeMutableBufferPointer {
                buffer.pull(into: $0, now: HostTime(milliseconds: now))
            }
            if keepsOutput { result.output += samples }
            result.pulls.append((clock, outcome, buffer.currentDelayMilliseconds))
            index += 1
            clock = firstPull + Double(index) * pullMilliseconds / (1 + playerDriftPPM * 1e-6)
        }
        result.statistics = buffer.statistics
        result.incidents = buffer.incidents
        result.isBalanced = buffer.isBalanced
        result.driftPPM = buffer.driftPPM
        return result
    }

    private struct Arrival {
        var time: Double
        var sentAt: Double
        var packet: SimulatedPacket
        var payload: [UInt8]
    }

    private var encoderSettings: EncoderSettings {
        var settings = settings
        settings.frameMilliseconds = frameMilliseconds
        return settings
    }

    private func packets(
        _ encoder: any AudioEncoder, clockRate: Int, _ random: inout TestRandom
    ) throws -> [Arrival] {
        var arrivals: [Arrival] = []
        let length = encoder.frameLength
        let rate = Double(encoder.sampleRate)
        var frame = [Float](repeating: 0, count: length)
        var payload = [UInt8](repeating: 0, count: max(encoder.maximumPayloadBytes, 4000))
        let pace = 1 / (1 + driftPPM * 1e-6)
        for index in 0..<Int(seconds * 1000 / Double(frameMilliseconds)) {
            for sample in 0..<length { frame[sample] = signal(Double(index * length + sample) / rate) }
            let bytes = try frame.withUnsafeBufferPointer { frame in
                try payload.withUnsafeMutableBytes { try encoder.encode(frame, into: $0) }
            }
            let packet = SimulatedPacket(
                index: index, sequence: Int64(65_530 + index),
                timestamp: 4_294_960_000 + Int64(index * length) * Int64(clockRate) / Int64(encoder.sampleRate),
                sentAt: Double((index + 1) * frameMilliseconds) * pace)
            guard let sent = rewrite(packet) else { continue }
            for delay in network(sent, &random) {
                arrivals.append(
                    Arrival(
                        time: sent.sentAt + delay, sentAt: sent.sentAt, packet: sent,
                        payload: Array(payload[0..<bytes])))
            }
        }
        return arrivals
    }

    private func insert(_ arrival: Arrival, into buffer: JitterBuffer) {
        arrival.payload.withUnsafeBytes { bytes in
            _ = buffer.insert(
                BufferedPacket(
                    extendedSequence: arrival.packet.sequence, extendedTimestamp: arrival.packet.timestamp,
                    arrival: HostTime(milliseconds: arrival.time), payload: bytes))
        }
    }
}

/// Test signals.
enum Signal {
    static func tone(_ hertz: Double, level: Double = 0.3) -> (Double) -> Float {
        { Float(level * sin(2 * .pi * hertz * $0)) }
    }
}

extension Signal {
    /// Syllables of a voice with a gliding pitch, eight harmonics, and a pause of 400 ms in every 3 s.
    static func voice(_ time: Double) -> Float {
        let inPhrase = time.truncatingRemainder(dividingBy: 3)
        guard inPhrase < 2.6 else { return 0 }
        let syllable = 0.5 - 0.5 * cos(2 * .pi * 4 * time)
        // 130 Hz that glides by 20 Hz three times in two seconds: the phase is the integral.
        let phase = 2 * .pi * 130 * time + 20 / 1.5 * sin(2 * .pi * 1.5 * time)
        var sum = 0.0
        for harmonic in 1...8 { sum += sin(Double(harmonic) * phase) / Double(harmonic) }
        return Float(0.2 * syllable * sum)
    }

    /// The same, breathy, with pauses of 140 ms, and of 400 ms in every 6 s, in which a room is heard 60 dB down.
    static func fluentVoice(_ time: Double) -> Float {
        let hash = 43_758.5453 * sin(103_918.4 * time)
        let noise = Float(hash - hash.rounded(.down) - 0.5)
        let isPause = time.truncatingRemainder(dividingBy: 0.6) >= 0.46 || time.truncatingRemainder(dividingBy: 6) < 0.4
        return isPause ? 0.001 * noise : voice(time.truncatingRemainder(dividingBy: 2.4)) + 0.1 * noise
    }
}
