/// One filter of an equalizer.
public struct EqualizerBand: Sendable, Equatable, BitwiseCopyable {
    /// What the filter does.
    public enum Kind: UInt8, Sendable, CaseIterable, BitwiseCopyable {
        /// Raises or lowers around the frequency.
        case peak
        /// Raises or lowers all below the frequency, where it has half the gain.
        case lowShelf
        /// Raises or lowers all above the frequency, where it has half the gain.
        case highShelf
        /// Leaves what is below the frequency, 12 dB an octave.
        case lowPass
        /// Leaves what is above the frequency, 12 dB an octave.
        case highPass
        /// Leaves what is around the frequency, with 0 dB there.
        case bandPass
        /// Takes the frequency out.
        case notch
    }

    /// What the filter does; `peak` unless said otherwise.
    public var kind: Kind
    /// Centre or corner, 10 ... 96,000 Hz; what lies past 0.49 of the sampling rate is taken as that.
    public var frequency: Double
    /// -24 ... 24 dB; only peaks and shelves have one.
    public var gain: Double
    /// Centre frequency over bandwidth, 0.1 ... 30; 0.707 has no bump at a corner.
    public var quality: Double
    /// A band that is off passes everything.
    public var isEnabled: Bool

    public init(
        _ kind: Kind = .peak, frequency: Double, gain: Double = 0, quality: Double = 0.707, isEnabled: Bool = true
    ) {
        self.kind = kind
        self.frequency = frequency
        self.gain = gain
        self.quality = quality
        self.isEnabled = isEnabled
    }

    func validate() throws(AudioUnitError) {
        guard (10...96_000).contains(frequency) else {
            throw .outOfRange(setting: "band frequency", allowed: "10 to 96000 Hz")
        }
        guard (-24...24).contains(gain) else { throw .outOfRange(setting: "band gain", allowed: "-24 to 24 dB") }
        guard (0.1...30).contains(quality) else { throw .outOfRange(setting: "band quality", allowed: "0.1 to 30") }
    }
}
