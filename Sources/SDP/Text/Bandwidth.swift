/// A `b=` line (RFC 8866 section 5.8).
public struct Bandwidth: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// Kilobits a second with IP and UDP headers, RFC 8866.
        case applicationSpecific
        /// Kilobits a second of all media together, RFC 8866.
        case conferenceTotal
        /// Bits a second without IP and UDP headers, RFC 3890.
        case transportIndependent
        /// RTCP of senders, bits a second, RFC 3556.
        case rtcpSenders
        /// RTCP of receivers, bits a second, RFC 3556.
        case rtcpReceivers
        case other(String)

        init(name: String) {
            self =
                switch name {
                case "AS": .applicationSpecific
                case "CT": .conferenceTotal
                case "TIAS": .transportIndependent
                case "RS": .rtcpSenders
                case "RR": .rtcpReceivers
                default: .other(name)
                }
        }

        var name: String {
            switch self {
            case .applicationSpecific: "AS"
            case .conferenceTotal: "CT"
            case .transportIndependent: "TIAS"
            case .rtcpSenders: "RS"
            case .rtcpReceivers: "RR"
            case .other(let name): name
            }
        }
    }

    public var kind: Kind
    /// In the unit of the kind.
    public var value: UInt64

    public init(_ kind: Kind, _ value: UInt64) {
        self.kind = kind
        self.value = value
    }

    init?(line: ArraySlice<UInt8>) {
        var reader = LineReader(line)
        guard let name = reader.part(before: .colon), name.isToken else { return nil }
        guard let number = reader.word(), let value: UInt64 = number.decimal(), reader.word() == nil else { return nil }
        self.init(Kind(name: name.text), value)
    }

    var text: String { "\(kind.name):\(value)" }
}
