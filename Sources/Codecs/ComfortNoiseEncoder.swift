/// Discontinuous transmission for codecs without one of their own: in the voice's pauses it describes the background (RFC
/// 3389) at the beginning, when the level changes, and now and then. Sans-I/O; it does not allocate.
package struct ComfortNoiseEncoder {
    /// What is to be sent of a frame.
    package enum Verdict: Equatable {
        /// The frame itself.
        case voice
        /// The background's description, by `write`.
        case description
        case nothing
    }

    enum Tuning {
        /// Between two descriptions, at most and at least. Opus refreshes at 400 ms too.
        static let refreshMilliseconds: Float = 400
        static let leastMilliseconds: Float = 100
        /// Change of level that is worth a description, in dB.
        static let levelChange = 3
        /// Weight of a frame of 20 ms in the background's colour.
        static let weight: Float = 0.2
        /// Share of unforeseeable power below which the background is a tone or a chord, of which noise would make
        /// something else: it is sent as it is.
        static let leastFlatness: Float = 0.005
    }

    private let samplesPerMillisecond: Float
    private var pauses: PauseFinder
    private var lags = InlineArray<11, Float>(repeating: 0)
    private var hasLags = false
    private var spectrum = NoiseSpectrum(power: 0)
    private var isDescribed = false
    private var describedLevel: UInt8 = 0
    private var sinceDescription: Float = 0

    package init(sampleRate: Int) {
        samplesPerMillisecond = Float(sampleRate) / 1000
        pauses = PauseFinder(sampleRate: sampleRate)
    }

    /// Takes the next frame.
    package mutating func take(_ frame: UnsafeBufferPointer<Float>) -> Verdict {
        let milliseconds = Float(frame.count) / samplesPerMillisecond
        sinceDescription += milliseconds
        pauses.add(frame)
        guard pauses.isQuiet else {
            hasLags = false
            isDescribed = false
            return .voice
        }
        learn(frame, milliseconds: milliseconds)
        guard pauses.isPause, spectrum.power < 1e-9 || spectrum.flatness > Tuning.leastFlatness else {
            isDescribed = false
            return .voice
        }
        let change = abs(Int(spectrum.levelCode) - Int(describedLevel))
        let isDue =
            sinceDescription >= Tuning.refreshMilliseconds
            || (change >= Tuning.levelChange && sinceDescription >= Tuning.leastMilliseconds)
        guard !isDescribed || isDue else { return .nothing }
        isDescribed = true
        describedLevel = spectrum.levelCode
        sinceDescription = 0
        return .description
    }

    /// Writes the description that `take` asked for.
    /// - Returns: bytes written; 0 when `payload` is shorter than `NoiseSpectrum.payloadBytes`.
    package func write(into payload: UnsafeMutableRawBufferPointer) -> Int { spectrum.write(into: payload) }

    /// The background's autocorrelation a sample, over about 100 ms of quiet frames.
    private mutating func learn(_ frame: UnsafeBufferPointer<Float>, milliseconds: Float) {
        guard frame.count > NoiseSpectrum.order else { return }
        let weight = hasLags ? min(1, Tuning.weight * milliseconds / 20) : 1
        for lag in 0...NoiseSpectrum.order {
            var sum: Float = 0
            for index in lag..<frame.count { sum += frame[index] * frame[index - lag] }
            lags[lag] += weight * (sum / Float(frame.count) - lags[lag])
        }
        hasLags = true
        spectrum = NoiseSpectrum(autocorrelation: lags, count: 1)
    }
}
