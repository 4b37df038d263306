import Realtime
import SIP

/// One datagram, or octets of a stream, as they went or came: what a trace of signalling shows. On TLS they are the decrypted ones.
public struct TracedMessage: Sendable, Hashable {
    public enum Direction: String, Sendable, Hashable { case sent, received }

    public var direction: Direction
    /// `udp`, `tcp` or `tls`.
    public var transport: String
    /// Numeric address and port of the other side.
    public var remote: String
    public var octets: [UInt8]

    public init(_ direction: Direction, transport: String, remote: String, octets: [UInt8]) {
        self.direction = direction
        self.transport = transport
        self.remote = remote
        self.octets = octets
    }

    init(_ direction: Direction, _ octets: [UInt8], _ transport: SignallingProtocol, _ remote: SignallingAddress) {
        self.init(direction, transport: transport.rawValue, remote: "\(remote)", octets: octets)
    }

    /// Whether there is nothing but line ends: a keep-alive.
    public var isKeepAlive: Bool { octets.allSatisfy { $0 == 13 || $0 == 10 } }

    /// The message as text for a file or a terminal. Secrets are masked (`SecretMask`), line ends are plain, and what is no printable
    /// ASCII, nor a letter in UTF-8, is escaped as `\xNN`.
    public var text: String {
        // By scalars: a line end is one character of a Swift string.
        let scalars = Array(String(decoding: SecretMask.mask(octets), as: UTF8.self).unicodeScalars)
        var text = ""
        for (index, scalar) in scalars.enumerated() {
            let isEnd = scalar == "\r" && index + 1 < scalars.count && scalars[index + 1] == "\n"
            if !isEnd { text += scalar == "\n" ? "\n" : Self.printable(scalar) }
        }
        return text
    }

    private static func printable(_ scalar: Unicode.Scalar) -> String {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
            if scalar == "\t" { return "\t" }
            let digits = String(scalar.value, radix: 16)
            return "\\x" + (digits.count < 2 ? "0" : "") + digits
        default: return String(scalar)
        }
    }
}
