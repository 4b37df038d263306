import Signalling
import TestPrograms
import Testing

/// A name with an address of each family, of which only the IPv4 one answers; over real sockets.
@Suite("A callee with addresses of both families") struct TwoFamiliesTests {
    @Test("one whose IPv6 address is silent is called by IPv4, and told where IPv4 leads to us") func silentV6() async throws {
        let server = try DatagramServer()
        let serving = Task { await server.serve { query, _ in addresses(query) } }
        let caller = try Phone {
            $0.listeners = ["127.0.0.1", "::1"].map { .init(.udp, address: $0, port: 0) }
            $0.nameServers = ["127.0.0.1:\(server.port)"]
        }
        try await withPhones(caller, Phone()) { caller, callee in
            _ = caller.signalling.invite(
                OutgoingCall(target: "sip:phone@dual.test:\(callee.port)", media: LocalPorts(port: 40_000)))
            let (call, _) = try await callee.incoming()
            callee.signalling.prepare(call, media: LocalPorts(port: 41_000))
            callee.signalling.answer(call)
            try await caller.answered()
            #expect(try await callee.agreement().remote.map { "\($0)" } == "127.0.0.1:40000")
            #expect(try await caller.agreement().remote.map { "\($0)" } == "127.0.0.1:41000")
        }
        serving.cancel()
        await serving.value
    }
}

/// A name server's answer to whatever name: loopback in either family.
private func addresses(_ query: [UInt8]) -> [UInt8]? {
    guard query.count > 12, let end = query[12...].firstIndex(of: 0), end + 4 < query.count else { return nil }
    let loopback: [UInt8]
    switch query[end + 2] {
    case 1: loopback = [127, 0, 0, 1]
    case 28: loopback = [UInt8](repeating: 0, count: 15) + [1]
    default: return nil
    }
    // The question again, and its name by a pointer: type, class, 60 s to live.
    let head: [UInt8] = Array(query[..<2]) + [0x85, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]
    let record: [UInt8] = [0xc0, 12, 0, query[end + 2], 0, 1, 0, 0, 0, 60, 0, UInt8(loopback.count)]
    return head + query[12...end + 4] + record + loopback
}
