import Codecs

/// Noise of the level and colour of the sender's background, so that a pause does not sound like a broken line.
struct BackgroundNoise {
    private let tuning: ConcealmentTuning
    private var state: UInt64
    /// b of the lattice filter, at each order.
    private var backward = InlineArray<11, Float>(repeating: 0)
    private var spectrum: NoiseSpectrum?
    /// Autocorrelation of the background, over about ten frames.
    private var lags = InlineArray<11, Float>(repeating: 0)
    private var hasLearnt = false
    /// Mean square of a background of which nothing is made: far below what `generate` takes for silence.
    private static let silence: Float = 1e-12

    init(seed: UInt64, tuning: ConcealmentTuning) {
        self.tuning = tuning
        state = seed | 1
    }

    /// The sender described its background (RFC 3389).
    mutating func adopt(_ told: NoiseSpectrum) {
        spectrum = told
        spectrum?.power = min(told.power, tuning.loudestTold)
    }

    /// A frame of the sender's pause: what the background sounds like.
    mutating func learn(_ samples: UnsafePointer<Float>, count: Int) {
        guard count > 2 * NoiseSpectrum.order else { return }
        for lag in 0...NoiseSpectrum.order {
            let sum = Sums.products(samples + lag, samples, count: count - lag)
            guard sum.isFinite else { return }
            // Digital silence says nothing new of a background that is silent: many calls are nothing else.
            if lag == 0, sum == 0, hasLearnt, lags[0] < Self.silence * Float(count) { return }
            lags[lag] = hasLearnt ? lags[lag] + tuning.noiseRate * (sum - lags[lag]) : sum
        }
        hasLearnt = true
        var learnt = NoiseSpectrum(autocorrelation: lags, count: count)
        learnt.power = min(learnt.power, tuning.loudestGuess)
        spectrum = learnt
    }

    /// - Parameter level: mean square of the background, where its colour was never learnt; nil is silence.
    mutating func generate(into output: UnsafeMutablePointer<Float>, count: Int, level: Float?) {
        let model = spectrum ?? NoiseSpectrum(power: min(level ?? 0, tuning.loudestGuess))
        // Uniform noise of unit variance has a peak of the square root of 3.
        let amplitude = model.power < 1e-10 ? 0 : 1.732_051 * model.gain
        for index in 0..<count { output[index] = filter(amplitude * uniform(), model) }
    }

    private mutating func uniform() -> Float {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Float(Int32(truncatingIfNeeded: state >> 32)) / 2_147_483_648
    }

    private mutating func filter(_ input: Float, _ model: NoiseSpectrum) -> Float {
        var forward = input
        var order = NoiseSpectrum.order
        while order > 0 {
            forward -= model.reflection[order - 1] * backward[order - 1]
            backward[order] = model.reflection[order - 1] * forward + backward[order - 1]
            order -= 1
        }
        backward[0] = forward
        return forward
    }
}
