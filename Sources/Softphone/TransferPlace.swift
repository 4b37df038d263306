import Signalling

/// A call's end at the other side, as another call's other side may be connected with it (RFC 3891).
public struct TransferPlace: Sendable {
    let id: SignalledCallID
    /// Whom the other side calls.
    let target: String
}
