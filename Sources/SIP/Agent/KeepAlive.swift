import Realtime

/// When a registration's way to the registrar is kept open, and when it counts as dead (RFC 5626 sections 4.4 and 5.4).
///
/// A NAT or firewall forgets a way that is silent, and calls then come to nothing without anybody noticing. On a stream a ping
/// (CR LF CR LF) is answered by a pong (CR LF), which also shows a connection that is dead without having been closed. By UDP the
/// same four octets keep the NAT's mapping, but nobody answers them: a STUN Binding request is answered, and tells whether the
/// mapping is still the same. Registrars that know no STUN drop it, so that it is tried once beside the four octets, and stays
/// where it was answered or promised.
struct KeepAlive {
    /// What goes out to keep the way open.
    struct Ping {
        var lineEnds = false
        var binding = false
    }

    let transport: SignallingProtocol
    /// When the next ping is due.
    private(set) var next: HostTime?
    /// The answer to the last ping is due then; nil: none is awaited.
    private(set) var pongDue: HostTime?
    /// The registrar promised answers (Flow-Timer, `keep`), or has given one: a missing one is a fault from then on.
    private(set) var answersPings = false
    /// When the last ping went out; nil: none has.
    private var pingedAt: HostTime?
    /// By UDP: it was tried whether STUN is answered.
    private var hasTriedBinding = false
    /// By UDP: where the registrar sees us, by the last answer.
    private var mapped: SignallingAddress?
    /// Seconds between pings, before chance makes them a little shorter; 0: none.
    private let interval: Double

    /// How long an answer may take, in seconds (RFC 5626 section 4.4.1); who asks more often wants to know sooner.
    static let pongLimit = 10.0
    static let ping: [UInt8] = [13, 10, 13, 10]

    /// - Parameters:
    ///   - wanted: seconds between pings as the account asks for it; nil: what the RFC recommends.
    ///   - flowTimer: what the registrar's Flow-Timer or `keep` says, s; 0: that it answers, but not how often it wants to be asked.
    init(transport: SignallingProtocol, wanted: Double?, flowTimer: UInt32?) {
        self.transport = transport
        // RFC 5626 section 4.4.2: 24 to 29 s on UDP; section 4.4.1: up to 120 s on a stream, or what the registrar says.
        let longest = transport == .udp ? 29.0 : 120
        let asked = flowTimer.flatMap { $0 > 0 ? Double(min(max($0, 10), 900)) : nil }
        interval = wanted ?? (transport == .udp ? min(longest, asked ?? longest) : asked ?? longest)
        answersPings = flowTimer != nil
    }

    /// What is due first.
    var deadline: HostTime? { [next, pongDue].compactMap(\.self).min() }

    /// Chooses when the next ping goes out: at 80 to 100 % of the interval, so that a crowd of clients spreads.
    mutating func plan(after now: HostTime, share: Double) {
        next = interval > 0 ? now.advanced(byMilliseconds: 1000 * max(1, interval * share)) : nil
    }

    /// A ping goes out: what it is.
    mutating func pinged(at now: HostTime) -> Ping {
        pingedAt = now
        if answersPings, pongDue == nil {
            pongDue = now.advanced(byMilliseconds: 1000 * min(Self.pongLimit, max(2, interval)))
        }
        guard transport == .udp else { return Ping(lineEnds: true) }
        if answersPings { return Ping(binding: true) }
        defer { hasTriedBinding = true }
        return Ping(lineEnds: true, binding: !hasTriedBinding)
    }

    /// A line end came over a stream: an answer where a ping has just gone out, else what an untidy sender has left behind.
    mutating func ponged(at now: HostTime) {
        if let pingedAt, now.milliseconds(since: pingedAt) <= 1000 * Self.pongLimit { ponged() }
    }

    /// An answer came.
    private mutating func ponged() {
        answersPings = true
        pongDue = nil
    }

    /// An answer by STUN came, which tells where the registrar sees us.
    /// - Returns: whether that has changed: calls go to the old place.
    mutating func ponged(mapped address: SignallingAddress) -> Bool {
        ponged()
        defer { mapped = address }
        return mapped.map { $0 != address } ?? false
    }

