import SIP
import SignallingTransport
import TestPrograms
import Testing

@Suite("Datagrams") struct DatagramTests {
    @Test(
        "a datagram arrives with where it came from and which address it was sent to", arguments: ["127.0.0.1", "::1"])
    func sourceAndLocal(host: String) async throws {
        let one = try Side([.udp], host: host)
        let two = try Side([.udp], host: host)
        one.transport.send(bytes("OPTIONS"), to: try two.destination())
        let (text, source) = try #require(await two.inbox.received(7))
        #expect(text == "OPTIONS")
        #expect(source.remote == one.transport.listeners[0].address)
        #expect(source.local == two.transport.listeners[0].address)
        #expect(source.transport == .udp && source.connection == nil)
        two.transport.send(bytes("200"), to: SignallingDestination(transport: .udp, address: source.remote))
        #expect(await one.inbox.received(3)?.text == "200")
        await one.end()
        await two.end()
    }

    @Test("a socket bound to all addresses tells which one a datagram was sent to")
    func wildcard() async throws {
        let one = try Side([.udp])
        let two = try Side([.udp], host: "0.0.0.0")
        let port = two.transport.listeners[0].address.port
        one.transport.send(
            bytes("x"),
            to: SignallingDestination(transport: .udp, address: SignallingAddress(host: "127.0.0.2", port: port)))
        let (_, source) = try #require(await two.inbox.received())
        #expect(source.local == SignallingAddress(host: "127.0.0.2", port: port))
        await one.end()
        await two.end()
    }

