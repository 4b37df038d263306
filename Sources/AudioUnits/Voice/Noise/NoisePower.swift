import DSP

/// Power of the background noise in each bin, also while somebody speaks.
///
/// Each bin's power counts as noise as far as the probability allows that it holds no speech, at a fixed a-priori ratio of
/// 18 dB (Gerkmann and Hendriks 2012); a bin that seems to hold speech for seconds is noise that has risen. A microphone
/// that gives zeros, because it is muted or gone, tells nothing of the room: what was known stands.
package struct NoisePower: ~Copyable {
    /// Mean power of the noise, one a bin.
    package let power: UnsafeMutablePointer<Float>
    private let tuning: NoisePowerTuning
    private let bins: Int
    /// Smoothed probability of speech, one a bin.
    private let presence: UnsafeMutablePointer<Float>
    private let heard: UnsafeMutablePointer<Float>
    private let vectors: Int
    private var blocks = 0

    private static var log2e: Float { @_noLocks get { 1.442_695 } }

    init(bins: Int, tuning: NoisePowerTuning = NoisePowerTuning()) {
        self.tuning = tuning
        self.bins = bins
        vectors = Vector.count(for: bins)
        power = cleared(8 * vectors)
        presence = cleared(8 * vectors)
        heard = cleared(8 * vectors)
        for index in 0..<8 * vectors { power[index] = Self.least }
    }

    deinit {
        power.deallocate()
        presence.deallocate()
        heard.deallocate()
    }

    /// Takes in the powers of the next 10 ms.
    @_noLocks
    mutating func update(_ input: UnsafePointer<Float>) {
        guard sum(input, count: bins) > tuning.silence * Float(bins) else { return }
        if blocks == 0 {
            for bin in 0..<bins { power[bin] = input[bin] + Self.least }
        }
        // At the start an average of all there was.
        let past = Float(blocks) / Float(blocks &+ 1)
        let memory = past < tuning.memory ? past : tuning.memory
        blocks = min(blocks &+ 1, 1_000)
        for bin in 0..<bins { heard[bin] = input[bin] }
        let slope = -tuning.priorShare * Self.log2e
        for index in 0..<vectors {
            let (new, known) = (heard.vector(index), power.vector(index))
            let odds = (1 + tuning.prior) * (slope * new / known).exp2s()
            let speech = 1 / (1 + odds)
            let lately = (1 - tuning.presenceRate) * presence.vector(index) + tuning.presenceRate * speech
            presence.setVector(index, lately)
            // Where speech seems to go on for ever it was noise all the time.
            let highest = Vector(repeating: 1).replacing(with: tuning.stuck, where: lately .> tuning.stuck)
            let believed = speech.replacing(with: highest, where: speech .> highest)
            let noise = believed * known + (1 - believed) * new
            power.setVector(index, memory * known + (1 - memory) * noise + Self.least)
        }
    }

    /// Bins of digital silence have no logarithm.
    private static var least: Float { @_noLocks get { 1e-12 } }
}
