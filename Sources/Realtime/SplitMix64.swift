/// A small seeded generator (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014): the same numbers for the
/// same seed on every machine, so that what is random repeats exactly. Not for secrets.
@frozen
public struct SplitMix64: RandomNumberGenerator, BitwiseCopyable, Sendable {
    @usableFromInline
    var state: UInt64

    @inlinable
    public init(seed: UInt64) { state = seed }

    /// 64 random bits; safe on a render thread.
    @inlinable
    @_noLocks
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// Uniform in 0 ..< 1 with 53 random bits.
    @inlinable
    @_noLocks
    public mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
