import Signalling
import Synchronization
import TestPrograms
import Testing

@Suite("What comes by SIP and is dropped") struct DropTests {
    @Test("what is no SIP is counted, and changes nothing for the call that it comes beside") func noSIP() async throws {
        let mumbler = try Mumbler()
        let serving = Task { await mumbler.serve() }
        let drops = SignallingDrops()
        let phone = try Phone { $0.drops = drops }
        _ = phone.signalling.invite(
            OutgoingCall(target: "sip:somebody@127.0.0.1:\(mumbler.port)", media: LocalPorts(port: 40_000)))
        #expect(try await phone.ended().sipCode == 404)
        #expect(drops[.unparsable] == 1 && drops[.brokenStream] == 0)
        await phone.close()
        serving.cancel()
        await serving.value
    }
}

/// Answers the first INVITE by what is no SIP, and knows nobody when it is repeated.
private final class Mumbler: Sendable {
    private let server: DatagramServer
    private let invites = Atomic(0)

    init() throws { server = try DatagramServer() }

    var port: UInt16 { server.port }

    func serve() async {
        await server.serve { octets, _ in
            let text = String(decoding: octets, as: UTF8.self)
            guard text.hasPrefix("INVITE ") else { return nil }
            guard self.invites.add(1, ordering: .relaxed).oldValue > 0 else { return Array("no SIP\r\n\r\n".utf8) }
            return DatagramServer.reply(to: text, "404 Not Found")
        }
    }
}
