public import Link

/// Addresses, and whose packets are taken.
public struct NetworkKeys: ConfigurationSection {
    public static let name = "network"
    public static let title = "Network"

    public let bind = ConfigurationKey(
        "bind", .address, unset: "all addresses", help: "Local address to send from and listen on")
    public let allow = ConfigurationKey(
        "allow", .list(of: .network, expectation: "a list of networks such as 192.0.2.0/24, 2001:db8::/32"),
        unset: "the first valid source", help: "Networks (CIDR) whose packets are taken")
    public let dns = ConfigurationKey(
        "dns", .list(of: .nameServer, expectation: "a list of addresses such as 192.0.2.53, [2001:db8::53]:5353"),
        unset: "the system's", help: "Name servers that are asked for SIP servers: ADDRESS[:PORT]")
    public let ice = ConfigurationKey(
        "ice", ValueForm<ICEMode>.cases("mode"), default: .auto,
        help:
            "Find a way through NATs (ICE): auto answers, and offers where stun or turn is set; relay shows servers only"
    )
    public let stun = ConfigurationKey(
        "stun", .list(of: .server, expectation: "a list of servers such as stun.example.com, 192.0.2.1:3478"),
        unset: "none", help: "STUN servers that tell how the other side sees us: HOST[:PORT], by UDP")
    public let turn = ConfigurationKey(
        "turn", .list(of: .relay, expectation: "a list of servers such as turn.example.com, turns:192.0.2.1:5349"),
        unset: "none", help: "TURN servers that relay: HOST[:PORT], turn:HOST?transport=tcp, turns:HOST (TLS)")
    public let turnCA = ConfigurationKey(
        "turn_ca", .text("file"), unset: "the system's",
        help: "PEM file of the authorities that a turns: server's certificate may have")
    public let turnUser = ConfigurationKey(
        "turn_user", .text("name"), unset: "none", help: "Name that the TURN servers know us by")
    public let turnPasswordFile = ConfigurationKey(
        "turn_password_file", .text("file"), unset: "no password",
        help: "File whose first line is the password for the TURN servers; nobody else should be able to read it")

    public init() {}
}

/// Whether calls find their way by ICE (RFC 8445).
public enum ICEMode: String, Sendable, CaseIterable {
    /// Neither offered nor answered.
    case off
    /// Answered where it is offered; offered where a server is configured.
    case auto
    /// Offered and answered always.
    case on
    /// As `on`, by relays only: of the media the other side never learns an address of ours.
    case relay
}

extension ValueForm where Value == ServerName {
    /// A server at its usual port or another.
    static var server: ValueForm {
        ValueForm(
            placeholder: "server", expectation: "a server such as stun.example.com or 192.0.2.1:3478, by UDP",
            parse: { text in ServerName(text).flatMap { $0.way == .udp ? $0 : nil } }, write: { $0.description })
    }

    /// A server that relays, by UDP, TCP or TLS.
    static var relay: ValueForm {
        ValueForm(
            placeholder: "server",
            expectation: "a server such as turn.example.com, turn:192.0.2.1:3478?transport=tcp or turns:turn.example.com",
            parse: { ServerName($0) }, write: { $0.description })
    }
}

extension ValueForm where Value == SocketAddress {
    /// A name server by its address, at the usual port or another.
    static var nameServer: ValueForm {
        ValueForm(
            placeholder: "server", expectation: "an address such as 192.0.2.53 or [2001:db8::53]:5353",
            parse: { text in
                if let address = try? IPAddress(text) { return SocketAddress(address, port: 53) }
                return (try? SocketAddress(parsing: text)).flatMap { $0.port == 0 ? nil : $0 }
            }, write: { $0.port == 53 ? "\($0.address)" : "\($0)" })
    }
}

extension ValueForm where Value == IPAddress {
    /// An IPv4 or IPv6 address.
    static var address: ValueForm {
        ValueForm(
            placeholder: "address", expectation: "an IP address such as 192.0.2.1 or 2001:db8::1",
            parse: { try? IPAddress($0) }, write: { "\($0)" })
    }
}

extension ValueForm where Value == CIDR {
    /// A network or a single address.
    static var network: ValueForm {
        ValueForm(
            placeholder: "cidr", expectation: "a network such as 192.0.2.0/24 or 2001:db8::/32",
            parse: { try? CIDR($0) }, write: { "\($0)" })
    }
}
