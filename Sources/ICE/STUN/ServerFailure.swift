/// Why a server is of no use.
public enum ServerFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// It never answered.
    case noAnswer
    /// It does not take our user name and password (401, 441), or asks in a way that cannot be answered.
    case unauthorized
    /// It gives this user no more (486).
    case quotaReached
    /// It refused with this code.
    case refused(Int)
    /// It sends from one address to the next (300) without end.
    case redirectedTooOften
    /// What it answered makes no sense: no relayed address, or one at which nobody can be.
    case nonsense
    /// The connection to it could not be opened, or has ended: why.
    case connection(String)
    /// It took back what it had given (437, or a lifetime that ran out).
    case lost

    public var description: String {
        switch self {
        case .noAnswer: "it does not answer; look at address, port and firewall"
        case .unauthorized: "it does not take user name and password"
        case .quotaReached: "it gives this user no more allocations (486)"
        case .refused(let code): "it refused with \(code)"
        case .redirectedTooOften: "it sends from one server to the next"
        case .nonsense: "its answer makes no sense"
        case .connection(let reason): reason
        case .lost: "it took the allocation back"
        }
    }
}
