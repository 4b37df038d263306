import CRealtime
import Synchronization

/// A value and the mutex that guards it: `Synchronization.Mutex`, which ThreadSanitizer can follow.
///
/// The standard library's mutex sleeps and wakes inside a library the sanitizer does not see into, so that two threads that
/// met at one looked like a race wherever they went through it. Here each says when it has the lock and when it lets go;
/// without the sanitizer both are empty calls. Never for render threads.
public struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    // What the sanitizer knows the lock by; the mutex itself may be moved before it is used.
    @usableFromInline nonisolated(unsafe) let name: UnsafeMutableRawPointer

    /// A lock that guards `initialValue`.
    public init(_ initialValue: consuming sending Value) {
        mutex = Mutex(initialValue)
        name = .allocate(byteCount: 1, alignment: 1)
    }

    deinit { name.deallocate() }

    /// Runs `body` with the value, alone. Not reentrant.
    @inlinable
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) in
            crt_lock_acquired(name)
            defer { crt_lock_released(name) }
            return try body(&value)
        }
    }
}
