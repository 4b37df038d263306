/// Why a packet, or whoever sent it, was not let in at a port that many share. The raw values are the names in reports.
public enum PortRefusal: String, Sendable, Hashable, CaseIterable {
    /// As many calls as there may be.
    case full
    /// Too many streams of one address and port.
    case tooManyOfOneSource = "too_many_of_one_source"
    /// The machine is late already: one more call would be heard by all others.
    case late
    /// Memory, descriptors or threads are nearly used up.
    case resources
    /// From an address that is not allowed, or RTCP of no call.
    case stranger
    /// Neither RTP of an expected payload type nor RTCP.
    case garbage
    /// So many unproven streams that another one is not looked at.
    case flood
    /// A packet of a stream that was refused within the last second; it is not counted again.
    case refusedBefore = "refused_before"

    /// Whether it says that a caller was turned away, and not that a packet was worth nothing.
    public var isOfCaller: Bool {
        switch self {
        case .full, .tooManyOfOneSource, .late, .resources: true
        case .stranger, .garbage, .flood, .refusedBefore: false
        }
    }
}

/// How often each refusal happened.
public struct RefusalCounts: Sendable, Equatable {
    private var counts = [Int](repeating: 0, count: PortRefusal.allCases.count)

    public init() {}

    public subscript(reason: PortRefusal) -> Int {
        get { counts[Self.index(of: reason)] }
        set { counts[Self.index(of: reason)] = newValue }
    }

    /// Those that happened, by name.
    public var table: [String: Int] {
        Dictionary(uniqueKeysWithValues: PortRefusal.allCases.map { ($0.rawValue, self[$0]) }.filter { $0.1 > 0 })
    }

    /// Callers turned away.
    public var callers: Int { PortRefusal.allCases.filter(\.isOfCaller).reduce(0) { $0 + self[$1] } }

    /// Adds what another one counted.
    public mutating func add(_ other: RefusalCounts) { for index in counts.indices { counts[index] += other.counts[index] } }

    private static func index(of reason: PortRefusal) -> Int {
        switch reason {
        case .full: 0
        case .tooManyOfOneSource: 1
        case .late: 2
        case .resources: 3
        case .stranger: 4
        case .garbage: 5
        case .flood: 6
        case .refusedBefore: 7
        }
    }
}
