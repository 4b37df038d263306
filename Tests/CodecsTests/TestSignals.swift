import Codecs
import Glibc
import Realtime

/// Syllables at four a second, each opened by a hiss: a gliding, slightly irregular pitch through three formants.
/// Speech enough for Opus's classifier, which takes a steadier signal for music and codes it without redundancy.
func speechLike(seconds: Double, sampleRate: Int, seed: UInt64 = 1) -> [Float] {
    var random = SplitMix64(seed: seed)
    let rate = Double(sampleRate)
    let formants: [(frequency: Double, width: Double, gain: Double)] = [
        (650, 90, 1), (1_150, 110, 0.5), (2_400, 160, 0.3),
    ]
    var states = [(Double, Double)](repeating: (0, 0), count: formants.count)
    var phase = 0.0
    var pitch = 130.0
    var lastNoise = 0.0
    return (0..<Int(seconds * rate)).map { index in
        let time = Double(index) / rate
        let syllable = time * 4 - (time * 4).rounded(.down)
        phase += pitch / rate
        var source = 0.0
        if phase >= 1 {
            phase -= 1
            pitch = (130 + 30 * sin(2 * .pi * 0.7 * time)) * Double.random(in: 0.98...1.02, using: &random)
            source = 1
        }
        var sum = 0.0
        for (k, formant) in formants.enumerated() {
            let radius = exp(-.pi * formant.width / rate)
            let shift = 1 + 0.25 * sin(2 * .pi * (0.9 + 0.4 * Double(k)) * time)
            let value =
                source + 2 * radius * cos(2 * .pi * formant.frequency * shift / rate) * states[k].0
                - radius * radius * states[k].1
            states[k] = (value, states[k].0)
            sum += formant.gain * value * (1 - radius)
        }
        let noise = Double.random(in: -1...1, using: &random)
        let hiss = (noise - lastNoise) * (syllable < 0.15 ? 0.02 : 0.0005)
        lastNoise = noise
        let envelope = syllable < 0.15 || syllable > 0.9 ? 0 : sin(.pi * (syllable - 0.15) / 0.75)
        return Float(max(-0.9, min(0.9, 3 * sum * envelope + hiss)))
    }
}

/// Signal-to-noise ratio in dB of `output` against `truth`.
func signalToNoise(_ truth: ArraySlice<Float>, _ output: ArraySlice<Float>) -> Double {
    var signal = 1e-20
    var noise = 1e-20
    for (a, b) in zip(truth, output) {
        signal += Double(a) * Double(a)
        noise += (Double(a) - Double(b)) * (Double(a) - Double(b))
    }
    return 10 * log10(signal / noise)
}

/// Normalised correlation of two stretches, -1 ... 1.
func correlation(_ a: ArraySlice<Float>, _ b: ArraySlice<Float>) -> Double {
    var aa = 1e-20
    var bb = 1e-20
    var ab = 0.0
    for (x, y) in zip(a, b) {
        aa += Double(x) * Double(x)
        bb += Double(y) * Double(y)
        ab += Double(x) * Double(y)
    }
    return ab / (aa * bb).squareRoot()
}

extension AudioEncoder {
    /// All whole frames of `signal`, a packet each.
    func packets(of signal: [Float]) throws -> [[UInt8]] {
        var room = [UInt8](repeating: 0, count: maximumPayloadBytes)
        return try (0..<signal.count / frameLength).map { frame in
            let count = try signal.withUnsafeBufferPointer { samples in
                try room.withUnsafeMutableBytes {
                    let part = UnsafeBufferPointer(rebasing: samples[frame * frameLength..<(frame + 1) * frameLength])
                    return try encode(part, into: $0)
                }
            }
            return Array(room[..<count])
        }
    }
}

extension AudioDecoder {
    /// The samples of one packet.
    func samples(of packet: [UInt8]) throws -> [Float] {
        try filled(packet) { try decode($0, into: $1) }
    }

    /// The samples before `packet`, from the copy that it carries.
    func redundancy(of packet: [UInt8], frames: Int) throws -> [Float] {
        try filled(packet) { try decodeFEC($0, frames: frames, into: $1) }
    }

    /// Concealment, or nil when the codec has none for this length.
    func concealed(frames: Int) -> [Float]? {
        var output = [Float](repeating: 0, count: max(frames, 0))
        return output.withUnsafeMutableBufferPointer { conceal(frames: frames, into: $0) } ? output : nil
    }

    private func filled(
        _ packet: [UInt8], _ body: (UnsafeRawBufferPointer, UnsafeMutableBufferPointer<Float>) throws -> Int
    ) throws -> [Float] {
        var output = [Float](repeating: .nan, count: maximumFrames)
        let count = try output.withUnsafeMutableBufferPointer { buffer in
            try packet.withUnsafeBytes { try body($0, buffer) }
        }
        // Not `Array(output[..<count])`: where the result is not used, 6.3.1 frees that copy before it fills it.
        output.removeLast(output.count - count)
        return output
    }

    func duration(of packet: [UInt8]) -> Int? { packet.withUnsafeBytes { duration(of: $0) } }

    func carriesFEC(_ packet: [UInt8]) -> Bool { packet.withUnsafeBytes { carriesFEC($0) } }
}
