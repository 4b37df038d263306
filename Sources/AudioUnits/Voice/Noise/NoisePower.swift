import DSP

/// Power of the background noise in each bin, also while somebody speaks.
///
/// Each bin's power counts as noise as far as the probability allows that it holds no speech, at a fixed a-priori ratio of
/// 18 dB (Gerkmann and Hendriks 2012); a bin that seems to hold speech for seconds is noise that has risen. A microphone
/// that gives zeros, because it is muted or gone, tells nothing of the room: what was known stands.
package struct NoisePower: ~Copyable {
    /// Mean power of the noise, one a bin.
    package let power: UnsafeMutablePointer<Float>
    private let bins: Int
    /// Smoothed probability of speech, one a bin.
    private let presence: UnsafeMutablePointer<Float>
    private let heard: UnsafeMutablePointer<Float>
    private let vectors: Int
    private var blocks = 0

    /// Ratio of speech to noise where there is speech: 18 dB; its share xi / (1 + xi).
    private static var prior: Float { @_noLocks get { 63.095_734 } }
    private static var share: Float { @_noLocks get { 0.984_398_4 } }
    private static var log2e: Float { @_noLocks get { 1.442_695 } }
    /// Smoothing for each 10 ms.
    private static var memory: Float { @_noLocks get { 0.9 } }

    init(bins: Int) {
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
        guard sum(input, count: bins) > Self.silence * Float(bins) else { return }
        if blocks == 0 {
            for bin in 0..<bins { power[bin] = input[bin] + Self.least }
        }
        // At the start an average of all there was.
        let past = Float(blocks) / Float(blocks &+ 1)
        let memory = past < Self.memory ? past : Self.memory
        blocks = min(blocks &+ 1, 1_000)
        for bin in 0..<bins { heard[bin] = input[bin] }
        let slope = -Self.share * Self.log2e
        for index in 0..<vectors {
            let (new, known) = (heard.vector(index), power.vector(index))
            let odds = (1 + Self.prior) * (slope * new / known).exp2s()
            let speech = 1 / (1 + odds)
            let lately = 0.9 * presence.vector(index) + 0.1 * speech
            presence.setVector(index, lately)
            // Where speech seems to go on for ever it was noise all the time.
            let highest = Vector(repeating: 1).replacing(with: 0.99, where: lately .> 0.99)
            let believed = speech.replacing(with: highest, where: speech .> highest)
            let noise = believed * known + (1 - believed) * new
            power.setVector(index, memory * known + (1 - memory) * noise + Self.least)
        }
    }

    /// Mean power of a bin under which no converter's own noise lies, 20 dB under that of 16 bits.
    private static var silence: Float { @_noLocks get { 1e-10 } }
    /// Bins of digital silence have no logarithm.
    private static var least: Float { @_noLocks get { 1e-12 } }
}
