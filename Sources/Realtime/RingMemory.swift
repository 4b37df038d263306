import CRealtime
import Glibc
import Synchronization

/// The two indices of a ring, each on cache lines of its own so that the ends do not disturb each other.
@frozen @usableFromInline
struct RingHeader: ~Copyable {
    @usableFromInline let head = Atomic<UInt>(0)
    @usableFromInline let headPadding = InlineArray<15, UInt>(repeating: 0)
    @usableFromInline let tail = Atomic<UInt>(0)
    @usableFromInline let tailPadding = InlineArray<15, UInt>(repeating: 0)

    @usableFromInline init() {}
}

/// Owns a ring's memory until both of its ends are gone; never touched while they run.
@usableFromInline
final class RingMemory {
    @usableFromInline let header: UnsafeMutablePointer<RingHeader>
    @usableFromInline let base: UnsafeMutableRawPointer
    let bytes: Int
    @usableFromInline let isMirrored: Bool

    /// - Parameters:
    ///   - bytes: size; when mirrored a power-of-two number of pages.
    ///   - mirrored: maps the memory twice in a row, so that every region is contiguous.
    init(bytes: Int, mirrored: Bool) throws(RealtimeError) {
        if mirrored {
            guard let mapped = crt_mirror_map(bytes) else { throw .noMemory(bytes: bytes, errno: errno) }
            base = mapped
        } else {
            base = .allocate(byteCount: bytes, alignment: 128)
            base.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
        }
        header = .allocate(capacity: 1)
        header.initialize(to: RingHeader())
        self.bytes = bytes
        isMirrored = mirrored
    }

    deinit {
        if isMirrored { crt_mirror_unmap(base, bytes) } else { base.deallocate() }
        header.deinitialize(count: 1)
        header.deallocate()
    }

    /// The largest ring there may be: 1 GiB.
    static let mostBytes = 1 << 30

    /// Bytes of a page.
    static var pageBytes: Int { sysconf(Int32(_SC_PAGESIZE)) }
}
