import Link
import Network
import Testing

@Suite("Addresses that can be reached") struct ReachableAddressTests {
    @Test("from an address of one family are those of that family") func family() {
        let v4 = SocketAddress(IPAddress(v4: 0x7f00_0001), port: 5004)
        let v6 = SocketAddress(IPAddress(v6: 1), port: 5004)
        #expect(reachable([v6, v4], from: IPAddress(v4: 0x7f00_0001)) == [v4])
        if hasIPv6 { #expect(reachable([v4, v6], from: IPAddress(v6: 1)) == [v6]) }
        #expect(reachable([v4], from: nil) == [v4])
    }

    @Test("are none without a route, or from an address that is not ours") func none() throws {
        // 240.0.0.0/4 is reserved (RFC 1112 section 4): no socket sends there.
        #expect(reachable([SocketAddress(try IPAddress("255.255.255.255"), port: 5004)]).isEmpty)
        let v4 = SocketAddress(IPAddress(v4: 0x7f00_0001), port: 5004)
        #expect(reachable([v4], from: try IPAddress("192.0.2.1")).isEmpty)
    }
}
