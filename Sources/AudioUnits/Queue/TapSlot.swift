import Glibc
import Synchronization

/// The one place for a tap in a queue's kernel: put in and taken out while it renders.
///
/// Sendable: the render thread sees the atomics only; head and owner change under the queue's lock, or once the session is out
/// of it.
final class TapSlot: @unchecked Sendable {
    struct Head: BitwiseCopyable {
        let function: ProcessingTap.Function
        let context: UnsafeMutableRawPointer
        let isSiphon: Bool
        let isBefore: Bool
    }

    struct State: ~Copyable {
        /// Address of a `Head`, 0 for no tap.
        let current = Atomic<UInt>(0)
        let begun = Atomic<Int>(0)
        let ended = Atomic<Int>(0)

        /// The tap for the slice that begins; on the render thread, as `end`.
        @_noLocks
        func begin() -> UnsafePointer<Head>? {
            begun.wrappingAdd(1, ordering: .sequentiallyConsistent)
            return UnsafePointer(bitPattern: current.load(ordering: .sequentiallyConsistent))
        }

        @_noLocks
        func end() { ended.wrappingAdd(1, ordering: .sequentiallyConsistent) }
    }

    let state: UnsafeMutablePointer<State>
    private var head: UnsafeMutablePointer<Head>?
    private var owner: AnyObject?

    init() {
        state = .allocate(capacity: 1)
        state.initialize(to: State())
    }

    deinit {
        head?.deallocate()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Puts a tap into the empty slot; under the queue's lock, as `clear`.
    func put(_ tap: ProcessingTap) {
        let place = UnsafeMutablePointer<Head>.allocate(capacity: 1)
        place.initialize(
            to: Head(
                function: tap.function, context: tap.context, isSiphon: tap.mode == .siphon,
                isBefore: tap.place == .beforeEffects))
        head = place
        owner = tap.owner
        state.pointee.current.store(UInt(bitPattern: place), ordering: .sequentiallyConsistent)
    }

    /// Takes the tap out; when it returns the tap is not called any more. Waits for the slice at hand, if there is one.
    func clear() {
        guard head != nil else { return }
        state.pointee.current.store(0, ordering: .sequentiallyConsistent)
        let begun = state.pointee.begun.load(ordering: .sequentiallyConsistent)
        while state.pointee.ended.load(ordering: .sequentiallyConsistent) < begun { usleep(100) }
        head?.deallocate()
        head = nil
        owner = nil
    }
}
