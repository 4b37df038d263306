import Link
import Realtime

/// A request of ours with all its attempts: hops tried one after the other, and answers to challenges.
final class Exchange {
    enum Purpose {
        case invite(SIPCall)
        /// A session change or refresh: re-INVITE or UPDATE.
        case modify(SIPCall)
        case prack(SIPCall, tag: String)
        /// ACK to a 2xx: no transaction.
        case acknowledge(SIPCall, tag: String)
        case refer(SIPCall)
        case register(AccountID)
        case request(RequestID)
        /// OPTIONS to ourselves through the registrar.
        case probe(AccountID)
        /// SUBSCRIBE to whether messages wait.
        case subscribe(AccountID)
        /// MESSAGE in a call.
        case text(SIPCall)
        /// INFO in a call.
        case info(SIPCall)
        /// NOTIFY of how a transfer goes that was asked for by the REFER of that number.
        case notify(SIPCall, refer: UInt32)
        /// BYE to a dialog that nobody wants, CANCEL.
        case discard
    }

    /// How it went.
    enum Result {
        case provisional(Response)
        case final(Response)
        case timedOut
        /// No hop could be reached.
        case unreachable
        case unauthenticated(AuthenticationFailure, Response)
    }

    var request: Request
    /// The bodies that its request has by IPv6 (`true`) and by IPv4, where it has another one for each.
    var bodies: [Bool: Body] = [:]
    let purpose: Purpose
    let account: AccountID?
    /// Where it is sent instead of its first Route or request URI.
    var nextHop: SIPURI?
    /// Hops that have not been tried.
    var remaining: [ServerHop] = []
    var hop: ServerHop?
    /// The hop is another one than its URI leads to (`outside`).
    var isElsewhere = false
    /// When `hop` was tried first.
    var triedAt = HostTime.zero
    /// Those before `hop` that have said nothing so far, with their transactions: whichever is heard first has the request.
    var silent: [(key: TransactionKey, hop: ServerHop)] = []
    /// Those that were waited for in vain so far.
    var fruitless: [ServerHop] = []
    /// Those that another one was faster than.
    var outrun: [ServerHop] = []
    var attempt = AuthenticationAttempt()
    var key: TransactionKey?
    var isFinished = false
    /// Of a change: the last RSeq of its reliable provisional responses, and the answer that one of them brought.
    var reliableNumber: UInt32?
    var reliableAnswer: Body?
    /// Where the peer of the call that it belongs to called from, and the way that ours to it was made; the call need not be in memory
    /// any more.
    let source: SignallingSource?
    let way: SignallingDestination?
    /// It went by TCP because it is long.
    var isMovedToStream = false
    /// Its server has refused TCP: long as it is, it goes as a datagram.
    var staysInDatagrams = false
    /// It belongs to a dialog that was made over `sips:`.
    let isSecure: Bool

    init(
        _ request: Request, _ purpose: Purpose, account: AccountID?, nextHop: SIPURI? = nil, isSecure: Bool = false
    ) {
        self.request = request
        self.purpose = purpose
        self.account = account
        self.nextHop = nextHop
        self.isSecure = isSecure || purpose.call?.isSecure == true
        (source, way) = (purpose.call?.source, purpose.call?.way)
    }

    /// The last request to the peer of `call`, which it does not keep in memory.
    init(_ request: Request, ending call: SIPCall) {
        self.request = request
        purpose = .discard
        account = call.account
        isSecure = call.isSecure
        (source, way) = (call.source, call.way)
    }

    var call: SIPCall? { purpose.call }

    /// `sips:` is somewhere on its way: it never leaves TLS (RFC 3261 section 26.2.2). Nor do keys (RFC 4568 section 7).
    var needsTLS: Bool { saysSIPS || nextHop?.isSecure == true || carriesKeys }

    var carriesKeys: Bool { Body(headers: request.headers, bytes: request.body)?.carriesKeys == true }

    /// Its Contact is `sips:` as well (RFC 3261 sections 8.1.1.8 and 12.2.1.1).
    var saysSIPS: Bool { isSecure || request.uri.isSecure || request.nextHop.isSecure }

    /// Where it goes first. A place that names no transport is there by TLS, where `sips:` asks for that.
    var firstPlace: SIPURI? {
        guard var uri = nextHop ?? request.nextHop.sip else { return nil }
        if saysSIPS, uri.parameters["transport"] == nil { uri.isSecure = true }
        return uri
    }

    /// Whether the peer, or the server that leads to it, was met there: what belongs to a call goes first where its INVITE went, or came
    /// from.
    func isKnown(_ hop: ServerHop) -> Bool {
        if let way { return hop.transport == way.transport && hop.address == way.address }
        return hop.transport == source?.transport && hop.address.host == source?.remote.host
    }

    /// Where it goes in place of `hop`. Somebody who was called without a server between, and whose Contact names an address behind his
    /// NAT, is reached where he was met: his NAT leads nobody there, and an ACK that gets lost ends the call after half a minute.
    /// Somebody whose Contact leads away from TLS is reached so too, with what carries keys.
    func outside(_ hop: ServerHop) -> ServerHop {
        if case .invite = purpose { return hop }
        guard let met = way ?? source.map({ SignallingDestination(transport: $0.transport, address: $0.remote) }),
            isBehindNAT(hop, of: met) || (carriesKeys && hop.transport != .tls && met.transport == .tls)
        else { return hop }
        return ServerHop(transport: met.transport, address: met.address, serverName: met.serverName, local: hop.local)
    }

    private func isBehindNAT(_ hop: ServerHop, of met: SignallingDestination) -> Bool {
        guard account == nil, let inside = try? IPAddress(hop.address.host), inside.isPrivate,
            let outside = try? IPAddress(met.address.host)
        else { return false }
        return !outside.isPrivate
    }

    /// Says what is to be said at the family of addresses that it goes by.
    func fit(to hop: ServerHop) {
        if let body = bodies[hop.address.isV6] { request.set(body) }
    }
}

extension Exchange.Purpose {
    fileprivate var call: SIPCall? {
        switch self {
        case .invite(let call), .modify(let call), .prack(let call, _), .acknowledge(let call, _), .refer(let call),
            .text(let call), .info(let call), .notify(let call, _):
            call
        case .register, .request, .probe, .subscribe, .discard: nil
        }
    }
}
