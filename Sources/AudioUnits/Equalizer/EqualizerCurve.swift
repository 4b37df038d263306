import Glibc

/// A curve as the render thread takes it: an overall gain and a section a band.
struct EqualizerCurve: BitwiseCopyable {
    /// The most bands there may be.
    static var capacity: Int { @_noLocks get { 16 } }

    private(set) var gain: Double
    private(set) var sections = InlineArray<16, Biquad>(repeating: Biquad())
    private(set) var count: Int
    /// Tells curves apart.
    let number: Int

    init(overallGain: Double, bands: [EqualizerBand], sampleRate: Double, number: Int) {
        gain = pow(10, overallGain / 20)
        count = min(bands.count, Self.capacity)
        for index in 0..<count { sections[index] = Biquad(bands[index], sampleRate: sampleRate) }
        self.number = number
    }

    /// Response at a frequency, in dB.
    func decibels(at frequency: Double, sampleRate: Double) -> Double {
        var power = gain * gain
        for index in 0..<count { power *= sections[index].power(at: frequency, sampleRate: sampleRate) }
        return 10 * log10(power)
    }

    /// Becomes the curve that lies that part of the way from `start` to `end`.
    @_noLocks @inline(__always)
    mutating func mix(_ start: borrowing EqualizerCurve, _ end: borrowing EqualizerCurve, part: Double) {
        gain = start.gain + (end.gain - start.gain) * part
        count = start.count > end.count ? start.count : end.count
        for index in 0..<count { sections[index] = start.sections[index].mixed(with: end.sections[index], part: part) }
    }
}
