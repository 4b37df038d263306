import Codecs
import LiveMedia
import Reporting
import Signalling

/// What a telephone for many calls at once is opened with. Every value is resolved; nothing has been started yet.
public struct PhoneRequest: Sendable {
    /// Whom it is called as, and calls as.
    public var accounts: [AccountSettings]
    /// What is offered and answered, the most wanted first.
    public var codecs: [Codec]
    /// What calls have in common: the local address, whose calls are taken, how sound is coded.
    public var media: MediaRequest
    /// Who this telephone is among those that share its accounts: `urn:uuid:` and so on (RFC 5626); nil: not told.
    public var instance: String?
    /// Port for requests by SIP, UDP and TCP; 0: whatever is free.
    public var port: UInt16 = 0
    /// Name and version of the program, told to the other side; nil: not told.
    public var product: String?
    /// How servers are found and trusted.
    public var access = SignallingAccess()
    /// File that every message of signalling is written to, with secrets masked; nil: none.
    public var tracePath: String?
    /// Counts what comes by SIP and is dropped.
    public var drops = SignallingDrops()

    public init(accounts: [AccountSettings], codecs: [Codec], media: MediaRequest) {
        (self.accounts, self.codecs, self.media) = (accounts, codecs, media)
    }
}

/// Somebody who calls, and waits to be accepted or refused.
public struct WaitingCaller: Sendable, Hashable {
    let id: SignalledCallID
    /// The account that is called; nil: none.
    public var account: String?
    /// The caller's URI, which anybody can make up.
    public var from: String
}

/// What a telephone tells that belongs to no call yet.
public enum PhoneNews: Sendable {
    case registration(RegistrationReport)
    case caller(WaitingCaller)
    /// What became of a text that was sent: its number, the response, and why; without a response it was never sent.
    case messageSent(UInt64, sipCode: Int?, reason: String)
    /// A text, or that voice messages wait: as an event tells it.
    case notice(EventBody)
    /// Something a person should know and can do something about.
    case warning(String)
}

extension Softphone {
    /// A telephone for many calls at once; its accounts are being registered.
    public func open(_ request: PhoneRequest) throws(SoftphoneError) -> SIPPhone {
        guard !request.codecs.isEmpty else { throw .request("there is no codec to offer; choose one with --codec") }
        guard request.port < .max || request.access.security.certificateFile == nil else {
            throw .request(
                "calls by TLS come at the port after \(request.port), and there is none; choose a lower softphone.sip_port")
        }
        let media = request.media
        var configuration = SignallingConfiguration(
            listeners: SignallingConfiguration.everywhere(port: request.port),
            accounts: request.accounts.map { $0.of(request.instance) }, product: request.product)
        if let bind = media.bind {
            configuration.listeners = [.udp, .tcp].map { .init($0, address: "\(bind)", port: request.port) }
        }
        configuration.listeners = request.access.listeners(configuration.listeners)
        configuration.take(request.access)
        // Ghost calls ring nowhere: the accounts' servers call, and who is allowed to.
        configuration.callers = .listed(media.allow)
        configuration.media = MediaCapabilities(
            codecs: request.codecs, packetMilliseconds: media.encoder.frameMilliseconds,
            bitrate: media.encoder.bitrate, sharesPort: true)
        configuration.encryption = .optional
        configuration.drops = request.drops
        if request.accounts.contains(where: { $0.encryption == .required }), let missing = CallEncryption(.required).failure {
            throw .encryption("\(missing)")
        }
        media.traversal.prepare()
        let phone = try SIPPhone(
            configuration, tracePath: request.tracePath, instance: request.instance, ladder: SIPLadder())
        for account in request.accounts { phone.signalling.register(account.name) }
        return phone
    }
}

extension SIPPhone {
    /// Readable while there is news; for `poll`.
    public var newsDescriptor: Int32 { switchboard.desk.signal.fileDescriptor }

    /// Takes the news that wait, oldest first.
    public func takeNews() -> [PhoneNews] {
        switchboard.desk.takeAll().compactMap { event in
            switch event {
            case .registration(let change): .registration(RegistrationReport(change))
            case .incoming(let id, let facts): .caller(WaitingCaller(id: id, account: facts.account, from: facts.from))
            case .warning(_, let text): .warning(text)
            case .messageSent(let id, let code, let reason): .messageSent(id.number, sipCode: code, reason: reason)
            default: EventBody(notice: event).map(PhoneNews.notice)
            }
        }
    }

