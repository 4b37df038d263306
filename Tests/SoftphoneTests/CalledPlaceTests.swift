import Glibc
import Link
import Media
import Network
import Realtime
import Softphone
import Testing

/// Whether ::1 can be bound here; containers often have no IPv6.
let hasIPv6 = (try? UDPSocket(binding: SocketAddress(IPAddress(v6: 1), port: 0))) != nil

@Suite("Where somebody is called") struct CalledPlaceTests {
    private static let v4 = IPAddress(v4: 0x7f00_0001)
    private static let v6 = IPAddress(v6: 1)

    /// Sends RTP to `place` until `listener` hears something; whether it did.
    private func isHeard(_ place: CalledPlace, by listener: UDPLink) -> Bool {
        let link = LatchingLink(over: place.socket, alternatives: Array(place.addresses.dropFirst()), seed: 7)
        let end = HostTime.monotonicNow().advanced(byMilliseconds: 1000 * patienceSeconds)
        var isHeard = false
        while !isHeard, HostTime.monotonicNow() < end {
            let now = HostTime.monotonicNow()
            link.send(copying: [0x80, 0, 0, 1] + [UInt8](repeating: 0, count: 16), on: .media, now: now)
            link.receive(now: now) { _ in }
            link.advance(to: now)
            var entries = listener.fileDescriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            poll(&entries, nfds_t(entries.count), 10)
            listener.receive(now: now) { _ in isHeard = true }
        }
        return isHeard
    }

    @Test("an address of the other family is tried where nobody listens at the first", .enabled(if: hasIPv6))
    func otherFamily() throws {
        for (closed, open) in [(Self.v6, Self.v4), (Self.v4, Self.v6)] {
            let listener = try UDPLink(bind: open)
            let place = try CalledPlace(
                [SocketAddress(closed, port: listener.local.port), listener.local], rtcp: .separate())
            #expect(place.addresses.count == 2 && place.socket.peer?.media.address == closed)
            #expect(isHeard(place, by: listener), "from \(closed) to \(open)")
        }
    }

    @Test("one of the same family too")
    func sameFamily() throws {
        let listener = try UDPLink(bind: Self.v4)
        // A loopback address that no other test uses.
        let closed = SocketAddress(IPAddress(v4: 0x7f00_004e), port: listener.local.port)
        #expect(isHeard(try CalledPlace([closed, listener.local], rtcp: .mux), by: listener))
    }

    @Test("addresses of the local one's family are left; where there are none, the first")
    func bound() throws {
        let addresses = [SocketAddress(Self.v6, port: 5004), SocketAddress(Self.v4, port: 5004)]
        #expect(try CalledPlace(addresses, bind: Self.v4, rtcp: .mux).addresses == [addresses[1]])
        #expect(try CalledPlace([addresses[0]], bind: Self.v4, rtcp: .mux).addresses == [addresses[0]])
    }
}
