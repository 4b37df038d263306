/// Why a request of the user was not carried out.
public enum UserAgentError: Error, Hashable, Sendable, CustomStringConvertible {
    case noSuchCall
    case noSuchAccount(AccountID)
    /// The call is not in a state for that.
    case wrongState(String)
    /// An offer is under way already, ours or the peer's: try again when it is done.
    case offerPending
    /// The URI is of a scheme that cannot be called.
    case badURI(String)

    public var description: String {
        switch self {
        case .noSuchCall: "There is no such call: it has ended."
        case .noSuchAccount(let id): "There is no account \"\(id)\": add it to the configuration."
        case .wrongState(let what): "The call cannot do that now: \(what)."
        case .offerPending: "The session is being changed already: try again when that is done."
        case .badURI(let text): "\(text) cannot be called: use sip:, sips: or tel: with an account."
        }
    }
}
