import Glibc

/// Speed and pitch shift as an application sets them and a render thread reads them: of `TimePitch`, and of a queue's effect.
struct SpeedAndPitch: Sendable {
    /// Seconds of the source that a second plays.
    let rate = AtomicDouble(1)
    /// Shift in cents, and 2 to its octaves.
    let shift = AtomicDouble(0)
    let factor = AtomicDouble(1)

    static let rates = 0.25...4.0
    static let pitches = -2400.0...2400.0

    func setRate(_ rate: Double) throws(AudioUnitError) {
        guard Self.rates.contains(rate) else { throw .outOfRange(setting: "rate", allowed: "0.25 to 4") }
        self.rate.store(rate)
    }

    func setPitch(_ cents: Double) throws(AudioUnitError) {
        guard Self.pitches.contains(cents) else { throw .outOfRange(setting: "pitch", allowed: "-2400 to 2400 cents") }
        shift.store(cents)
        factor.store(exp2(cents / 1200))
    }
}
