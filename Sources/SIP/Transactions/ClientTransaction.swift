import Realtime

/// A request that we sent, until nothing of it can come any more: RFC 3261 section 17.1, with RFC 6026 for INVITE.
struct ClientTransaction {
    enum State: Hashable {
        /// INVITE: calling; others: trying.
        case calling
        case proceeding
        /// INVITE: a 2xx came; later ones of other forks are passed on (RFC 6026).
        case accepted
        case completed
        case terminated
    }

    enum Event {
        case start
        case response(Response)
        case time
        case transportError
        /// CANCEL was sent: a final response is due (RFC 3261 section 9.1).
        case cancelled
        /// The same request was answered elsewhere: nothing is sent any more, and what still comes is taken.
        case outrun
    }

    enum Action {
        case send([UInt8])
        /// Hand to the transaction's user: a provisional, the final, or a further 2xx.
        case deliver(Response)
        /// No final response came in time.
        case timedOut
        case transportFailed
        /// Nothing has come within the patience, and nothing is sent again; what comes later is still taken.
        case silent
    }

    let request: Request
    let destination: SignallingDestination
    let settings: TimerSettings
    private(set) var state = State.calling
    private let bytes: [UInt8]
    private var acknowledgement: [UInt8]?
    /// Timer A or E.
    private var retransmission: HostTime?
    private var interval: Double
    /// Timer B or F; D, K or M in the states after.
    private var limit: HostTime?
    private let patience: Double?
    private var patienceEnd: HostTime?

    /// - Parameter patience: how long the first response may take before `silent` is told, in milliseconds; nil: it is never told.
    init(
        request: Request, destination: SignallingDestination, settings: TimerSettings, patience: Double? = nil
    ) {
        self.request = request
        self.destination = destination
        self.settings = settings
        self.patience = patience
        bytes = request.bytes
        interval = settings.t1
    }

    /// How long a re-INVITE may stay provisional, in milliseconds: nobody rings there, and no user gives it up.
    private static let longestChange: Double = 180_000

    private var isInvite: Bool { request.method == .invite }
    private var isInDialog: Bool { request.headers.to.tag != nil }
    private var isReliable: Bool { destination.transport.isStream }

    /// Whether it cannot go on when the stream to `failed` has ended, or could not be opened, or a datagram could not be sent there.
    func needs(_ failed: SignallingDestination) -> Bool {
        guard destination.transport == failed.transport else { return false }
        guard isReliable else {
            // An INVITE that was answered sends nothing: the datagram was another request's.
            let isWaiting = isInvite && (state == .proceeding || state == .accepted)
            return destination.address == failed.address && !isWaiting
        }
        if let connection = destination.connection, connection == failed.connection { return true }
        // One server may have several streams, each for another name of its certificate.
        return destination.address == failed.address && destination.serverName == failed.serverName
    }

    /// When `time` has to be told next; nil when no timer runs.
    var deadline: HostTime? { [retransmission, limit, patienceEnd].compactMap { $0 }.min() }

    mutating func handle(_ event: Event, now: HostTime) -> [Action] {
        switch event {
        case .start: start(now)
        case .response(let response): receive(response, now)
        case .time: fire(now)
        case .transportError: fail()
        case .cancelled: cancel(now)
        case .outrun: rest()
        }
    }

    /// Waits without sending.
    private mutating func rest() -> [Action] {
        (retransmission, patienceEnd) = (nil, nil)
        return []
    }

    private mutating func cancel(_ now: HostTime) -> [Action] {
        if state == .proceeding { limit = now.advanced(byMilliseconds: settings.timeout) }
        return []
    }

    private mutating func start(_ now: HostTime) -> [Action] {
        limit = now.advanced(byMilliseconds: settings.timeout)
        if !isReliable { retransmission = now.advanced(byMilliseconds: interval) }
        patienceEnd = patience.map { now.advanced(byMilliseconds: $0) }
        return [.send(bytes)]
    }

    private mutating func fail() -> [Action] {
        let isOpen = state == .calling || state == .proceeding
        end()
        return isOpen ? [.transportFailed] : []
    }

    private mutating func end() {
        state = .terminated
        retransmission = nil
        limit = nil
        patienceEnd = nil
    }

    private mutating func fire(_ now: HostTime) -> [Action] {
        if let limit, limit <= now {
            let isOpen = state == .calling || state == .proceeding
            end()
            return isOpen ? [.timedOut] : []
        }
        if let end = patienceEnd, end <= now { return rest() + [.silent] }
        guard let due = retransmission, due <= now else { return [] }
        interval = isInvite ? 2 * interval : state == .proceeding ? settings.t2 : min(2 * interval, settings.t2)
        // From now, not from when it was due: a machine that slept does not catch up in a burst.
        retransmission = now.advanced(byMilliseconds: interval)
        return [.send(bytes)]
    }

    private mutating func receive(_ response: Response, _ now: HostTime) -> [Action] {
        patienceEnd = nil
        switch state {
        case .calling, .proceeding:
            if response.isProvisional {
                // Ringing may last: neither A nor B runs on. The limit that a CANCEL set stays.
                if isInvite, state == .calling {
                    retransmission = nil
                    limit = isInDialog ? now.advanced(byMilliseconds: Self.longestChange) : nil
                }
                state = .proceeding
                return [.deliver(response)]
            }
            return isInvite ? finishInvite(response, now) : finish(response, now)
        case .accepted:
            return response.isSuccess ? [.deliver(response)] : []
        case .completed:
            // The final response again: its ACK was lost.
            guard isInvite, response.status >= 300, let acknowledgement else { return [] }
            return [.send(acknowledgement)]
        case .terminated: return []
        }
    }

    private mutating func finishInvite(_ response: Response, _ now: HostTime) -> [Action] {
        retransmission = nil
        if response.isSuccess {
            state = .accepted
            limit = now.advanced(byMilliseconds: settings.timeout)
            return [.deliver(response)]
        }
        let ack = Self.acknowledgement(of: response, to: request).bytes
        acknowledgement = ack
        if isReliable {
            end()
        } else {
            state = .completed
            limit = now.advanced(byMilliseconds: settings.d)
        }
        return [.send(ack), .deliver(response)]
    }

    private mutating func finish(_ response: Response, _ now: HostTime) -> [Action] {
        retransmission = nil
        if isReliable {
            end()
        } else {
            state = .completed
            limit = now.advanced(byMilliseconds: settings.t4)
        }
        return [.deliver(response)]
    }

    /// The ACK to a final response that is no 2xx: hop by hop, same branch (RFC 3261 section 17.1.1.3).
    private static func acknowledgement(of response: Response, to request: Request) -> Request {
        var ack = Request(method: .ack, uri: request.uri)
        if let via = request.headers.topVia { ack.headers.append(.via, via.text) }
        for name in [HeaderName.maxForwards, .route, .from] {
            for field in request.headers.all(name) { ack.headers.append(field) }
        }
        if let to = response.headers.first(.to) { ack.headers.append(to) }
        if let callID = request.headers.first(.callID) { ack.headers.append(callID) }
        ack.headers.append(.cSeq, CSeq(number: request.headers.cSeq.number, method: .ack).text)
        for name in [HeaderName.authorization, .proxyAuthorization] {
            for field in request.headers.all(name) { ack.headers.append(field) }
        }
        return ack
    }
}
