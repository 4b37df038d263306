import Media
import Realtime
import Synchronization

/// What goes between the loop of a port and the rest of the program.
final class PortControl: Sendable {
    let events: Mailbox<PortEvent>
    private let latest: Lock<[PortFigures]>
    private let ending = Lock<EndReason?>(nil)

    /// Calls of all loops, and how many there have been.
    private let calls = Atomic<Int>(0)
    private let numbers = Atomic<Int>(0)

    init(loops: Int) throws(RealtimeError) {
        latest = Lock([PortFigures](repeating: PortFigures(), count: loops))
        events = try Mailbox()
    }

    /// A call comes, where no more than `limit` may be.
    /// - Returns: its number; `nil`: there are as many as may be.
    func enter(limit: Int) -> UInt64? {
        guard calls.wrappingAdd(1, ordering: .relaxed).newValue <= limit else {
            leave()
            return nil
        }
        return UInt64(numbers.wrappingAdd(1, ordering: .relaxed).oldValue)
    }

    /// A call goes.
    func leave() { calls.wrappingSubtract(1, ordering: .relaxed) }

    /// Calls of all loops.
    var callsNow: Int { calls.load(ordering: .relaxed) }

    /// Asks the loop to end every call for `reason`, and itself.
    func end(_ reason: EndReason) { ending.withLock { if $0 == nil { $0 = reason } } }

    /// Why the loop is to end; `nil`: it is not.
    var endReason: EndReason? { ending.withLock { $0 } }

    var figures: PortFigures { latest.withLock { PortFigures(ofAll: $0) } }

    func publish(_ figures: PortFigures, of loop: Int) { latest.withLock { $0[loop] = figures } }
}
