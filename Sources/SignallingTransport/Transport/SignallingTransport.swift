import NIOCore
import NIOPosix
import Realtime
import SIP

/// The sockets of signalling: UDP, TCP and TLS on one event loop, for an agent that has no sockets of its own.
///
/// Events come on the event loop's thread, one after the other. Each function may be called from any thread; called
/// from within the handler it takes effect at once, in order. An actor that takes `unownedExecutor` for its own runs on
/// that thread too, so that an agent and its sockets need no hop between threads.
public final class SignallingTransport: Sendable {
    /// What is bound, with real ports.
    public let listeners: [TransportConfiguration.Listener]
    private let group: MultiThreadedEventLoopGroup
    private let loop: any EventLoop
    private let core: NIOLoopBound<TransportCore>

    /// Binds the listeners. On an error nothing stays bound.
    public init(
        configuration: TransportConfiguration, handler: @escaping @Sendable (SignallingEvent) -> Void
    ) throws(SignallingFailure) {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        do {
            core = try loop.submit {
                NIOLoopBound(TransportCore(configuration, loop: loop, handler: handler), eventLoop: loop)
            }.wait()
            var bound: [TransportConfiguration.Listener] = []
            for listener in configuration.listeners {
                let bindingCore = self.core
                bound.append(try loop.flatSubmit { bindingCore.value.bind(listener) }.wait())
            }
            if configuration.watchesRoutes {
                let watchingCore = self.core
                try loop.submit { RouteWatch.start(watchingCore.value) }.wait()
            }
            listeners = bound
        } catch {
            group.shutdownGracefully { _ in }
            throw SignallingFailure(error)
        }
        self.group = group
        self.loop = loop
    }

    /// The event loop's, for actors that want to live on it. It lives as long as this object is not shut down.
    public var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    /// Sends a datagram, or bytes of a stream, which is found or opened. A failure comes as `SignallingEvent.failed`.
    public func send(_ bytes: [UInt8], to destination: SignallingDestination) {
        run { $0.send(bytes, to: destination) }
    }

    /// Opens a stream ahead of what will be sent over it, unless one is open.
    public func connect(to destination: SignallingDestination) { run { $0.connect(to: destination) } }

    /// Closes a stream. What the system has not taken of it yet is lost.
    public func close(_ connection: SignallingConnectionID) { run { $0.close(connection) } }

    /// Closes every stream from an address that this machine has no longer, where another one leads to its peer: nobody would
    /// tell that it is dead for half a minute.
    package func closeStranded() { run { $0.closeStranded() } }

    /// Lets what is sent to `address` use an inbound stream: its peer has asked for that with `alias`, and is who it
    /// says (RFC 5923). Without it, requests to a peer go over streams that this side opened.
    public func alias(_ connection: SignallingConnectionID, to address: SignallingAddress) {
        run { $0.alias(connection, to: address) }
    }

    /// Carries out `action` on the event loop, after what was handed in before; never at once.
    public func perform(_ action: @escaping @Sendable () -> Void) { loop.execute(action) }

    /// Asks for `SignallingEvent.awake` at `deadline`; the last call counts. nil: none.
    public func wake(at deadline: HostTime?) { run { $0.wake(at: deadline) } }

    /// What Via and Contact say to a peer at `address`: the local address that leads there, with the port of this side's
    /// listener of that transport. Port 0: there is no such listener.
    public func localAddress(
        _ transport: SignallingProtocol, towards address: SignallingAddress
    ) throws(SignallingFailure) -> SignallingAddress {
        let local = try SignallingAddress.local(towards: address)
        let fitting = listeners.first { $0.transport == transport && $0.address.isV6 == local.isV6 }
        return SignallingAddress(host: local.host, port: fitting?.address.port ?? 0)
    }

    /// Closes everything. Nothing is told after it returns.
    public func shutdown() async {
        run { $0.stop() }
        try? await group.shutdownGracefully()
    }

    private func run(_ action: @escaping @Sendable (TransportCore) -> Void) {
        let core = self.core
        if loop.inEventLoop {
            action(core.value)
        } else {
            loop.execute { action(core.value) }
        }
    }
}
