import Realtime

/// A SIP user agent without sockets, clocks or threads (docs/sip-room.md has the picture). Everything that happens is
/// handed in with the time at which it happened; everything that is to be done comes out of `takeOutputs`.
/// One owner calls it, from one thread or actor at a time.
public final class UserAgent {
    public let configuration: UserAgentConfiguration
    var outputs: [UserAgentOutput] = []
    var random: any RandomNumberGenerator
    let parser: MessageParser
    /// Mixed into the To tags of answers that keep no state.
    let tagSeed: UInt64

    var accounts: [AccountID: AccountState] = [:]
    var clients: [TransactionKey: Client] = [:]
    var servers: [TransactionKey: ServerTransaction] = [:]
    /// INVITEs being served, by what a merged request shares with them (RFC 3261 section 8.2.2.2).
    var merges: [String: TransactionKey] = [:]
    var resolutions: [ResolutionID: Exchange] = [:]
    var calls: [CallHandle: SIPCall] = [:]
    var dialogs: [DialogID: SIPCall] = [:]
    var framers: [SignallingConnectionID: StreamFramer] = [:]
    var load = SourceLoad()
    /// Servers that have refused TCP.
    var streamRefusals = PlaceMemory<SignallingAddress>()
    /// Hops that were waited for in vain while another one of the same server answered, and registrars that have no time.
    var fruitlessHops = PlaceMemory<SignallingDestination>()
    /// Streams with a message that has not ended, and until when that may be so.
    var unfinished: [SignallingConnectionID: (SignallingSource, HostTime)] = [:]
    var timers = TimerQueue<TimerOwner>()
    private var lastNumber: UInt64 = 0
    /// Set: no dialog begins any more. INVITE and OPTIONS outside of dialogs are answered 503, with the seconds after which they may
    /// come again (RFC 3261 section 20.33); what there is goes on.
    public var retryAfter: UInt32?
    /// Set: there is no place for another call at present. OPTIONS outside of dialogs are answered 503 with these seconds, so that who
    /// spreads calls asks another one; INVITE is still handed on, for whoever counts the places to judge.
    public var fullRetryAfter: UInt32?

    /// A request of ours in its transaction.
    struct Client {
        var transaction: ClientTransaction
        let exchange: Exchange
        /// Another address has answered the request.
        var isOutrun = false
    }

    enum TimerOwner: Hashable {
        case client(TransactionKey)
        case server(TransactionKey)
        case call(CallHandle)
        case account(AccountID)
        case stream(SignallingConnectionID)
        case flow(AccountID)
        case probe(AccountID)
        case messages(AccountID)
        case resolution(ResolutionID)
    }

    /// `random` makes tags, branches and client nonces: the system's generator in a program, a seeded one in tests.
    public init(configuration: UserAgentConfiguration, random: any RandomNumberGenerator = SystemRandomNumberGenerator()) {
        self.configuration = configuration
        var random = random
        tagSeed = random.next()
        self.random = random
        parser = MessageParser(limits: configuration.limits)
    }

    // MARK: What comes in

    /// A datagram came.
    public func receive(datagram bytes: [UInt8], from source: SignallingSource, now: HostTime) {
        handle(parser.parse(bytes), from: source, now: now)
    }

    /// A stream ended, or could not be opened, or a datagram could not be sent.
    public func transportFailed(_ destination: SignallingDestination, now: HostTime) {
        transportFailed(destination, reason: "the connection to the registrar has gone", now: now)
    }

    /// - Parameter reason: what a registration over this way is told to have failed of.
    func transportFailed(_ destination: SignallingDestination, reason: String, now: HostTime) {
        if let connection = destination.connection { forget(stream: connection) }
        let hit = clients.filter { $0.value.transaction.needs(destination) }
        for key in hit.keys.sorted(by: { $0.identity < $1.identity }) { drive(client: key, .transportError, now: now) }
        returnAcknowledgements(destination, now: now)
        flowFailed(destination, reason: reason, now: now)
    }

    /// The time has come for what `nextDeadline` announced. Harmless at any other time.
    public func advance(to now: HostTime) {
        while let owner = timers.takeDue(now) {
            switch owner {
            case .client(let key): drive(client: key, .time, now: now)
            case .server(let key): drive(server: key, .time, now: now)
            case .call(let handle): if let call = calls[handle] { fire(call, now: now) }
            case .account(let id): fire(account: id, now: now)
            case .stream(let connection): fire(stream: connection, now: now)
            case .flow(let id): fire(flow: id, now: now)
            case .probe(let id): fire(probe: id, now: now)
            case .messages(let id): fire(messages: id, now: now)
            case .resolution(let id): resolved(id, [], now: now)
            }
        }
    }

