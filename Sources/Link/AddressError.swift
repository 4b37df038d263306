/// Text that is no address; each case says what to write.
public enum AddressError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not an IP address or not `ADDRESS:PORT`.
    case badAddress(String)
    /// Not `ADDRESS/BITS`.
    case badCIDR(String)

    /// One line: what, and what to do.
    public var description: String {
        switch self {
        case .badAddress(let text): "\(text) is no IP address; write 192.0.2.1, 192.0.2.1:5004 or [2001:db8::1]:5004"
        case .badCIDR(let text): "\(text) is no address range; write 192.0.2.0/24 or 2001:db8::/32"
        }
    }
}
