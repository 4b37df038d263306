/// Why a challenge is not answered.
public enum AuthenticationFailure: String, Error, Hashable, Sendable {
    /// No user or password is configured.
    case noCredentials = "no password is configured for this account"
    /// The realm is not the configured one: the password is not for that server.
    case wrongRealm = "the server's realm is not the account's"
    /// Nothing that is offered can be computed.
    case noUsableChallenge = "the server offers no digest that is known"
    /// The server refused a fresh answer: the password or the user is wrong.
    case refused = "the server refused the password"
}

/// What was already tried for one request, however often it is sent again.
struct AuthenticationAttempt {
    struct Key: Hashable {
        let isProxy: Bool
        let realm: String
    }

    /// Realms answered, in the order in which they challenged, with every nonce used for each.
    var realms: [Key] = []
    var nonces: [Key: Set<String>] = [:]
    /// Realms that got an answer to an older challenge before they asked: one fresh try is left.
    var preempted: Set<Key> = []
    var staleRetries = 0
}

/// Answers the challenges of one account (RFC 7616, RFC 8760): the strongest digest that is offered, one try a nonce,
/// and only for the configured realm.
struct Authenticator {
    private let user: String
    private let password: Password
    private let realm: String?
    /// The last challenge answered for each realm and header field, for later requests: of the realms that challenged last.
    private var known: [AuthenticationAttempt.Key: Known] = [:]
    private var answered: UInt64 = 0

    /// Realms that are answered in one attempt, and kept: a server that names ever new ones gets no more.
    private static let mostRealms = 4

    private struct Known {
        let challenge: DigestChallenge
        let algorithm: DigestAlgorithm
        /// The one of the first answer: a session's key is made of that (RFC 7616 section 3.4.2).
        let clientNonce: String
        /// A later challenge has a higher one.
        let number: UInt64
        var count: UInt32 = 0
    }

    init(user: String, password: Password, realm: String?) {
        self.user = user
        self.password = password
        self.realm = realm
    }

    /// Puts an answer to every challenge of a 401 or 407 into `request`.
    mutating func answer(
        _ response: Response, in request: inout Request, attempt: inout AuthenticationAttempt, clientNonce: String
    ) throws(AuthenticationFailure) {
        let isProxy = response.status == 407
        let all = response.headers.challenges(isProxy ? .proxyAuthenticate : .wwwAuthenticate)
        guard !password.isEmpty else { throw .noCredentials }
        let ours = all.filter { realm == nil || $0.realm == realm }
        guard !ours.isEmpty || all.isEmpty else { throw .wrongRealm }
        var realms: [String] = []
        for challenge in ours where !realms.contains(challenge.realm) { realms.append(challenge.realm) }
        var chosen: [DigestChallenge] = []
        for name in realms {
            if let best = Self.best(ours.filter { $0.realm == name }) { chosen.append(best) }
        }
        guard !chosen.isEmpty else { throw .noUsableChallenge }
        for challenge in chosen {
            let key = AuthenticationAttempt.Key(isProxy: isProxy, realm: challenge.realm)
            try Self.admit(challenge, key, attempt: &attempt)
            guard let algorithm = challenge.algorithm else { continue }
            answered += 1
            known[key] = Known(challenge: challenge, algorithm: algorithm, clientNonce: clientNonce, number: answered)
            if known.count > Self.mostRealms, let oldest = known.min(by: { $0.value.number < $1.value.number })?.key {
                known[oldest] = nil
            }
        }
        apply(to: &request, attempt.realms, clientNonce: clientNonce)
    }

    /// One try a nonce, one nonce a realm unless the server says that the nonce was stale, and few realms.
    private static func admit(
        _ challenge: DigestChallenge, _ key: AuthenticationAttempt.Key, attempt: inout AuthenticationAttempt
    ) throws(AuthenticationFailure) {
        let isRepeat = attempt.realms.contains(key) && attempt.preempted.remove(key) == nil
        let isNew = attempt.nonces[key, default: []].insert(challenge.nonce).inserted
        guard isNew else { throw .refused }
        if isRepeat {
            guard challenge.isStale, attempt.staleRetries < 3 else { throw .refused }
            attempt.staleRetries += 1
        }
        if !attempt.realms.contains(key) { attempt.realms.append(key) }
        guard attempt.realms.count - attempt.preempted.count <= mostRealms else { throw .refused }
    }

    /// Answers the challenges of earlier requests in a new one, which saves a round trip.
    mutating func preempt(_ request: inout Request, attempt: inout AuthenticationAttempt, clientNonce: String) {
        for (key, entry) in known {
            attempt.preempted.insert(key)
            attempt.nonces[key] = [entry.challenge.nonce]
        }
        attempt.realms = known.keys.sorted { ($0.isProxy ? 1 : 0, $0.realm) < ($1.isProxy ? 1 : 0, $1.realm) }
        apply(to: &request, attempt.realms, clientNonce: clientNonce)
    }

    private mutating func apply(
        to request: inout Request, _ keys: [AuthenticationAttempt.Key], clientNonce: String
    ) {
        request.headers.remove(.authorization)
        request.headers.remove(.proxyAuthorization)
        for key in keys {
            guard var entry = known[key] else { continue }
            entry.count += 1
            known[key] = entry
            let credentials = DigestCredentials(
                user: user, password: password, challenge: entry.challenge, algorithm: entry.algorithm,
                count: entry.count, clientNonce: entry.algorithm.isSession ? entry.clientNonce : clientNonce)
            request.headers.append(
                key.isProxy ? .proxyAuthorization : .authorization,
                credentials.value(method: request.method, uri: request.uri.text, body: request.body))
        }
    }

    /// Forgets every nonce: the server refused one.
    mutating func forget() { known = [:] }

    /// The server's order counts among the strong ones (RFC 8760 section 2.4); MD5 comes after them, wherever it stands.
    private static func best(_ challenges: [DigestChallenge]) -> DigestChallenge? {
        let usable = challenges.filter(\.isUsable)
        return usable.first { $0.algorithm?.isWeak == false } ?? usable.first
    }
}
