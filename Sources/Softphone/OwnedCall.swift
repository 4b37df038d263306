import Realtime
import Reporting

/// A call as one thread at a time sees it: what `RunningCall` makes a `LiveCall` of. Raw calls, calls by SIP and calls with browsers
/// are its kinds.
protocol OwnedCall: CallControl {
    /// Readable while events wait. They may be others after each call of a function here.
    var eventDescriptors: [Int32] { get }
    /// When `takeEvents` is to be called though nothing has come; nil: then only.
    var nextDeadline: HostTime? { get }
    /// Whether a file, a tone or the like is under way, which tells nothing by itself: `takeEvents` is called twice a second then.
    var isLookedAfter: Bool { get }
    /// Takes the events that wait, each with the number of its party; one party's oldest first.
    func takeEvents() -> [(party: Int, body: EventBody)]
}

extension OwnedCall {
    var nextDeadline: HostTime? { nil }
    var isLookedAfter: Bool { true }
}
