/// Tells the pauses of a voice from the voice, by loudness against the background: the voice activity detector of
/// discontinuous transmission.
///
/// It errs on the side of the voice. What is nearly as quiet as the background counts as voice for a while longer
/// (`Tuning.hangOverMilliseconds`), so that the soft ends of words are sent.
package struct PauseFinder {
    /// What it weighs.
    enum Tuning {
        /// Parts of a frame that are looked at one by one, so that a word's first milliseconds show.
        static let partMilliseconds = 5
        /// A part this much above the background, as a ratio of powers, is voice: 9 dB. Noise in parts of 5 ms wavers by
        /// up to 5 dB.
        static let voiceRatio: Float = 8
        /// Power below which there is nothing to hear whatever the background: -90 dBov.
        static let silence: Float = 1e-9
        /// Power above which nothing counts as background, -30 dBov: receivers do not make comfort noise so loud.
        static let loudest: Float = 1e-3
        /// Rise of the background's estimate, as a ratio a millisecond: 4 dB/s. It falls within a few frames.
        static let rise: Float = 1.000_921
        /// Least estimate, -100 dBov: digital silence has no level that could rise.
        static let least: Float = 1e-10
        static let hangOverMilliseconds: Float = 200
    }

    private let samplesPerMillisecond: Float
    private let part: Int
    private var background: Float?
    /// How long it has been quiet.
    private var quietMilliseconds: Float = 0

    package init(sampleRate: Int) {
        samplesPerMillisecond = Float(sampleRate) / 1000
        part = max(1, sampleRate * Tuning.partMilliseconds / 1000)
    }

    /// Whether the present frame is quiet; the pause itself begins a hang-over later.
    package var isQuiet: Bool { quietMilliseconds > 0 }
    /// Whether the voice pauses.
    package var isPause: Bool { quietMilliseconds > Tuning.hangOverMilliseconds }

    /// Takes the next frame; one that holds anything but numbers is voice.
    package mutating func add(_ frame: UnsafeBufferPointer<Float>) {
        guard !frame.isEmpty else { return }
        var sum: Float = 0
        var loudest: Float = 0
        var start = 0
        while start < frame.count {
            let end = min(start + part, frame.count)
            var energy: Float = 0
            for index in start..<end { energy += frame[index] * frame[index] }
            sum += energy
            loudest = max(loudest, energy / Float(end - start))
            start = end
        }
        let power = sum / Float(frame.count)
        guard power.isFinite else {
            quietMilliseconds = 0
            return
        }
        let milliseconds = Float(frame.count) / samplesPerMillisecond
        let estimate = follow(power, milliseconds: milliseconds)
        let isQuiet = loudest < Tuning.silence || (loudest < Tuning.voiceRatio * estimate && power < Tuning.loudest)
        quietMilliseconds = isQuiet ? quietMilliseconds + milliseconds : 0
    }

    private mutating func follow(_ power: Float, milliseconds: Float) -> Float {
        let before = background ?? power
        let risen = before * (1 + (Tuning.rise - 1) * milliseconds)
        let now = max(Tuning.least, power < before ? before + 0.3 * (power - before) : min(power, risen))
        background = now
        return now
    }
}
