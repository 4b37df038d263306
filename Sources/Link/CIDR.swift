/// A range of addresses, RFC 4632 notation.
public struct CIDR: Hashable, Sendable, CustomStringConvertible {
    public let address: IPAddress
    /// Leading bits that count: 0 to 32, or to 128.
    public let prefixLength: Int

    /// Parses `192.0.2.0/24`, `2001:db8::/32`, or a single address. Bits after the prefix are ignored.
    public init(_ text: String) throws(AddressError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first, let address = try? IPAddress(String(first)) else {
            throw .badCIDR(text)
        }
        let width = address.family == .v4 ? 32 : 128
        let bits = parts.count == 2 ? Int(parts[1]) : width
        guard let bits, bits >= 0, bits <= width else { throw .badCIDR(text) }
        self.address = address
        prefixLength = bits
    }

    /// Whether `other` is in the range; an address of the other family never is.
    public func contains(_ other: IPAddress) -> Bool {
        guard other.family == address.family else { return false }
        let free = UInt128((address.family == .v4 ? 32 : 128) - prefixLength)
        return free == 128 || (other.bits ^ address.bits) >> free == 0
    }

    public var description: String { "\(address)/\(prefixLength)" }
}
