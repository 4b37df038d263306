/// A NAPTR record, RFC 3403 section 4.1.
public struct NAPTRRecord: Hashable, Sendable {
    public var order: UInt16
    public var preference: UInt16
    /// `s`: the replacement has SRV records.
    public var flags: String
    /// `SIP+D2U`, `SIP+D2T`, `SIPS+D2T`.
    public var service: String
    public var replacement: String

    public init(order: UInt16, preference: UInt16, flags: String, service: String, replacement: String) {
        self.order = order
        self.preference = preference
        self.flags = flags
        self.service = service
        self.replacement = replacement
    }
}

/// An SRV record, RFC 2782.
public struct SRVRecord: Hashable, Sendable {
    /// The lowest is tried first.
    public var priority: UInt16
    /// The share among those of one priority.
    public var weight: UInt16
    public var port: UInt16
    /// A host name; `.` or empty: the service is not there.
    public var target: String

    public init(priority: UInt16, weight: UInt16, port: UInt16, target: String) {
        self.priority = priority
        self.weight = weight
        self.port = port
        self.target = target
    }
}

/// What is asked of a name server.
public enum DNSQuestion: Hashable, Sendable {
    case naptr(String)
    case srv(String)
    /// A and AAAA.
    case addresses(String)

    /// Whose records are asked for.
    var name: String {
        switch self {
        case .naptr(let name), .srv(let name), .addresses(let name): name
        }
    }
}

/// What a name server, or nobody, has answered.
public enum DNSAnswer: Hashable, Sendable {
    case naptr([NAPTRRecord])
    case srv([SRVRecord])
    /// Numeric, of both families.
    case addresses([String])
    /// There is no such name, or it has no such record.
    case nothing
    case failed(DNSFailure)
}

/// Why a question has no answer.
public enum DNSFailure: Hashable, Sendable, CustomStringConvertible {
    /// No name server has answered.
    case timedOut
    /// A name server says that it cannot, or will not.
    case refused(String)
    /// This machine knows no name server.
    case noServer(String)

    public var description: String {
        switch self {
        case .timedOut: "no name server answers"
        case .refused(let words): "the name server does not answer the question (\(words))"
        case .noServer(let words): "no name server can be asked (\(words))"
        }
    }
}