    /// When `advance` is to be called next; nil when nothing waits.
    public var nextDeadline: HostTime? { timers.next }

    /// Everything to be done, in order. Afterwards there is nothing until the next input.
    public func takeOutputs() -> [UserAgentOutput] {
        defer { outputs = [] }
        return outputs
    }

    /// How much is kept, for tests and figures.
    public var stateCount: Int {
        clients.count + servers.count + merges.count + resolutions.count + calls.count + dialogs.count + load.count
    }

    /// Whether a call is out of memory, asked at any later time; nil: there is no such call. For tests.
    package func isGone(_ handle: CallHandle) -> (() -> Bool)? {
        guard let call = calls[handle] else { return nil }
        return { [weak call] in call == nil }
    }

    /// A request of ours waits for its final response, or a BYE of ours for the ACK that it follows; probes, and SUBSCRIBEs of
    /// what is wanted, do not count.
    public var hasOpenRequests: Bool {
        if calls.values.contains(where: { $0.byeWhenAcknowledged != nil }) { return true }
        return (Array(resolutions.values) + clients.values.map(\.exchange)).contains { exchange in
            switch exchange.purpose {
            case .probe, .subscribe: false
            default: !exchange.isFinished
            }
        }
    }

    // MARK: Helpers of every part

    func emit(_ event: UserAgentEvent) { outputs.append(.event(event)) }

    func send(_ bytes: [UInt8], to destination: SignallingDestination) { outputs.append(.send(bytes, destination)) }

    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// At least 64 random bits in hexadecimal digits.
    func randomToken(words: Int = 1) -> String {
        (0..<words).map { _ in
            let digits = String(random.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }

    /// A share of `range`, at random.
    func randomShare(_ range: ClosedRange<Double>) -> Double {
        let unit = Double((random.next() as UInt64) >> 11) / Double(1 << 53)
        return range.lowerBound + unit * (range.upperBound - range.lowerBound)
    }

    func handle(_ outcome: ParseOutcome, from source: SignallingSource, now: HostTime) {
        switch outcome {
        case .keepAlive: break
        case .message(.request(let request)): receive(request.stamped(from: source), from: source, now: now)
        case .message(.response(let response)): receive(response, from: source, now: now)
        case .rejected(let problem, let answer):
            emit(.dropped(.unparsable(problem), source))
            if let answer { send(answer.stamped(from: source).bytes, to: source.destination(for: answer.headers)) }
        }
    }
}

extension SignallingSource {
    /// Back over the way it came.
    var destination: SignallingDestination {
        SignallingDestination(
            transport: transport, address: remote, connection: connection, local: transport == .udp ? local : nil)
    }

    /// Where a response goes: always the packet's own source address. The port is the source's when the client asked for
    /// that (RFC 3581), else that of its Via (RFC 3261 section 18.2.2).
    /// - Parameter rings: the response may be long in coming, and the caller's connection may be gone by then: it then goes to the port
    ///   of his Via by a new one.
    func destination(for headers: Headers, rings: Bool = false) -> SignallingDestination {
        if transport.isStream, rings, let via = headers.topVia {
            let place = SignallingAddress(host: remote.host, port: via.port ?? transport.defaultPort)
            return SignallingDestination(transport: transport, address: place, connection: connection)
        }
        guard transport == .udp, let via = headers.topVia, !via.parameters.contains("rport") else { return destination }
        let port = via.port ?? transport.defaultPort
        return SignallingDestination(
            transport: transport, address: SignallingAddress(host: remote.host, port: port), local: local)
    }
}

extension Headers {
    /// Notes in the top Via where the packet came from.
    mutating func stamp(_ source: SignallingSource) {
        var list = vias
        guard !list.isEmpty else { return }
        if list[0].parameters.contains("rport") {
            list[0].parameters.set("rport", String(source.remote.port))
            list[0].parameters.set("received", source.remote.host)
        } else if HostPort.bare(list[0].host) != source.remote.host {
            list[0].parameters.set("received", source.remote.host)
        } else {
            return
        }
        remove(.via)
        for via in list.reversed() { prepend(.via, via.text) }
    }
}

extension Request {
    func stamped(from source: SignallingSource) -> Request {
        var copy = self
        copy.headers.stamp(source)
        return copy
    }
}

extension Response {
    func stamped(from source: SignallingSource) -> Response {
        var copy = self
        copy.headers.stamp(source)
        return copy
    }
}
