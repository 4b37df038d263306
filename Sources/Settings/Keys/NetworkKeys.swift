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

    public init() {}
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
