import Realtime

/// When a registration's way to the registrar is kept open, and when it counts as dead (RFC 5626 sections 4.4 and 5.4).
///
/// A NAT or firewall forgets a way that is silent, and calls then come to nothing without anybody noticing. On a stream a ping
/// (CR LF CR LF) is answered by a pong (CR LF), which also shows a connection that is dead without having been closed. On UDP the
/// same four octets keep the NAT's mapping; nobody answers them.
struct KeepAlive {
    /// When the next ping is due.
    private(set) var next: HostTime?
    /// The pong to the last ping is due then; nil: none is awaited.
    private(set) var pongDue: HostTime?
    /// The registrar promised pongs (Flow-Timer), or has sent one: a missing one is a fault from then on.
    private(set) var answersPings = false
    /// Seconds between pings, before chance makes them a little shorter; 0: none.
    private let interval: Double

    /// How long a pong may take, in seconds (RFC 5626 section 4.4.1).
    static let pongLimit = 10.0
    static let ping: [UInt8] = [13, 10, 13, 10]

    /// - `wanted`: seconds between pings as the account asks for it; nil: what the RFC recommends.
    /// - `flowTimer`: what the registrar's Flow-Timer says, s.
    init(transport: SignallingProtocol, wanted: Double?, flowTimer: UInt32?) {
        // RFC 5626 section 4.4.2: 24 to 29 s on UDP; section 4.4.1: up to 120 s on a stream, or what the registrar says.
        let usual = transport == .udp ? 29 : flowTimer.map { Double(min(max($0, 10), 900)) } ?? 120
        interval = wanted ?? usual
        answersPings = transport.isStream && flowTimer != nil
    }

    /// What is due first.
    var deadline: HostTime? { [next, pongDue].compactMap(\.self).min() }

    /// Chooses when the next ping goes out: at 80 to 100 % of the interval, so that a crowd of clients spreads.
    mutating func plan(after now: HostTime, share: Double) {
        next = interval > 0 ? now.advanced(byMilliseconds: 1000 * max(1, interval * share)) : nil
    }

    /// A ping went out over a stream or by UDP.
    mutating func pinged(at now: HostTime) {
        if answersPings, pongDue == nil { pongDue = now.advanced(byMilliseconds: 1000 * Self.pongLimit) }
    }

    /// A pong came.
    mutating func ponged() {
        answersPings = true
        pongDue = nil
    }

    /// Goes on with what an earlier registration over the same way has learned.
    mutating func learn(from earlier: KeepAlive) {
        answersPings = answersPings || earlier.answersPings
        pongDue = earlier.pongDue
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
            accounts[id]?.keepAlive = nil
            accounts[id]?.flowConnection = nil
            if let connection = state.flowConnection {
                framers[connection] = nil
                outputs.append(.close(connection))
            }
            // Requests that wait on this stream wait in vain.
            return transportFailed(flow, reason: "the registrar no longer answers on its connection", now: now)
        }
        if let next = keepAlive.next, next <= now {
            send(KeepAlive.ping, to: flow)
            keepAlive.pinged(at: now)
            keepAlive.plan(after: now, share: randomShare(0.8...1))
            accounts[id]?.keepAlive = keepAlive
        }
        timers.schedule(.flow(id), at: keepAlive.deadline)
    }

    /// Something came over a stream: if from a registrar, that is the one its registration uses.
    func noteFlow(_ source: SignallingSource) {
        for (id, state) in accounts
        where state.flow?.transport == source.transport && state.flow?.address == source.remote {
            accounts[id]?.flowConnection = source.connection
        }
    }

    /// A pong came over a stream.
    func ponged(from source: SignallingSource) {
        for (id, state) in accounts
        where state.flow?.transport == source.transport && state.flow?.address == source.remote {
            accounts[id]?.keepAlive?.ponged()
        }
    }
}
