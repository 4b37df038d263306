import Glibc
import Synchronization

/// The two ends of a single-producer single-consumer ring without locks.
///
/// The memory is mapped twice in a row (mirrored), so that whatever is free and whatever is filled is one contiguous
/// region. Each end is noncopyable: that there is one producer and one consumer is a rule the compiler keeps.
///
/// Memory ordering: an end publishes its own index with a releasing store after it has touched the samples, and reads
/// the other's with an acquiring load before it touches them. It keeps the other's index in a plain cache and looks
/// again only when the cache does not suffice, so an uncontended turn costs no shared cache line.
@frozen
public struct RingEnds<Element: BitwiseCopyable>: ~Copyable {
    public let producer: RingProducer<Element>
    public let consumer: RingConsumer<Element>

    /// - Parameters:
    ///   - minimumCapacity: elements it must hold; rounded up to a power of two.
    ///   - mirrored: false gives plain memory (regions end at the wrap), for race detectors, which cannot see that two
    ///     addresses are the same memory.
    /// - Throws: `RealtimeError.noMemory` when the system refuses, or when it would be more than 1 GiB.
    public init(minimumCapacity: Int, mirrored: Bool = true) throws(RealtimeError) {
        let stride = MemoryLayout<Element>.stride
        precondition(stride.nonzeroBitCount == 1, "ring elements need a power-of-two stride, not \(stride)")
        let least = mirrored ? max(minimumCapacity, RingMemory.pageBytes / stride) : max(minimumCapacity, 1)
        // Mapping populates the pages: a mistaken size must not bring the machine down.
        guard least <= RingMemory.mostBytes / stride else { throw .noMemory(bytes: Int.max, errno: ENOMEM) }
        var capacity = 1
        while capacity < least { capacity <<= 1 }
        let memory = try RingMemory(bytes: capacity * stride, mirrored: mirrored)
        producer = RingProducer(memory: memory, capacity: UInt(capacity))
        consumer = RingConsumer(memory: memory, capacity: UInt(capacity))
    }
}

/// The writing end of a ring; one thread's.
///
/// Sendable: the end cannot be copied, so one thread has it; the other end sees an element only after an atomic commit.
@frozen
public struct RingProducer<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let memory: RingMemory
    @usableFromInline let header: UnsafeMutablePointer<RingHeader>
    @usableFromInline let base: UnsafeMutablePointer<Element>
    /// Elements the ring holds, a power of two.
    public let capacity: UInt
    @usableFromInline let wrapsAt: UInt
    @usableFromInline var head: UInt = 0
    @usableFromInline var seenTail: UInt = 0

    @usableFromInline
    init(memory: RingMemory, capacity: UInt) {
        self.memory = memory
        header = memory.header
        base = memory.base.bindMemory(to: Element.self, capacity: Int(capacity))
        self.capacity = capacity
        wrapsAt = memory.isMirrored ? 2 &* capacity : capacity
    }

    /// Elements that can be written now; looks at the other end only if fewer than `wanted` are known to be free.
    @inlinable @inline(__always)
    public mutating func room(wanted: Int) -> Int {
        // Signed: a commit of more than the cache knew of makes it look again.
        if Int(bitPattern: capacity &- (head &- seenTail)) < wanted {
            seenTail = header.pointee.tail.load(ordering: .acquiring)
        }
        return Int(bitPattern: capacity &- (head &- seenTail))
    }

    /// The free region that follows; on an unmirrored ring only its part before the wrap.
    public var free: MutableSpan<Element> {
        @inlinable @inline(__always) @_lifetime(&self)
        mutating get {
            let free = room(wanted: Int(bitPattern: capacity))
            let start = head & (capacity &- 1)
            let straight = Int(bitPattern: wrapsAt &- start)
            let span = unsafe MutableSpan(
                _unsafeStart: base + Int(bitPattern: start), count: free < straight ? free : straight)
            return unsafe _overrideLifetime(span, mutating: &self)
        }
    }

    /// Hands the next `count` elements to the consumer; they were written into `free` before, and fit.
    @inlinable @inline(__always)
    public mutating func commit(_ count: Int) {
        head &+= UInt(bitPattern: count)
        header.pointee.head.store(head, ordering: .releasing)
    }

    /// Copies as many of `count` elements as fit.
    /// - Returns: how many were taken.
    @inlinable @inline(__always)
    public mutating func write(_ source: UnsafePointer<Element>, count: Int) -> Int {
        let room = room(wanted: count)
        let taken = count < room ? count : room
        let start = head & (capacity &- 1)
        let straight = Int(bitPattern: wrapsAt &- start)
        let stride = MemoryLayout<Element>.stride
        let first = taken < straight ? taken : straight
        UnsafeMutableRawPointer(base + Int(bitPattern: start)).copyMemory(from: source, byteCount: first &* stride)
        if taken > first {
            UnsafeMutableRawPointer(base).copyMemory(from: source + first, byteCount: (taken &- first) &* stride)
        }
        commit(taken)
        return taken
    }

    /// Elements written and not yet read.
    @inlinable @inline(__always)
    public mutating func filled() -> Int { Int(bitPattern: capacity) &- room(wanted: Int(bitPattern: capacity)) }
}