    @Test("an answer leaves from the address that was asked (RFC 3581), whatever the route; what comes there later is heard")
    func askedAddress() async throws {
        let one = try Side([.udp])
        let two = try Side([.udp], host: "0.0.0.0")
        let asked = SignallingAddress(host: "127.0.0.2", port: two.transport.listeners[0].address.port)
        let question = SignallingDestination(transport: .udp, address: asked)
        one.transport.send(bytes("x"), to: question)
        let (_, source) = try #require(await two.inbox.received())
        let answer = SignallingDestination(transport: .udp, address: source.remote, local: source.local)
        two.transport.send(bytes("200"), to: answer)
        #expect(await one.inbox.received(3)?.source.remote == asked)
        one.transport.send(bytes("y"), to: question)
        #expect(await two.inbox.received(2)?.text == "xy")
        let sources = two.inbox.all.compactMap { if case .received(_, let source) = $0 { source } else { nil } }
        #expect(sources.map(\.local) == [asked, asked])
        two.transport.send(bytes("more"), to: SignallingDestination(transport: .udp, address: source.remote))
        #expect(await one.inbox.received(7)?.text == "200more")
        #expect(
            one.inbox.all.contains { event in
                if case .received(_, let source) = event { source.remote.host == "127.0.0.1" } else { false }
            })
        await one.end()
        await two.end()
    }

    @Test("of two sockets the one that was asked answers")
    func askedSocket() async throws {
        let one = try Side([.udp])
        let two = try Side {
            $0.listeners = ["127.0.0.1", "127.0.0.2"].map { .init(.udp, SignallingAddress(host: $0, port: 0)) }
        }
        let asked = two.transport.listeners[1].address
        one.transport.send(bytes("x"), to: SignallingDestination(transport: .udp, address: asked))
        let (_, source) = try #require(await two.inbox.received())
        two.transport.send(
            bytes("200"), to: SignallingDestination(transport: .udp, address: source.remote, local: source.local))
        #expect(await one.inbox.received(3)?.source.remote == asked)
        await one.end()
        await two.end()
    }

    @Test("both families may be bound to one port, and each sends its own")
    func bothFamilies() async throws {
        let port = try freePort()
        let one = try Side {
            $0.listeners = [
                .init(.udp, SignallingAddress(host: "0.0.0.0", port: port)),
                .init(.udp, SignallingAddress(host: "::", port: port)),
            ]
        }
        let four = try Side([.udp])
        let six = try Side([.udp], host: "::1")
        one.transport.send(bytes("4"), to: try four.destination())
        one.transport.send(bytes("6"), to: try six.destination())
        #expect(await four.inbox.received()?.source.remote == SignallingAddress(host: "127.0.0.1", port: port))
        #expect(await six.inbox.received()?.source.remote == SignallingAddress(host: "::1", port: port))
        for side in [one, four, six] { await side.end() }
    }

    @Test("a datagram of 60,000 bytes arrives whole")
    func large() async throws {
        let one = try Side([.udp])
        let two = try Side([.udp])
        one.transport.send([UInt8](repeating: 7, count: 60_000), to: try two.destination())
        #expect(await two.inbox.received(60_000)?.text.utf8.count == 60_000)
        await one.end()
        await two.end()
    }

    @Test("what cannot be sent is told: no socket of the family, no address, too long")
    func failures() async throws {
        let one = try Side([.udp])
        one.transport.send(
            [1], to: SignallingDestination(transport: .udp, address: SignallingAddress(host: "::1", port: 9)))
        #expect(await one.inbox.failed()?.1 == .noSocket(.udp, isV6: true))
        await one.end()
        let two = try Side([.udp])
        let name = SignallingDestination(transport: .udp, address: SignallingAddress(host: "host.example", port: 9))
        two.transport.send([1], to: name)
        #expect(await two.inbox.failed()?.1 == .notNumeric("host.example"))
        await two.end()
        let three = try Side([.udp])
        three.transport.send([UInt8](repeating: 0, count: 70_000), to: try three.destination())
        guard case .system? = await three.inbox.failed()?.1 else {
            Issue.record("70,000 bytes fit no datagram")
            return
        }
        await three.end()
    }

    @Test("a datagram that the system refuses is told, and the port is bound again: what comes later is heard and answered")
    func refused() async throws {
        let one = try Side([.udp])
        let two = try Side([.udp])
        // From an address of this machine alone no way leads there.
        one.transport.send(
            [1], to: SignallingDestination(transport: .udp, address: SignallingAddress(host: "192.0.2.1", port: 9)))
        #expect(await one.inbox.failed() != nil)
        var heard: SignallingSource?
        for _ in 0..<3000 where heard == nil {
            two.transport.send(bytes("x"), to: try one.destination())
            try await Task.sleep(for: .milliseconds(20))
            heard = one.inbox.all.compactMap { if case .received(_, let source) = $0 { source } else { nil } }.first
        }
        let source = try #require(heard, "the port is bound again")
        one.transport.send(bytes("200"), to: SignallingDestination(transport: .udp, address: source.remote))
        #expect(await two.inbox.received(3)?.text == "200")
        #expect(await two.inbox.received(3)?.source.remote == one.transport.listeners[0].address)
        await one.end()
        await two.end()
    }

    @Test("nothing is sent to nobody", arguments: [("127.0.0.1", 0), ("255.255.255.255", 9), ("fe80::1", 9)])
    func nobody(host: String, port: UInt16) async throws {
        let one = try Side([.udp], host: host.contains(":") ? "::1" : "127.0.0.1")
        let address = SignallingAddress(host: host, port: port)
        one.transport.send([1], to: SignallingDestination(transport: .udp, address: address))
        #expect(await one.inbox.failed()?.1 == .unsendable(address))
        await one.end()
    }

    @Test("an address in use is told when binding, and nothing stays bound")
    func addressInUse() async throws {
        let one = try Side([.udp, .tcp])
        let taken = one.transport.listeners[0].address
        #expect(throws: SignallingFailure.self) {
            try Side {
                $0.listeners = [.init(.tcp, SignallingAddress(host: "127.0.0.1", port: 0)), .init(.udp, taken)]
            }
        }
        await one.end()
        let again = try Side { $0.listeners = [.init(.udp, taken)] }
        await again.end()
    }

    @Test("the local address towards a destination is the route's")
    func localAddress() throws {
        let four = try SignallingAddress.local(towards: SignallingAddress(host: "127.0.0.9", port: 5060))
        #expect(four.host == "127.0.0.1")
        #expect(try SignallingAddress.local(towards: SignallingAddress(host: "::1", port: 0)).host == "::1")
        #expect(throws: SignallingFailure.notNumeric("x")) {
            try SignallingAddress.local(towards: SignallingAddress(host: "x", port: 1))
        }
    }
}
