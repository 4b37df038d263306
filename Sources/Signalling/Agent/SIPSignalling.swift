import Codecs
import Glibc
import Link
import Realtime
import SDP
import SIP
import SignallingTransport
import Synchronization

/// SIP as calls see it: the user agent, a negotiation for each call, sockets and name servers, all on the sockets' event
/// loop. Requests come in from any thread and are queued there; events go out on it.
public actor SIPSignalling: CallSignalling {
    public typealias Handler = @Sendable (CallSignallingEvent) -> Void

    /// What is bound, with real ports.
    public nonisolated let listeners: [SignallingConfiguration.Listener]
    nonisolated let configuration: SignallingConfiguration
    nonisolated let transport: SignallingTransport
    let agent: UserAgent
    let resolver: DNSResolver
    private let handler: Handler
    private let relay: Relay
    private nonisolated let lastNumber = Atomic<UInt64>(0)

    var calls: [SignalledCallID: SignalledCall] = [:]
    var handles: [CallHandle: SignalledCallID] = [:]
    /// Hops that were found for an offer's address, for the request that follows at once.
    var found: [SIPURI: [ServerHop]] = [:]
    /// Why the last way to somebody failed: told with the end of the calls that it took along.
    var failure: WayFailure?
    /// Those of the configuration, until it changes.
    var accounts: [AccountSettings]
    /// Accounts whose registration the person asked for.
    var registrations: Set<String> = []
    /// Accounts that are no longer wanted, by name.
    var leaving: [String: LeavingAccount] = [:]
    /// What accounts become once their registrations are taken back.
    var moving: [String: Account] = [:]
    /// Of the streams that are traced.
    var traceFramers: [SignallingConnectionID: StreamFramer] = [:]
    var noticeLimit = NoticeLimit()
    /// Texts whose answers are waited for.
    var sentMessages: [RequestID: SentMessageID] = [:]
    private var bindings = FlowBindings()
    /// The address of ours that led to each registered account's registrar; empty: none did.
    var localHosts: [AccountID: String] = [:]
    /// When the routes were looked at last.
    var routesLook: HostTime?
    private var isClosed = false

    enum WayFailure {
        case location(LocationFailure)
        case transport(SignallingFailure)
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { transport.unownedExecutor }

    /// Binds the sockets; nothing is registered yet. On an error nothing stays bound.
    /// - Parameter handler: takes the events, one after the other, on a thread of the signalling's own: it must not block.
    public init(_ configuration: SignallingConfiguration, handler: @escaping Handler) throws(SignallingStartError) {
        let accounts: [Account]
        do { accounts = try Self.accounts(configuration.accounts) } catch { throw .account(error) }
        let relay = Relay()
        do {
            transport = try bindTransport(configuration.transport) { event in relay.tell(event) }
        } catch {
            throw .transport(error)
        }
        self.configuration = configuration
        self.accounts = configuration.accounts
        self.handler = handler
        self.relay = relay
        listeners = transport.listeners.map(SignallingConfiguration.Listener.init)
        resolver = DNSResolver(servers: configuration.nameServers)
        var addresses: [SignallingProtocol: SignallingAddress] = [:]
        for listener in transport.listeners where addresses[listener.transport] == nil {
            addresses[listener.transport] = listener.address
        }
        var settings = UserAgentConfiguration(
            product: configuration.product, localAddresses: addresses, resolvesNumericHosts: true,
            user: configuration.user, ringingLimit: configuration.ringingLimit)
        let callers = configuration.callers
        let admits: @Sendable (SignallingSource) -> Bool = { callers.admits(try? IPAddress($0.remote.host)) }
        (settings.admitsCalls, settings.admitsTexts) = (admits, admits)
        let agent = UserAgent(configuration: settings)
        for account in accounts { agent.add(account) }
        self.agent = agent
        relay.target.withLock { $0 = self }
    }

    // MARK: Between threads

    /// Carries out `action` on the event loop, after everything that was asked for before.
    nonisolated func perform(_ action: @escaping @Sendable (isolated SIPSignalling) -> Void) {
        transport.perform { [self] in
            assumeIsolated { signalling in
                guard !signalling.isClosed else { return }
                action(signalling)
                signalling.carryOut()
            }
        }
    }

    nonisolated func nextID() -> SignalledCallID {
        SignalledCallID(number: lastNumber.add(1, ordering: .relaxed).newValue)
    }

    func tell(_ event: CallSignallingEvent) {
        if !isClosed { handler(event) }
    }

    // MARK: Sockets and time

    fileprivate func happened(_ event: SignallingEvent) {
        guard !isClosed else { return }
        let now = HostTime.monotonicNow()
        switch event {
        case .received(let bytes, let source) where source.connection == nil && FlowBindings.isSTUN(bytes):
            if let mapped = bindings.receive(bytes, from: source.remote) {
                agent.bindingAnswered(by: source.remote, mapped: mapped, now: now)
            }
        case .received(let bytes, let source):
            trace(received: bytes, from: source)
            if source.connection == nil {
                agent.receive(datagram: bytes, from: source, now: now)
            } else {
                agent.receive(stream: bytes, from: source, now: now)
            }
        case .opened(let connection):
            if !connection.isInbound { configuration.streamOpened?(OpenedStream(connection, now: Int64(time(nil)))) }
        case .routesChanged: routesChanged(now: now)
        case .warning(let text): tell(.warning(nil, text))
        case .failed(let destination, let failure): failed(destination, failure, now: now)
        case .closed(let connection, let failure):
            traceFramers[connection.id] = nil
            failed(connection.destination, failure, now: now)
        case .awake:
            agent.advance(to: now)
            bindings.advance(to: now)
        }
        carryOut()
    }

    private func failed(_ destination: SignallingDestination, _ failure: SignallingFailure, now: HostTime) {
        self.failure = .transport(failure)
        agent.transportFailed(destination, now: now)
        carryOut()
        self.failure = nil
    }

    /// Does what the user agent wants done, until it wants nothing more.
    func carryOut() {
        while true {
            let outputs = agent.takeOutputs()
            if outputs.isEmpty { break }
            for output in outputs {
                switch output {
                case .send(let bytes, let destination):
                    trace(sent: bytes, to: destination)
                    transport.send(bytes, to: destination)
                case .askBinding(let server): bindings.ask(server, now: .monotonicNow())
                case .close(let connection): transport.close(connection)
                case .resolve(let id, let uri): resolve(id, uri)
                case .event(let event): happened(event)
                }
            }
        }
        for (octets, server) in bindings.takeOutputs() {
            transport.send(octets, to: SignallingDestination(transport: .udp, address: server))
        }
        transport.wake(at: [agent.nextDeadline, bindings.nextDeadline].compactMap(\.self).min())
    }

    // MARK: The end

    public func shutdown(within seconds: Double) async {
        for call in Array(calls.keys) { end(call) }
        for account in registrations.sorted() { takeBack(account) }
        carryOut()
        await waitForAnswers(seconds: seconds)
        // Who has not acknowledged our answer until now hears that we go all the same; its address may have to be looked up.
        if agent.hangUpUnacknowledged(now: .monotonicNow()) {
            carryOut()
            await waitForAnswers(seconds: 0.25)
        }
        isClosed = true
        relay.target.withLock { $0 = nil }
        await transport.shutdown()
    }

    /// - Parameter seconds: at most.
    private func waitForAnswers(seconds: Double) async {
        let limit = HostTime.monotonicNow().advanced(byMilliseconds: 1000 * seconds)
        while HostTime.monotonicNow() < limit, agent.hasOpenRequests {
            try? await Task.sleep(nanoseconds: 5_000_000)
        }
    }
}

/// What keeps signalling from starting.
public enum SignallingStartError: Error, Sendable, CustomStringConvertible {
    case account(AccountSettingsError)
    /// A socket could not be bound, or a file of certificates not be used.
    case transport(SignallingFailure)

    public var description: String {
        switch self {
        case .account(let error): "\(error)"
        case .transport(let error): "\(error)"
        }
    }
}

/// Hands the sockets' events on as soon as there is somebody to take them.
private final class Relay: Sendable {
    let target = Mutex<SIPSignalling?>(nil)

    func tell(_ event: SignallingEvent) {
        guard let signalling = target.withLock({ $0 }) else { return }
        signalling.assumeIsolated { $0.happened(event) }
    }
}

/// Binds all listeners. Those with port 0 get one port together, below the range that the system hands out to everybody
/// (TLS the next one); a family that this machine does not have is left out.
private func bindTransport(
    _ configuration: TransportConfiguration, handler: @escaping @Sendable (SignallingEvent) -> Void
) throws(SignallingFailure) -> SignallingTransport {
    var configuration = configuration
    let lacksV6 = (try? SignallingAddress.local(towards: SignallingAddress(host: "::1", port: 9))) == nil
    if lacksV6, configuration.listeners.contains(where: { !$0.address.isV6 }) {
        configuration.listeners.removeAll { $0.address.isV6 }
    }
    guard configuration.listeners.contains(where: { $0.address.port == 0 }) else {
        return try SignallingTransport(configuration: configuration, handler: handler)
    }
    var lastFailure = SignallingFailure.system("no port is free")
    for _ in 0..<32 {
        var attempt = configuration
        let port = UInt16.random(in: 5_000..<16_000) * 2
        for index in attempt.listeners.indices where attempt.listeners[index].address.port == 0 {
            let listener = attempt.listeners[index]
            attempt.listeners[index].address = SignallingAddress(
                host: listener.address.host, port: listener.transport == .tls ? port + 1 : port)
        }
        do throws(SignallingFailure) {
            return try SignallingTransport(configuration: attempt, handler: handler)
        } catch {
            lastFailure = error
        }
    }
    throw lastFailure
}

extension SignallingConfiguration.Listener {
    fileprivate init(_ listener: TransportConfiguration.Listener) {
        let way: Way =
            switch listener.transport {
            case .udp: .udp
            case .tcp: .tcp
            case .tls: .tls
            }
        self.init(way, address: listener.address.host, port: listener.address.port)
    }
}