/// The reading end of a ring; one thread's.
///
/// Sendable: the end cannot be copied, so one thread has it; the other end reuses an element only after an atomic release.
@frozen
public struct RingConsumer<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let memory: RingMemory
    @usableFromInline let header: UnsafeMutablePointer<RingHeader>
    @usableFromInline let base: UnsafeMutablePointer<Element>
    /// Elements the ring holds, a power of two.
    public let capacity: UInt
    @usableFromInline let wrapsAt: UInt
    @usableFromInline var tail: UInt = 0
    @usableFromInline var seenHead: UInt = 0

    @usableFromInline
    init(memory: RingMemory, capacity: UInt) {
        self.memory = memory
        header = memory.header
        base = memory.base.bindMemory(to: Element.self, capacity: Int(capacity))
        self.capacity = capacity
        wrapsAt = memory.isMirrored ? 2 &* capacity : capacity
    }

    /// Elements that can be read now; looks at the other end only if fewer than `wanted` are known to be there.
    @inlinable @inline(__always)
    public mutating func available(wanted: Int) -> Int {
        if Int(bitPattern: seenHead &- tail) < wanted {
            seenHead = header.pointee.head.load(ordering: .acquiring)
        }
        return Int(bitPattern: seenHead &- tail)
    }

    /// The filled region that follows; on an unmirrored ring only its part before the wrap.
    public var filled: Span<Element> {
        @inlinable @inline(__always) @_lifetime(&self)
        mutating get {
            let filled = available(wanted: Int(bitPattern: capacity))
            let start = tail & (capacity &- 1)
            let straight = Int(bitPattern: wrapsAt &- start)
            let span = unsafe Span(
                _unsafeStart: base + Int(bitPattern: start), count: filled < straight ? filled : straight)
            return unsafe _overrideLifetime(span, mutating: &self)
        }
    }

    /// Hands `body` the filled region that follows, as `filled` does; nothing is consumed.
    @inlinable @inline(__always)
    public mutating func withFilled<Result>(_ body: (UnsafeBufferPointer<Element>) -> Result) -> Result {
        let filled = available(wanted: Int(bitPattern: capacity))
        let start = tail & (capacity &- 1)
        let straight = Int(bitPattern: wrapsAt &- start)
        return body(
            UnsafeBufferPointer(start: base + Int(bitPattern: start), count: filled < straight ? filled : straight))
    }

    /// Whether every filled region is contiguous.
    public var isMirrored: Bool { wrapsAt > capacity }

    /// Gives `count` elements back to the producer; there must be that many.
    @inlinable @inline(__always)
    public mutating func consume(_ count: Int) {
        tail &+= UInt(bitPattern: count)
        header.pointee.tail.store(tail, ordering: .releasing)
    }

    /// Copies as many of `count` elements as there are.
    /// - Returns: how many were read.
    @inlinable @inline(__always)
    public mutating func read(into target: UnsafeMutablePointer<Element>, count: Int) -> Int {
        let waiting = available(wanted: count)
        let taken = count < waiting ? count : waiting
        let start = tail & (capacity &- 1)
        let straight = Int(bitPattern: wrapsAt &- start)
        let stride = MemoryLayout<Element>.stride
        let first = taken < straight ? taken : straight
        UnsafeMutableRawPointer(target).copyMemory(from: base + Int(bitPattern: start), byteCount: first &* stride)
        if taken > first {
            UnsafeMutableRawPointer(target + first).copyMemory(from: base, byteCount: (taken &- first) &* stride)
        }
        consume(taken)
        return taken
    }
}
