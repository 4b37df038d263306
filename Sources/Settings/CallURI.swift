import Codecs

/// Where RTCP goes.
public enum RTCPRoute: Sendable, Equatable {
    /// The port above RTP's (RFC 3550 section 11).
    case next
    /// The same port as RTP (RFC 5761).
    case mux
    case port(UInt16)
}

/// The far end of a raw RTP call: `rtp://HOST:PORT[?codec=NAME|any&pt=N&ptime=MS&rtcp=mux|PORT&local=PORT]`; of a conference
/// `&level=N&speakers=N` too.
public struct CallURI: Sendable, Equatable {
    /// Name or address; IPv6 without its brackets.
    public var host: String
    /// RTP port; 0 (listening only) lets the system choose.
    public var port: UInt16
    /// Codec of both directions; `nil` is the configured one, or the one that owns the static payload type.
    public var codec: Codec?
    /// `codec=any`: every codec is taken by its payload type, and answered in itself.
    public var takesAnyCodec = false
    /// RTP payload type of the audio, 0...127; `nil` is the codec's usual one.
    public var payloadType: UInt8?
    /// Packet length in ms; `nil` is the configured one.
    public var packetMilliseconds: Int?
    public var rtcp: RTCPRoute = .next
    /// Local RTP port of a call; `nil` lets the system choose.
    public var localPort: UInt16?
    /// Number of the header extension in which callers say how loud they are (RFC 6464); `nil`: they do not.
    public var levelNumber: UInt8?
    /// Number of the header extension in which callers are told who is heard, and how loud (RFC 6465); `nil`: they are not.
    public var speakersNumber: UInt8?
    /// Whether anything is told of levels.
    public var tellsLevels: Bool { levelNumber != nil || speakersNumber != nil }

    /// Numbers that the short form of a header extension has (RFC 8285 section 4.2).
    private static let extensionNumbers: ClosedRange<UInt8> = 1...14

    /// What the URI is for: it decides whether port 0 makes sense.
    public enum Role: Sendable { case call, listen }

    /// Reads a URI strictly: nothing is guessed and nothing is ignored.
    public init(parsing uri: String, role: Role) throws(SettingsError) {
        func fail(_ reason: String) -> SettingsError { .malformedURI(uri: uri, reason: reason) }
        let lower = uri.lowercased()
        if lower.hasPrefix("sip:") || lower.hasPrefix("sips:") {
            throw fail("a call by SIP stands alone: it is no party of a conference, and nothing else is given with it")
        }
        guard lower.hasPrefix("rtp://") else { throw fail("no rtp:// in front") }
        let rest = uri.dropFirst("rtp://".count)
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var authority = parts[0]
        if authority.hasSuffix("/") { authority.removeLast() }
        (host, port) = try Self.parseAuthority(authority, defaultPort: nil, fail)
        if port == 0 && role == .call { throw fail("port 0 cannot be called") }
        guard parts.count == 2 else { return }
        var seen: Set<String> = []
        for item in parts[1].split(separator: "&", omittingEmptySubsequences: false) {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard pair.count == 2 else { throw fail("'\(item)' is not KEY=VALUE") }
            guard seen.insert(pair[0]).inserted else { throw fail("\(pair[0]) stands twice") }
            try apply(pair[0], pair[1], fail)
        }
        if tellsLevels {
            if role == .call { throw fail("level and speakers are for a conference that listens") }
            if levelNumber == speakersNumber { throw fail("level and speakers have the same number") }
        }
        if role == .listen, localPort != nil { throw fail("the port behind the address is the local one; leave out local") }
        if takesAnyCodec, payloadType != nil { throw fail("codec=any takes every payload type; leave out pt") }
    }

    private mutating func apply(
        _ key: String, _ value: String, _ fail: (String) -> SettingsError
    ) throws(SettingsError) {
        switch key {
        case "codec" where value == "any":
            takesAnyCodec = true
        case "codec":
            do { codec = try Codec(named: value) } catch { throw fail("codec=\(value): \(error)") }
        case "pt":
            guard let number = UInt8(value), number < 128 else {
                throw fail("pt=\(value) is no payload type (0...127)")
            }
            // RFC 5761 section 4: 64...95 cannot be told from RTCP on one port, and are reserved in any case.
            if (64...95).contains(number) { throw fail("pt=\(value) would be taken for RTCP (RFC 5761)") }
            payloadType = number
        case "ptime":
            guard let number = Int(value), MediaKeys.packetMilliseconds.contains(number) else {
                let lengths = MediaKeys.packetMilliseconds.map(String.init).joined(separator: ", ")
                throw fail("ptime=\(value) is none of \(lengths)")
            }
            packetMilliseconds = number
        case "rtcp":
            if value == "mux" {
                rtcp = .mux
            } else {
                guard let number = UInt16(value), number > 0 else {
                    throw fail("rtcp=\(value) is neither mux nor a port")
                }
                rtcp = .port(number)
            }
        case "local":
            guard let number = UInt16(value), number > 0 else { throw fail("local=\(value) is no port") }
            localPort = number
        case "level": levelNumber = try Self.extensionNumber(key, value, fail)
        case "speakers": speakersNumber = try Self.extensionNumber(key, value, fail)
        default:
            throw fail("unknown key \(key)")
        }
    }

    private static func extensionNumber(
        _ key: String, _ value: String, _ fail: (String) -> SettingsError
    ) throws(SettingsError) -> UInt8 {
        guard let number = UInt8(value), extensionNumbers.contains(number) else {
            throw fail("\(key)=\(value) is no number of a header extension (1...14)")
        }
        return number
    }

    /// - Parameter defaultPort: where none is written; nil: one must be.
    static func parseAuthority(
        _ text: Substring, defaultPort: UInt16?, _ fail: (String) -> SettingsError
    ) throws(SettingsError) -> (String, UInt16) {
        var host: Substring
        var rest: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { throw fail("the address's bracket is not closed") }
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
            guard host.contains(":") else { throw fail("brackets are for IPv6 addresses") }
        } else {
            let colon = text.firstIndex(of: ":") ?? text.endIndex
            host = text[..<colon]
            rest = text[colon...]
            if rest.dropFirst().contains(":") { throw fail("an IPv6 address stands in brackets") }
        }
        if host.contains("@") { throw fail("there are no users here") }
        if host.contains("/") { throw fail("there are no paths here") }
        let allowed = host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
        guard !host.isEmpty, host.utf8.count <= 253, allowed else { throw fail("no host") }
        if rest.isEmpty, let defaultPort { return (String(host), defaultPort) }
        guard rest.hasPrefix(":") else { throw fail("no port") }
        rest.removeFirst()
        guard rest.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(rest) else {
            throw fail("'\(rest)' is no port (1...65535)")
        }
        return (String(host), port)
    }
}
