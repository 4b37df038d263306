import Realtime
import SIP

/// What the transport tells its owner, in order, on its event loop.
public enum SignallingEvent: Sendable {
    /// A datagram, or the next bytes of a stream as they came: framing is the owner's.
    case received([UInt8], SignallingSource)
    /// A stream is open: accepted, or opened because of a `send`.
    case opened(SignallingConnection)
    /// A stream could not be opened, or bytes could not be sent. What waited for it is lost.
    case failed(SignallingDestination, SignallingFailure)
    /// A stream that was open has ended.
    case closed(SignallingConnection, SignallingFailure)
    /// Addresses or routes of this machine have changed (`TransportConfiguration.watchesRoutes`).
    case routesChanged
    /// Something a person should know and can do something about: files of a certificate that changed and cannot be used.
    case warning(String)
    /// The time asked for with `wake(at:)` has come.
    case awake(HostTime)
}
