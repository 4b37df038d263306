import Realtime

/// A connection to a TURN server; none is used twice by one agent.
public struct TURNConnectionID: Hashable, Sendable {
    public let number: Int

    public init(number: Int) { self.number = number }
}

/// What a connection brought.
public enum TURNConnectionNews {
    /// Octets of the stream, in order; valid only during the call that hands them out.
    case octets(UnsafeRawBufferPointer)
    /// It could not be opened, or has ended: why. Nothing follows.
    case ended(String)
}

/// Streams to TURN servers, by TCP or TLS, at the edge below an `ICELink`. Nothing waits; confined to the link's thread.
public protocol TURNConnections: AnyObject {
    /// Begins to connect. What is sent meanwhile leaves once the connection stands.
    func open(_ id: TURNConnectionID, to server: TURNServer, now: HostTime)

    /// Sends octets, whole or not at all.
    /// - Returns: false: too much waits already, or there is no such connection; they are lost, as a datagram would be.
    @discardableResult
    func send(_ octets: UnsafeRawBufferPointer, on id: TURNConnectionID) -> Bool

    /// Ends it, behind what was sent.
    func close(_ id: TURNConnectionID)

    /// Hands on what has come since the last time. Bounded, so that a flood does not keep the caller.
    func receive(now: HostTime, _ deliver: (TURNConnectionID, TURNConnectionNews) -> Void)
}
