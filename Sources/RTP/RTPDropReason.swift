/// Why a datagram did not become media. The raw values are the names in statistics.
public enum RTPDropReason: String, Sendable, Hashable, CaseIterable {
    /// Shorter than its own header says.
    case truncated
    /// Not RTP version 2.
    case badVersion = "bad_version"
    /// RTCP where RTP was expected.
    case reservedPayloadType = "reserved_payload_type"
    /// Impossible padding count.
    case badPadding = "bad_padding"
    /// Not in the payload type table.
    case unknownPayloadType = "unknown_payload_type"
    /// No payload; some peers keep a port mapping open so (RFC 6263 section 4.3).
    case emptyPayload = "empty_payload"
    /// Sequence number seen before.
    case duplicate
    /// Our own SSRC came back: a loop or a collision (RFC 3550 section 8.2).
    case ownSource = "own_source"
    /// A telephone event that is malformed or no digit.
    case badTelephoneEvent = "bad_telephone_event"
    /// Redundant audio (RFC 2198) whose blocks do not fit the packet, or whose primary block is of no known type.
    case badRedundancy = "bad_redundancy"

    init(_ error: RTPParseError) {
        switch error {
        case .truncated: self = .truncated
        case .badVersion: self = .badVersion
        case .reservedPayloadType: self = .reservedPayloadType
        case .badPadding: self = .badPadding
        }
    }

    fileprivate var index: Int {
        switch self {
        case .truncated: 0
        case .badVersion: 1
        case .reservedPayloadType: 2
        case .badPadding: 3
        case .unknownPayloadType: 4
        case .emptyPayload: 5
        case .duplicate: 6
        case .ownSource: 7
        case .badTelephoneEvent: 8
        case .badRedundancy: 9
        }
    }
}

/// Dropped datagrams by reason.
public struct RTPDropCounts: Sendable {
    private var counts = InlineArray<10, Int>(repeating: 0)

    public init() {}

    /// Datagrams dropped for `reason`.
    public internal(set) subscript(reason: RTPDropReason) -> Int {
        get { counts[reason.index] }
        set { counts[reason.index] = newValue }
    }

    /// All drops.
    public var total: Int { RTPDropReason.allCases.reduce(0) { $0 + self[$1] } }
}
