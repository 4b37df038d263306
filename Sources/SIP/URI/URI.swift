/// A URI as it stands in a request line or an address.
public enum URI: Hashable, Sendable, CustomStringConvertible {
    /// `sip:` and `sips:`.
    case sip(SIPURI)
    /// `tel:`, RFC 3966.
    case tel(TelURI)
    /// Any other scheme, kept as written.
    case other(scheme: String, text: String)

    /// Reads a URI; nil when it is not well formed, or has blanks or control characters in it.
    public init?(_ text: String) { self.init(bytes: Array(text.utf8)[...]) }

    /// `inRequestLine`: header fields in the URI (`?Route=...`) are refused there (RFC 3261 section 19.1.1).
    init?(bytes: ArraySlice<UInt8>, inRequestLine: Bool = false) {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > bytes.startIndex else { return nil }
        let scheme = bytes[..<colon]
        guard let first = scheme.first, ByteClass.isLetter(first),
            scheme.allSatisfy({ ByteClass.isAlphanumeric($0) || $0 == 43 || $0 == 45 || $0 == 46 }),
            bytes.allSatisfy({ $0 > 32 && $0 != 127 && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") })
        else { return nil }
        let rest = bytes[(colon + 1)...]
        switch scheme.text.asciiLowercased {
        case "sip", "sips":
            guard let uri = SIPURI(isSecure: scheme.count == 4, rest: rest) else { return nil }
            if inRequestLine, !uri.headers.isEmpty { return nil }
            self = .sip(uri)
        case "tel":
            guard let uri = TelURI(rest: rest) else { return nil }
            self = .tel(uri)
        case let name:
            guard !rest.isEmpty else { return nil }
            self = .other(scheme: name, text: bytes.text)
        }
    }

    public var text: String {
        switch self {
        case .sip(let uri): uri.text
        case .tel(let uri): uri.text
        case .other(_, let text): text
        }
    }

    public var description: String { text }

    public var sip: SIPURI? { if case .sip(let uri) = self { uri } else { nil } }

    public var isSecure: Bool { sip?.isSecure ?? false }

    /// Whether both mean the same (RFC 3261 section 19.1.4, RFC 3966 section 4). This is not `==`, which compares the text.
    public func isEquivalent(to other: URI) -> Bool {
        switch (self, other) {
        case (.sip(let left), .sip(let right)): left.isEquivalent(to: right)
        case (.tel(let left), .tel(let right)): left.isEquivalent(to: right)
        case (.other(_, let left), .other(_, let right)): left == right
        default: false
        }
    }
}
