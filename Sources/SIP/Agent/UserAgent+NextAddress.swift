import Realtime

/// A server whose name leads to several addresses is asked at the next one as soon as the first one is silent by UDP, long before
/// its transaction ends (RFC 3263 section 4.3, RFC 8305): a dead IPv6 address before a living IPv4 one costs two seconds, once.
///
/// The address that says anything first has the request. A call is never made twice: what another one still says is cancelled, or
/// acknowledged and hung up.
extension UserAgent {
    /// Four times T1, in milliseconds: three datagrams were sent until then.
    private var patienceMilliseconds: Double { 4 * configuration.timers.t1 }

    /// How long that address may be silent before the next one is tried; nil: as long as its transaction lasts.
    func patience(for request: Request, of exchange: Exchange, to destination: SignallingDestination) -> Double? {
        // A call that stands has one address that counts, and a text would come twice where the first one is only slow.
        let isChange = request.method == .invite && request.headers.to.tag != nil
        guard !exchange.remaining.isEmpty, destination.transport == .udp, !isChange, request.method != .message else {
            return nil
        }
        return patienceMilliseconds
    }

    /// The order in which hops are tried: what was waited for in vain lately, or has no time, comes last; of those that are as good
    /// as the first one, the server that holds the account's registration comes first. Each refresh would register at another one
    /// else, and each would send calls.
    /// - Parameters:
    ///   - hops: as the name's records want them.
    ///   - account: whose request it is.
    ///   - now: what counts as lately.
    /// - Returns: all of them.
    public func preferred(_ hops: [ServerHop], account: AccountID? = nil, now: HostTime) -> [ServerHop] {
        func isFruitless(_ hop: ServerHop) -> Bool { fruitlessHops.contains(hop.destination, now: now) }
        var (best, last) = (hops.filter { !isFruitless($0) }, hops.filter(isFruitless))
        if best.isEmpty { swap(&best, &last) }
        if let state = account.flatMap({ accounts[$0] }), state.failures == 0, let first = best.first,
            let own = best.firstIndex(where: { $0.destination == state.flow && $0.rank == first.rank })
        {
            best.insert(best.remove(at: own), at: 0)
        }
        return best + last
    }

    /// A registrar that has no time (503) is left alone for as long as it asks for, where another one will do (RFC 3261 section 21.5.4).
    /// What comes of other requests may be a peer's word that a proxy hands on.
    func noteRetryAfter(_ exchange: Exchange, _ response: Response, now: HostTime) {
        guard case .register = exchange.purpose, response.status == 503, let seconds = response.headers.retryAfter,
            let hop = exchange.hop
        else { return }
        fruitlessHops.note(hop.destination, seconds: Double(seconds), now: now)
    }

    /// The address that is tried says nothing: the next one is tried beside it.
    func grewSilent(_ exchange: Exchange, now: HostTime) {
        guard !exchange.isFinished, !isAbandoned(exchange), let key = exchange.key, let hop = exchange.hop else { return }
        exchange.silent.append((key, hop))
        exchange.fruitless.append(hop)
        tryNextHop(exchange, now: now)
    }

    /// An address has failed that had said nothing. One that says at once that nobody is there costs nothing the next time either.
    func noteWait(_ key: TransactionKey, _ exchange: Exchange, now: HostTime) {
        guard key == exchange.key, let hop = exchange.hop, now.milliseconds(since: exchange.triedAt) >= patienceMilliseconds
        else { return }
        exchange.fruitless.append(hop)
    }

    /// One of several addresses says something first.
    /// - Returns: whether that counts: not where it only says that it knows the request by another address (482, RFC 3261 section
    ///   8.2.2.2), whose own answer is still to come.
    func settle(on key: TransactionKey, _ exchange: Exchange, _ response: Response, now: HostTime) -> Bool {
        guard !exchange.fruitless.isEmpty else { return true }
        if response.status == 482 {
            exchange.remaining = []
            if waitsForOther(than: key, exchange) {
                clients[key]?.isOutrun = true
                return false
            }
        }
        var others = exchange.silent.filter { $0.key != key }
        if let own = exchange.silent.first(where: { $0.key == key }) {
            if let last = exchange.key, let hop = exchange.hop { others.append((last, hop)) }
            take(own, for: exchange)
        }
        for hop in exchange.fruitless where hop != exchange.hop { fruitlessHops.note(hop.destination, now: now) }
        (exchange.silent, exchange.fruitless) = ([], [])
        exchange.outrun = others.map(\.hop)
        for other in others {
            clients[other.key]?.isOutrun = true
            drive(client: other.key, .outrun, now: now)
        }
        return true
    }

    /// An address that was silent is the one that counts.
    private func take(_ attempt: (key: TransactionKey, hop: ServerHop), for exchange: Exchange) {
        (exchange.key, exchange.hop, exchange.isMovedToStream) = (attempt.key, attempt.hop, false)
        exchange.fit(to: attempt.hop)
        // The binding is that of its own Contact.
        if case .register(let id) = exchange.purpose,
            let contact = clients[attempt.key]?.transaction.request.headers.contacts.first
        {
            accounts[id]?.show(contact.uri.text)
        }
    }

    /// An address has failed.
    /// - Returns: whether another one that was tried is waited for.
    func waitsForOther(than key: TransactionKey, _ exchange: Exchange) -> Bool {
        if let index = exchange.silent.firstIndex(where: { $0.key == key }) {
            exchange.silent.remove(at: index)
            return true
        }
        guard exchange.remaining.isEmpty || isAbandoned(exchange), let other = exchange.silent.popLast() else { return false }
        take(other, for: exchange)
        return true
    }

    /// An address says something after another one has: of a call, it is told that nobody waits for it.
    /// - Parameter isFirst: it had said nothing before.
    func outrunAnswered(
        _ key: TransactionKey, _ exchange: Exchange, _ response: Response, isFirst: Bool, now: HostTime
    ) {
        guard case .invite(let call) = exchange.purpose else { return }
        if response.isSuccess {
            succeeded(call, exchange, response, isUnwanted: true, now: now)
        } else if response.isProvisional, isFirst, let client = clients[key] {
            cancel(client, key, now: now)
        }
    }
}
