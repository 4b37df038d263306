import Realtime

/// A request that came, until nothing of it can come any more: RFC 3261 section 17.2, with RFC 6026 for INVITE and
/// RFC 4320 for the others.
struct ServerTransaction {
    enum State: Hashable {
        /// No response yet (not INVITE).
        case trying
        case proceeding
        /// INVITE: a 2xx was sent; its repetitions are the user's (RFC 6026).
        case accepted
        case completed
        /// INVITE: the ACK to an error came.
        case confirmed
        case terminated
    }

    enum Event {
        /// The same request again, or the ACK to an error response.
        case request(Request)
        case respond(Response)
        case time
        case transportError
    }

    enum Action {
        case send([UInt8])
        /// An ACK to a 2xx: it belongs to the dialog.
        case deliver(Request)
        /// An error response to INVITE was never acknowledged.
        case timedOut
    }

    let request: Request
    let destination: SignallingDestination
    let settings: TimerSettings
    private(set) var state: State
    private var last: [UInt8]?
    /// INVITE: the To tag of its final response; nil before that.
    private(set) var toTag: String?
    /// Timer G.
    private var retransmission: HostTime?
    private var interval: Double
    /// Timer H, I, J or L; before a final response, how long the user may take.
    private var limit: HostTime?

    init(request: Request, destination: SignallingDestination, settings: TimerSettings, now: HostTime) {
        self.request = request
        self.destination = destination
        self.settings = settings
        state = request.method == .invite ? .proceeding : .trying
        interval = settings.t1
        // A non-INVITE request that nobody answers has no use after the client's timer F (RFC 4320).
        limit = request.method == .invite ? nil : now.advanced(byMilliseconds: settings.timeout)
    }

    private var isInvite: Bool { request.method == .invite }
    private var isReliable: Bool { destination.transport.isStream }

    var deadline: HostTime? { [retransmission, limit].compactMap { $0 }.min() }
    /// A final response has been given.
    var isAnswered: Bool { state != .trying && state != .proceeding }

    mutating func handle(_ event: Event, now: HostTime) -> [Action] {
        switch event {
        case .request(let request): receive(request, now)
        case .respond(let response): respond(response, now)
        case .time: fire(now)
        case .transportError: []
        }
    }

    private mutating func receive(_ request: Request, _ now: HostTime) -> [Action] {
        guard request.method != .ack else { return acknowledge(request, now) }
        switch state {
        // In accepted, the user repeats its own 2xx; in trying there is nothing to repeat.
        case .proceeding, .completed: return last.map { [.send($0)] } ?? []
        case .trying, .accepted, .confirmed, .terminated: return []
        }
    }

    private mutating func acknowledge(_ ack: Request, _ now: HostTime) -> [Action] {
        switch state {
        case .accepted: return [.deliver(ack)]
        case .completed where isInvite:
            retransmission = nil
            state = isReliable ? .terminated : .confirmed
            limit = isReliable ? nil : now.advanced(byMilliseconds: settings.t4)
            return []
        default: return []
        }
    }

    private mutating func respond(_ response: Response, _ now: HostTime) -> [Action] {
        guard state == .trying || state == .proceeding else {
            // The user's own repetition of a 2xx.
            return state == .accepted && response.isSuccess ? [.send(response.bytes)] : []
        }
        // RFC 4320: a provisional to a non-INVITE helps nobody on a reliable transport, and only 100 is one at all.
        if response.isProvisional, !isInvite, response.status != 100 || isReliable { return [] }
        let bytes = response.bytes
        if response.isProvisional {
            last = bytes
            state = .proceeding
            return [.send(bytes)]
        }
        last = bytes
        if isInvite {
            toTag = response.headers.to.tag
            limit = now.advanced(byMilliseconds: settings.timeout)
            if response.isSuccess {
                state = .accepted
            } else {
                state = .completed
                if !isReliable { retransmission = now.advanced(byMilliseconds: interval) }
            }
        } else {
            state = isReliable ? .terminated : .completed
            limit = isReliable ? nil : now.advanced(byMilliseconds: settings.timeout)
        }
        return [.send(bytes)]
    }

    private mutating func fire(_ now: HostTime) -> [Action] {
        if let limit, limit <= now {
            let unacknowledged = isInvite && state == .completed
            state = .terminated
            retransmission = nil
            self.limit = nil
            return unacknowledged ? [.timedOut] : []
        }
        guard let due = retransmission, due <= now, let last else { return [] }
        interval = min(2 * interval, settings.t2)
        retransmission = now.advanced(byMilliseconds: interval)
        return [.send(last)]
    }
}
