import Signalling
import Synchronization

/// A call's end at the other side, as another call's other side may be connected with it (RFC 3891).
public struct TransferPlace: Sendable {
    let id: SignalledCallID
    /// Whom the other side calls.
    let target: String
    let mark: ConnectionMark
}

/// Whether a call's other side is being connected with another one's. The call that asks for it knows, in a thread of its own.
final class ConnectionMark: Sendable {
    private let value = Atomic<Bool>(false)

    var isSet: Bool {
        get { value.load(ordering: .relaxed) }
        set { value.store(newValue, ordering: .relaxed) }
    }
}
