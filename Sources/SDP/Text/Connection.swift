/// A `c=` line (RFC 8866 section 5.7).
public struct Connection: Hashable, Sendable {
    /// `IN`.
    public var networkType: String
    /// `IP4` or `IP6`.
    public var addressType: String
    /// Numeric, or a host name; without the time to live and count of a multicast address.
    public var address: String
    /// What follows the address after a slash: time to live and count of multicast addresses.
    public var suffix: String?

    public init(networkType: String = "IN", addressType: String, address: String, suffix: String? = nil) {
        self.networkType = networkType
        self.addressType = addressType
        self.address = address
        self.suffix = suffix
    }

    /// The line for a numeric address; one with a colon is an IPv6 address.
    public init(address: String) {
        self.init(addressType: address.utf8.contains(.colon) ? "IP6" : "IP4", address: address)
    }

    init?(line: ArraySlice<UInt8>) {
        var reader = LineReader(line)
        guard let network = reader.word(), network.isToken, let type = reader.word(), type.isToken,
            let whole = reader.word(), reader.word() == nil
        else { return nil }
        let slash = whole.firstIndex(of: .slash)
        let address = whole[..<(slash ?? whole.endIndex)]
        guard !address.isEmpty else { return nil }
        self.init(
            networkType: network.text, addressType: type.text, address: address.text,
            suffix: slash.map { whole[($0 + 1)...].text })
    }

    var text: String { "\(networkType) \(addressType) \(address)" + (suffix.map { "/\($0)" } ?? "") }
}
