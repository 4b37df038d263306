import Media
import Realtime
import Synchronization

/// What goes between the loop of a port and the rest of the program.
final class PortControl: Sendable {
    let events: Mailbox<PortEvent>
    private let latest = Lock(PortFigures())
    private let ending = Lock<EndReason?>(nil)

    init() throws(RealtimeError) { events = try Mailbox() }

    /// Asks the loop to end every call for `reason`, and itself.
    func end(_ reason: EndReason) { ending.withLock { if $0 == nil { $0 = reason } } }

    /// Why the loop is to end; `nil`: it is not.
    var endReason: EndReason? { ending.withLock { $0 } }

    var figures: PortFigures { latest.withLock { $0 } }

    func publish(_ figures: PortFigures) { latest.withLock { $0 = figures } }
}
