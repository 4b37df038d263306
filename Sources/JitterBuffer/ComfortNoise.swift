/// Low-passed noise at the level of the sender's background, so that a pause does not sound like a broken line.
struct ComfortNoise {
    /// Loudest noise made, -50 dB of full scale as mean square: a wrong estimate must not hiss.
    private static let loudest: Float = 1e-5

    private var state: UInt64
    private var last: Float = 0

    init(seed: UInt64) { state = seed | 1 }

    /// - Parameter level: mean square of the background; nil is silence.
    mutating func generate(into output: UnsafeMutablePointer<Float>, count: Int, level: Float?) {
        let energy = min(level ?? 0, Self.loudest)
        // Uniform noise has a third of its peak's power, and the one-pole low-pass leaves a third of that.
        let amplitude = energy < 1e-10 ? 0 : (9 * energy).squareRoot()
        for index in 0..<count {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            let uniform = Float(Int32(truncatingIfNeeded: state >> 32)) / 2_147_483_648
            last = 0.5 * last + 0.5 * uniform
            output[index] = amplitude * last
        }
    }
}