    /// Goes on with what an earlier registration over the same way has learned.
    mutating func learn(from earlier: KeepAlive) {
        answersPings = answersPings || earlier.answersPings
        (pongDue, pingedAt) = (earlier.pongDue, earlier.pingedAt)
        hasTriedBinding = earlier.hasTriedBinding
        mapped = earlier.mapped
    }
}

extension UserAgent {
    /// Begins to keep an account's way to its registrar open, or goes on with it.
    func keepAlive(_ id: AccountID, flowTimer: UInt32?, isSameFlow: Bool, now: HostTime) {
        guard let state = accounts[id], let flow = state.flow else { return }
        var keepAlive = KeepAlive(transport: flow.transport, wanted: state.account.keepAlive, flowTimer: flowTimer)
        if isSameFlow, let earlier = state.keepAlive { keepAlive.learn(from: earlier) }
        keepAlive.plan(after: now, share: randomShare(0.8...1))
        accounts[id]?.keepAlive = keepAlive
        timers.schedule(.flow(id), at: keepAlive.deadline)
    }

    func fire(flow id: AccountID, now: HostTime) {
        guard let state = accounts[id], state.isWanted, state.registration == .registered, let flow = state.flow,
            var keepAlive = state.keepAlive
        else { return }
        if let due = keepAlive.pongDue, due <= now {
            return loseFlow(id, now: now)
        }
        if let next = keepAlive.next, next <= now {
            let ping = keepAlive.pinged(at: now)
            if ping.lineEnds { send(KeepAlive.ping, to: flow) }
            if ping.binding { outputs.append(.askBinding(flow.address)) }
            keepAlive.plan(after: now, share: randomShare(0.8...1))
            accounts[id]?.keepAlive = keepAlive
        }
        timers.schedule(.flow(id), at: keepAlive.deadline)
    }

    /// The way to the registrar is dead, though nobody has closed it (RFC 5626 section 4.2.1): it is made anew.
    func loseFlow(_ id: AccountID, now: HostTime) {
        guard let flow = accounts[id]?.flow else { return }
        closeFlow(id)
        // Requests that wait on this stream wait in vain.
        if flow.transport.isStream {
            transportFailed(flow, reason: "the registrar no longer answers on its connection", now: now)
        } else {
            flowFailed(flow, reason: "the registrar no longer answers", now: now)
        }
    }

    /// Closes the stream that an account's calls would come over.
    func closeFlow(_ id: AccountID) {
        guard let state = accounts[id] else { return }
        accounts[id]?.keepAlive = nil
        accounts[id]?.flowConnection = nil
        guard state.flow?.transport.isStream == true, let connection = state.flowConnection else { return }
        forget(stream: connection)
        outputs.append(.close(connection))
    }

    /// Something came over a stream: if from a registrar, that is the one its registration uses.
    func noteFlow(_ source: SignallingSource, now: HostTime) {
        for (id, state) in accounts
        where state.flow?.transport == source.transport && state.flow?.address == source.remote {
            // The same server may have another stream, for another name: that is not the registration's.
            if let own = state.flowConnection, own != source.connection, framers[own] != nil { continue }
            accounts[id]?.flowConnection = source.connection
            accounts[id]?.flowHeard = now
        }
    }

    /// The answer to `askBinding`: `address` sees what we send come from `mapped` (RFC 5626 section 4.4.2).
    public func bindingAnswered(by address: SignallingAddress, mapped: SignallingAddress, now: HostTime) {
        for (id, state) in accounts.sorted(by: { $0.key.name < $1.key.name })
        where state.flow?.transport == .udp && state.flow?.address == address {
            guard accounts[id]?.keepAlive?.ponged(mapped: mapped) == true else { continue }
            // A NAT has forgotten us and made a new mapping.
            accounts[id]?.startAnew()
            registerAnew(id, now: now)
        }
    }

    /// A pong came over a stream.
    func ponged(from source: SignallingSource, now: HostTime) {
        for (id, state) in accounts
        where state.flow?.transport == source.transport && state.flow?.address == source.remote
            && (state.flowConnection == nil || state.flowConnection == source.connection)
        {
            accounts[id]?.keepAlive?.ponged(at: now)
        }
    }
}
