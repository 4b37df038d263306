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
    private var blocks = 0

    /// Ratio of speech to noise where there is speech: 18 dB; its share xi / (1 + xi).
    private static var prior: Float { @_noLocks get { 63.095_734 } }
    private static var share: Float { @_noLocks get { 0.984_398_4 } }
    private static var log2e: Float { @_noLocks get { 1.442_695 } }
    /// Smoothing for each 10 ms.
    private static var memory: Float { @_noLocks get { 0.9 } }

    init(bins: Int) {
        self.bins = bins
        power = cleared(bins)
        presence = cleared(bins)
    }

    deinit {
        power.deallocate()
        presence.deallocate()
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
        for bin in 0..<bins {
            let ratio = input[bin] / power[bin]
            let odds = (1 + Self.prior) * FastMath.exp2(-ratio * Self.share * Self.log2e)
            var speech = 1 / (1 + odds)
            presence[bin] += 0.1 * (speech - presence[bin])
            // Where speech seems to go on for ever it was noise all the time.
            if presence[bin] > 0.99, speech > 0.99 { speech = 0.99 }
            let noise = speech * power[bin] + (1 - speech) * input[bin]
            power[bin] = memory * power[bin] + (1 - memory) * noise + Self.least
        }
    }

    /// Mean power of a bin under which no converter's own noise lies, 20 dB under that of 16 bits.
    private static var silence: Float { @_noLocks get { 1e-10 } }
    /// Bins of digital silence have no logarithm.
    private static var least: Float { @_noLocks get { 1e-12 } }
}
