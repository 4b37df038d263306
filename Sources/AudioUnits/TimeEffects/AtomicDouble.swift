import Synchronization

/// A number that one thread sets and a render thread reads, for as long as either lives.
///
/// Sendable: the address is constant, and what lies there is an atomic.
final class AtomicDouble: @unchecked Sendable {
    let place: UnsafeMutablePointer<Atomic<UInt64>>

    init(_ value: Double) {
        place = .allocate(capacity: 1)
        place.initialize(to: Atomic(value.bitPattern))
    }

    deinit {
        place.deinitialize(count: 1)
        place.deallocate()
    }

    var value: Double { Double(bitPattern: place.pointee.load(ordering: .relaxed)) }

    func store(_ value: Double) { place.pointee.store(value.bitPattern, ordering: .relaxed) }
}
