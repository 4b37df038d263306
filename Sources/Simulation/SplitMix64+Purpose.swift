import Realtime

extension SplitMix64 {
    /// A generator whose numbers do not depend on how many are drawn from others of the same seed.
    init(seed: UInt64, purpose: UInt64) {
        var mixer = SplitMix64(seed: seed ^ (purpose &* 0xD1B5_4A32_D192_ED03))
        self.init(seed: mixer.next())
    }
}
