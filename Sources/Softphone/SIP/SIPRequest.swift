import Codecs
import SDP
import Settings
import Signalling

/// A call by SIP that somebody wants, or calls to be waited for. Every value is resolved; nothing has been started yet.
public struct SIPRequest: Sendable {
    public enum Purpose: Sendable, Hashable {
        /// Calls `sip:`, `sips:` or, through an account, `tel:`.
        case call(String)
        /// Waits for calls at `sip:ADDRESS[:PORT]`; nil: at the account's registrar.
        case listen(String?)
    }

    public var purpose: Purpose
    /// As whom; nil: as nobody in particular.
    public var account: AccountSettings?
    /// Answers without asking anybody: the account's callers, those of `media.allow`, else callers on this machine.
    public var answersByItself = false
    /// Sends back what is heard in place of the microphone.
    public var echoes = false
    /// The calls that this one talks to; `nil`: it has an end of its own, as `echoes` and `media` say.
    public var bridge: CallBridge?
    /// What is offered and answered, the most wanted first.
    public var codecs: [Codec]
    public var media: MediaRequest
    /// Name and version of the program, told to the other side; nil: not told.
    public var product: String?
    /// How servers are found and trusted.
    public var access = SignallingAccess()
    /// Whether the media are encrypted; nil: as the account says, and optional without one.
    public var encryption: AccountEncryption?
    /// File that every message of signalling is written to, with secrets masked; nil: none.
    public var tracePath: String?
    /// Of the files that its calls write.
    let files = FileNames()

    public init(_ purpose: Purpose, codecs: [Codec], media: MediaRequest) {
        self.purpose = purpose
        self.codecs = codecs
        self.media = media
    }

    /// Whether the media are encrypted.
    var effectiveEncryption: MediaSecurity.Mode {
        encryption.flatMap { MediaSecurity.Mode(rawValue: $0.rawValue) } ?? account?.encryption ?? .optional
    }

    /// How its media find their way through NATs.
    var traversal: NATTraversal {
        var traversal = media.traversal
        if traversal.followsAccounts, let mode = account?.ice.flatMap(ICEMode.init) { traversal.mode = mode }
        return traversal
    }

    /// The codecs to be offered when nobody has chosen one: those that can be used here.
    public static var usualCodecs: [Codec] {
        Codec.usual.filter { (try? makeDecoder($0)) != nil }
    }

    /// The same for a call beside this one, or in its place: nothing that was for the beginning.
    func following() -> SIPRequest {
        var request = self
        (request.media.dumpFolder, request.media.digits, request.media.seed) = (nil, "", nil)
        return request
    }

    /// Whether something is wrong that no server has to tell.
    /// - Throws: what, and what to do.
    package func check() throws(SoftphoneError) {
        guard !codecs.isEmpty else { throw .request("there is no codec to offer; choose one with --codec") }
        switch purpose {
        case .call(let target):
            if let problem = CallTarget.problem(with: target, hasAccount: account != nil) {
                throw .request("\(problem), in '\(target)'; write sip:USER@HOST[:PORT], or tel: with --account")
            }
            if let account, !account.mayReach(target) { throw .request(account.unreached(target)) }
        case .listen(let uri?):
            guard let place = CallTarget.listening(uri) else {
                throw .request("'\(uri)' is no place to listen at; write sip:ADDRESS[:PORT] or sips:ADDRESS[:PORT]")
            }
            if place.isSecure, access.security.certificateFile == nil {
                throw .request(
                    "whoever calls by TLS wants a certificate, in '\(uri)'; name its files with tls.certificate and tls.key, or "
                        + "write sip:")
            }
        case .listen(nil):
            if account == nil { throw .request("there is nowhere to listen; give sip:ADDRESS[:PORT] or --account") }
        }
    }
}

extension AccountSettings {
    /// The account of that name in the configuration.
    /// - Parameter environment: where `password_env` looks.
    public init(
        named name: String, in configuration: Configuration, environment: [String: String]
    ) throws(SoftphoneError) {
        let items = configuration[\.accounts]
        guard let item = items.first(where: { $0.name == name }) else {
            let names = items.compactMap(\.name).joined(separator: ", ")
            throw .request(
                "there is no account '\(name)'; "
                    + (names.isEmpty ? "add it below accounts: in the file" : "there are \(names)"))
        }
        guard let uri = item[\.uri] else {
            throw .request("account '\(name)' has no uri, in \(item.source); add uri: sip:USER@DOMAIN")
        }
        let password: String
        do { password = try item.password(environment: environment) } catch { throw .request(error.description) }
        self.init(
            name: name, uri: uri, displayName: item[\.displayName], user: item[\.user],
            password: password, registrar: item[\.registrar],
            outboundProxy: item[\.outboundProxy], transport: item[\.transport]?.rawValue,
            expires: UInt32(clamping: item[\.expires]),
            keepAlive: item[\.keepAlive].map(Double.init),
            encryption: MediaSecurity.Mode(rawValue: item[\.srtp].rawValue),
            ice: item[\.ice]?.rawValue)
        probe = Double(item[\.probe])
        watchesMessages = item[\.messageWaiting]
        redirections = item[\.redirections]
        callees = item[\.callees]
        transfers = TransferPolicy(rawValue: item[\.transfers].rawValue) ?? .known
    }
}
