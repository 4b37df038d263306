import Synchronization

/// Two Float32 in one atomic word, left and right: both change together.
struct GainPair: ~Copyable {
    private let bits: Atomic<UInt64>

    init(left: Float, right: Float) { bits = Atomic(Self.word(left, right)) }

    private static func word(_ left: Float, _ right: Float) -> UInt64 {
        UInt64(left.bitPattern) << 32 | UInt64(right.bitPattern)
    }

    func store(left: Float, right: Float) { bits.store(Self.word(left, right), ordering: .relaxed) }

    @_noLocks @inline(__always)
    func load() -> (left: Float, right: Float) {
        let word = bits.load(ordering: .relaxed)
        return (
            Float(bitPattern: UInt32(truncatingIfNeeded: word >> 32)), Float(bitPattern: UInt32(truncatingIfNeeded: word))
        )
    }
}

/// What the application sets on a mixer and what it reads back; atomics, read by the render thread as it goes.
///
/// Sendable: the addresses are constant, and what lies there are atomics.
final class MixerParameters: @unchecked Sendable {
    /// One input, or the output.
    struct Channel: ~Copyable {
        /// Volume alone, for a mono output.
        let volume = GainPair(left: 1, right: 1)
        /// Volume and pan of a mono source.
        let mono = GainPair(left: Float(0.5).squareRoot(), right: Float(0.5).squareRoot())
        /// Volume and balance of a stereo source.
        let stereo = GainPair(left: 1, right: 1)
        let isEnabled = Atomic<Bool>(true)
        let left = LevelReading()
        let right = LevelReading()

        /// The gains for a source and an output with so many channels.
        @_noLocks
        func gains(sourceChannels: Int, outputChannels: Int) -> (left: Float, right: Float) {
            if !isEnabled.load(ordering: .relaxed) { return (0, 0) }
            if outputChannels == 1 { return volume.load() }
            return sourceChannels > 1 ? stereo.load() : mono.load()
        }
    }

    let inputs: UnsafeMutablePointer<Channel>
    let count: Int
    let output: UnsafeMutablePointer<Channel>
    let metering: UnsafeMutablePointer<Atomic<Bool>>

    init(inputs count: Int) {
        self.count = count
        inputs = .allocate(capacity: count)
        for index in 0..<count { (inputs + index).initialize(to: Channel()) }
        output = .allocate(capacity: 1)
        output.initialize(to: Channel())
        metering = .allocate(capacity: 1)
        metering.initialize(to: Atomic(false))
    }

    deinit {
        inputs.deinitialize(count: count)
        inputs.deallocate()
        output.deinitialize(count: 1)
        output.deallocate()
        metering.deinitialize(count: 1)
        metering.deallocate()
    }
}
