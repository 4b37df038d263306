import CRealtime

/// Wakes the one thread that waits for it: a futex.
///
/// Where nothing but this is waited for it costs both sides less than an `EventSignal`: no descriptor to poll and to read, and
/// no system call at all while the other thread is awake.
public final class Bell: Sendable {
    private nonisolated(unsafe) let word: UnsafeMutablePointer<UInt32>

    public init() {
        word = .allocate(capacity: 1)
        word.initialize(to: 0)
    }

    deinit { word.deallocate() }

    /// What a render thread rings; the bell outlives it.
    public var cord: BellCord { BellCord(word: word) }

    /// From any thread: has the waiting thread go on, or its next wait return at once. Several rings count as one.
    public func ring() { cord.ring() }

    /// Waits until it is rung: true; or until `deadline` of the monotonic host clock has passed, or a signal came: false.
    public func wait(until deadline: HostTime) -> Bool { crt_bell_wait(word, deadline.nanoseconds) }
}

/// The render thread's end of a `Bell`.
///
/// Sendable: the word is only changed by atomic operations.
public struct BellCord: BitwiseCopyable, @unchecked Sendable {
    fileprivate let word: UnsafeMutablePointer<UInt32>

    /// Never blocks.
    @_noLocks
    public func ring() { crt_bell_ring(word) }
}
