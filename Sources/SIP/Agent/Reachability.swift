import Realtime

/// Whether calls for an account come through, which being registered does not say: a registrar that was started anew has
/// forgotten us, a firewall has closed the way, and 200 to the last REGISTER is still true.
///
/// We send OPTIONS to our own address through the registrar: if it comes back here, so do calls. A registrar that answers OPTIONS by
/// itself shows nothing; where it has once come back, its absence is a fault, and the account registers anew at once.
///
/// Where others are registered at the same address, a proxy that asks one after the other may pass it on to one of them, who answers.
/// That shows nothing either; after some of these the account registers anew without a word, in case it is the only one forgotten.
struct Reachability {
    /// nil: not known.
    private(set) var isReachable: Bool?
    /// When the next probe goes out.
    private(set) var next: HostTime?
    /// The probe under way: its Call-ID, and until when it is waited for.
    private(set) var callID: String?
    private(set) var limit: HostTime?
    /// When it went out.
    private(set) var sentAt: HostTime?
    /// A probe has come back from this registrar.
    private(set) var hasWorked = false
    /// The registrar has answered a probe, whatever it said.
    private(set) var hasBeenAnswered = false
    /// Probes in a row that somebody else answered.
    private var elsewhere = 0
    /// So many are chance.
    private static let mostElsewhere = 4

    /// How long a probe may take, in seconds; a shorter interval makes it shorter.
    static let longest = 8.0

    var deadline: HostTime? { [next, limit].compactMap(\.self).min() }

    mutating func plan(at time: HostTime) { next = time }

    mutating func sent(_ callID: String, at now: HostTime, limit: HostTime) {
        (self.callID, self.limit, next, sentAt) = (callID, limit, nil, now)
    }

    mutating func answered() { hasBeenAnswered = true }

    /// - Returns: whether that is news.
    mutating func cameBack(next: HostTime) -> Bool {
        defer { (isReachable, hasWorked, callID, limit, self.next, elsewhere) = (true, true, nil, nil, next, 0) }
        return isReachable != true
    }

    /// What follows from a probe that somebody else answered.
    enum Elsewhere { case nothing, registersAnew, isMissed }

    /// The probe was answered, and not by us.
    /// - Parameter isShared: others are known to be registered at the same address. Where they are not, registering anew tells.
    mutating func cameElsewhere(isShared: Bool, next: HostTime) -> Elsewhere {
        guard hasWorked, isShared || elsewhere == 0 else { return .isMissed }
        (callID, limit, self.next) = (nil, nil, next)
        elsewhere += 1
        guard isShared else { return .registersAnew }
        guard elsewhere >= Self.mostElsewhere else { return .nothing }
        elsewhere = 0
        return .registersAnew
    }

    /// The probe did not come back.
    /// - Returns: whether that is a fault, and news.
    mutating func failed(next: HostTime) -> Bool {
        defer {
            if hasWorked { isReachable = false }
            (callID, limit, self.next) = (nil, nil, next)
        }
        return hasWorked && isReachable != false
    }

    /// Nothing is waited for any more, nor known: the account is not registered.
    mutating func stop() { (callID, limit, next, isReachable) = (nil, nil, nil, nil) }
}

extension UserAgent {
    /// The account was registered: it is looked at once whether it can be reached.
    func watchReachability(_ id: AccountID, now: HostTime) {
        guard accounts[id]?.account.probe != nil else { return }
        accounts[id]?.reachability.plan(at: now)
        timers.schedule(.probe(id), at: now)
    }

    func fire(probe id: AccountID, now: HostTime) {
        guard let state = accounts[id], let interval = state.account.probe else { return }
        guard state.registration == .registered else {
            accounts[id]?.reachability.stop()
            return
        }
        if let limit = state.reachability.limit, limit <= now {
            let isSilent = isSilent(state)
            missed(id, registersAnew: !isSilent, now: now)
            if isSilent { loseFlow(id, now: now) }
        } else if let next = state.reachability.next, next <= now {
            sendProbe(id, limit: min(interval, Reachability.longest), now: now)
        }
        timers.schedule(.probe(id), at: accounts[id]?.reachability.deadline)
    }

    /// Nothing at all has come over the registrar's stream since it was asked something that it used to answer.
    private func isSilent(_ state: AccountState) -> Bool {
        guard state.flow?.transport.isStream == true, let sent = state.reachability.sentAt else { return false }
        return (state.reachability.hasWorked || state.reachability.hasBeenAnswered) && (state.flowHeard ?? .zero) < sent
    }

    private func sendProbe(_ id: AccountID, limit: Double, now: HostTime) {
        guard let state = accounts[id],
            var request = try? newRequest(.options, to: .sip(state.account.address), state)
        else { return }
        request.headers.append(.accept, configuration.acceptedTypes.joined(separator: ", "))
        accounts[id]?.reachability.sent(
            request.headers.callID, at: now, limit: now.advanced(byMilliseconds: 1000 * limit))
        start(Exchange(request, .probe(id), account: id, nextHop: nextHop(for: request, state)), now: now)
    }

    /// A request came that may be a probe of ours.
    func noteProbe(_ request: Request, now: HostTime) {
        guard let id = accounts.first(where: { $0.value.reachability.callID == request.headers.callID })?.key else { return }
        let next = nextProbe(id, now)
        let isNews = accounts[id]?.reachability.cameBack(next: next) ?? false
        timers.schedule(.probe(id), at: accounts[id]?.reachability.deadline)
        if isNews { emit(.reachability(id, isReachable: true)) }
    }

    /// The registrar answered the probe: unless it came back before, it was not passed on.
    func probeProgressed(_ id: AccountID, _ exchange: Exchange, _ result: Exchange.Result, now: HostTime) {
        guard accounts[id]?.reachability.callID == exchange.request.headers.callID else { return }
        switch result {
        case .provisional: return
        case .final, .unauthenticated: accounts[id]?.reachability.answered()
        case .timedOut, .unreachable: break
        }
        var verdict = Reachability.Elsewhere.isMissed
        if case .final(let response) = result, response.isSuccess, let isShared = accounts[id]?.isShared {
            let next = nextProbe(id, now)
            verdict = accounts[id]?.reachability.cameElsewhere(isShared: isShared, next: next) ?? .isMissed
        }
        switch verdict {
        case .nothing: break
        case .registersAnew: registerAnew(id, now: now)
        case .isMissed: missed(id, now: now)
        }
        timers.schedule(.probe(id), at: accounts[id]?.reachability.deadline)
    }

    private func missed(_ id: AccountID, registersAnew: Bool = true, now: HostTime) {
        let next = nextProbe(id, now)
        guard accounts[id]?.reachability.failed(next: next) == true else { return }
        emit(.reachability(id, isReachable: false))
        if registersAnew { registerAnew(id, now: now) }
    }

    private func nextProbe(_ id: AccountID, _ now: HostTime) -> HostTime {
        now.advanced(byMilliseconds: 1000 * (accounts[id]?.account.probe ?? 0) * randomShare(0.8...1))
    }
}
