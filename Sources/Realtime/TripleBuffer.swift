import Synchronization

/// Hands the latest value of something from one thread to another without a lock; values in between are skipped.
///
/// Three slots: one the writer fills, one the reader looks at, and the latest whole value in between. Publishing and
/// looking each exchange their slot with the middle one. Parameters reach the render thread so, and snapshots leave it.
@frozen
public struct TripleBuffer<Value: BitwiseCopyable>: ~Copyable {
    public let writer: TripleBufferWriter<Value>
    public let reader: TripleBufferReader<Value>

    /// - Parameter initial: what the reader sees before the first value is published.
    public init(initial: Value) {
        let memory = TripleBufferMemory(initial)
        writer = TripleBufferWriter(memory: memory)
        reader = TripleBufferReader(memory: memory)
    }
}

/// Owns the slots until both ends are gone; never touched while they run.
@usableFromInline
final class TripleBufferMemory<Value: BitwiseCopyable> {
    @usableFromInline let middle: UnsafeMutablePointer<Atomic<UInt8>>
    @usableFromInline let slots: UnsafeMutablePointer<Value>

    init(_ initial: Value) {
        middle = .allocate(capacity: 1)
        middle.initialize(to: Atomic(1))
        slots = .allocate(capacity: 3)
        slots.initialize(repeating: initial, count: 3)
    }

    deinit {
        middle.deinitialize(count: 1)
        middle.deallocate()
        slots.deallocate()
    }
}

/// The publishing end; one thread's.
///
/// Sendable: the end cannot be copied, so one thread has it; it shares slots with the other end by atomic exchange alone.
@frozen
public struct TripleBufferWriter<Value: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let memory: TripleBufferMemory<Value>
    @usableFromInline let middle: UnsafeMutablePointer<Atomic<UInt8>>
    @usableFromInline let slots: UnsafeMutablePointer<Value>
    @usableFromInline var own: UInt8 = 0

    @usableFromInline
    init(memory: TripleBufferMemory<Value>) {
        self.memory = memory
        middle = memory.middle
        slots = memory.slots
    }

    /// Makes `value` the latest.
    @inlinable @inline(__always)
    public mutating func publish(_ value: Value) {
        slots[Int(own)] = value
        own = middle.pointee.exchange(own | 4, ordering: .acquiringAndReleasing) & 3
    }
}

/// The looking end; one thread's.
///
/// Sendable: the end cannot be copied, so one thread has it; it shares slots with the other end by atomic exchange alone.
@frozen
public struct TripleBufferReader<Value: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let memory: TripleBufferMemory<Value>
    @usableFromInline let middle: UnsafeMutablePointer<Atomic<UInt8>>
    @usableFromInline let slots: UnsafeMutablePointer<Value>
    @usableFromInline var own: UInt8 = 2

    @usableFromInline
    init(memory: TripleBufferMemory<Value>) {
        self.memory = memory
        middle = memory.middle
        slots = memory.slots
    }

    /// The latest value that was published, or the initial one.
    @inlinable @inline(__always)
    public mutating func latest() -> Value {
        if middle.pointee.load(ordering: .relaxed) & 4 != 0 {
            own = middle.pointee.exchange(own, ordering: .acquiringAndReleasing) & 3
        }
        return slots[Int(own)]
    }
}