    /// Calls somebody, beside whatever calls there are.
    public func call(_ request: SIPRequest) throws(SoftphoneError) -> any LiveCall {
        try request.check()
        return try running(SIPLines(self, of: SIPLiveCall(self, request, events: newLine()), request))
    }

    /// Takes a caller on: it rings until it is answered or hung up.
    /// - Parameters:
    ///   - caller: as `PhoneNews.caller` has it.
    ///   - request: its purpose is to listen.
    /// - Throws: `SoftphoneError.resources` when no descriptor or thread is left; the caller is refused.
    public func accept(_ caller: WaitingCaller, _ request: SIPRequest) throws(SoftphoneError) -> any LiveCall {
        do throws(SoftphoneError) {
            guard let line = switchboard.line(caller.id) else { throw .resources("a call has no descriptor") }
            return try running(SIPLines(self, of: SIPLiveCall(self, request, events: line), request))
        } catch {
            refuse(caller, .busy)
            throw error
        }
    }

    /// Lets a caller in no further.
    public func refuse(_ caller: WaitingCaller, _ refusal: CallRefusal) { refuse(caller.id, refusal) }

    /// What is still told of that call nobody hears; its line, a descriptor, is free.
    func refuse(_ call: SignalledCallID, _ refusal: CallRefusal) {
        signalling.reject(call, self.refusal(refusal))
        switchboard.disconnect(call)
    }

    /// What who is not let in hears: while no call begins any more, that alone, and another server may be asked.
    func refusal(_ wanted: CallRefusal) -> CallRefusal { isEnding.load(ordering: .relaxed) ? .ending : wanted }

    /// Sends somebody a text.
    /// - Parameters:
    ///   - text: what is sent.
    ///   - target: to whom: `sip:`, `sips:` or, with an account, `tel:`.
    ///   - account: as whom; nil: as nobody in particular.
    /// - Returns: its number, by which the news tell what became of it.
    public func send(_ text: String, to target: String, account: String?) throws(SoftphoneError) -> UInt64 {
        if let problem = CallTarget.problem(with: target, hasAccount: account != nil) {
            throw .request("\(problem), in '\(target)'; write sip:USER@HOST[:PORT], or tel: with an account")
        }
        return signalling.send(text, to: target, account: account).number
    }

    /// Registers an account anew at once.
    public func register(_ account: String) { signalling.register(account) }

    /// Takes an account's registration back: no more calls come for it; those there are go on.
    public func unregister(_ account: String) { signalling.unregister(account) }

    /// Takes other accounts from now on; calls that there are go on, whatever becomes of theirs.
    /// - Throws: one of them makes no sense, and nothing has changed.
    public func change(accounts: [AccountSettings]) throws(SoftphoneError) {
        if accounts.contains(where: { $0.encryption == .required }), let missing = CallEncryption(.required).failure {
            throw .encryption("\(missing)")
        }
        do { try signalling.change(accounts: accounts.map { $0.of(instance) }) } catch { throw .request("\(error)") }
    }

    /// Lets no call begin any more: callers hear 503, and may try again after so many seconds. Those there are go on; one that
    /// rings here hears 503 too when it is hung up.
    public func drain(retryAfterSeconds seconds: Int) {
        isEnding.store(true, ordering: .relaxed)
        signalling.drain(retryAfter: seconds)
    }

    /// Tells who asks that there is no place for another call, and in how many seconds to ask again; nil: there are places again.
    public func setFull(retryAfterSeconds seconds: Int?) { signalling.setFull(retryAfter: seconds) }

    func newLine() throws(SoftphoneError) -> Switchboard.Events {
        do { return try Switchboard.Events() } catch { throw .resources("\(error)") }
    }
}

extension AccountSettings {
    /// The same account, of that telephone among those that share it.
    fileprivate func of(_ instance: String?) -> AccountSettings {
        var account = self
        account.instance = instance
        return account
    }
}
