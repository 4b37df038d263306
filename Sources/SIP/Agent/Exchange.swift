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

    init(_ request: Request, _ purpose: Purpose, account: AccountID?, nextHop: SIPURI? = nil) {
        self.request = request
        self.purpose = purpose
        self.account = account
        self.nextHop = nextHop
        (source, way) = (purpose.call?.source, purpose.call?.way)
    }

    /// The last request to the peer of `call`, which it does not keep in memory.
    init(_ request: Request, ending call: SIPCall) {
        self.request = request
        purpose = .discard
        account = call.account
        (source, way) = (call.source, call.way)
    }

    var call: SIPCall? { purpose.call }

    /// Whether the peer, or the server that leads to it, was met there: what belongs to a call goes first where its INVITE went, or came
    /// from.
    func isKnown(_ hop: ServerHop) -> Bool {
        if let way { return hop.transport == way.transport && hop.address == way.address }
        return hop.transport == source?.transport && hop.address.host == source?.remote.host
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
