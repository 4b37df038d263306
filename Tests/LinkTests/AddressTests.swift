import Link
import Testing

@Suite struct AddressTests {
    @Test(arguments: ["192.0.2.1:5004", "[2001:db8::1]:5004", "[::]:0", "0.0.0.0:65535"])
    func addressesPrintAsTheyAreWritten(text: String) throws {
        #expect(try SocketAddress(parsing: text).description == text)
    }

    @Test(arguments: [
        "", "192.0.2.1", "192.0.2.1:", "192.0.2.1:65536", "192.0.2.1:-1", "192.0.2:5004", "2001:db8::1:5004",
        "[192.0.2.1]:5004", "[2001:db8::1]", "[]:1", "host:5004", "[2001:db8::1:5004",
    ])
    func whatIsNoAddressIsRefused(text: String) {
        #expect(throws: AddressError.badAddress(text)) { try SocketAddress(parsing: text) }
    }

    @Test func aMappedIPv4AddressIsTheIPv4Address() throws {
        #expect(try IPAddress("::ffff:192.0.2.1") == IPAddress("192.0.2.1"))
    }

    @Test(arguments: [
        ("192.0.2.0/24", "192.0.2.255", true), ("192.0.2.0/24", "192.0.3.0", false),
        ("192.0.2.77/24", "192.0.2.1", true), ("0.0.0.0/0", "203.0.113.9", true),
        ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
        ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::", false),
        ("::/0", "2001:db8::", true), ("::/0", "192.0.2.1", false), ("::1/128", "::1", true),
    ])
    func rangesHoldTheirAddresses(range: String, address: String, isInside: Bool) throws {
        #expect(try CIDR(range).contains(IPAddress(address)) == isInside)
    }

    @Test(arguments: ["", "192.0.2.0/33", "192.0.2.0/-1", "192.0.2.0/", "192.0.2.0/24/8", "2001:db8::/129", "lan/8"])
    func whatIsNoRangeIsRefused(text: String) {
        #expect(throws: AddressError.badCIDR(text)) { try CIDR(text) }
    }
}
