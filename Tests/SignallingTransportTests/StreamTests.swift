import Glibc
import Realtime
import SIP
import SignallingTransport
import TestPrograms
import Testing

@Suite("Streams") struct StreamTests {
    @Test("bytes open a stream, arrive as they were, and go back over it by its number")
    func thereAndBack() async throws {
        let server = try Side([.tcp])
        let phone = try Side()
        phone.transport.send(bytes("INVITE"), to: try server.destination(.tcp))
        let (text, source) = try #require(await server.inbox.received(6))
        #expect(text == "INVITE")
        let opened = try #require(await phone.inbox.opened())
        #expect(opened.local == source.remote)
        #expect(source.local == server.transport.listeners[0].address)
        let back = SignallingDestination(transport: .tcp, address: source.remote, connection: source.connection)
        server.transport.send(bytes("100"), to: back)
        #expect(await phone.inbox.received(3)?.source.connection == opened.id)
        await phone.end()
        await server.end()
    }

    @Test("what is sent while a stream is being opened waits, in order")
    func queued() async throws {
        let server = try Side([.tcp])
        let phone = try Side()
        for text in ["one ", "two ", "three"] { phone.transport.send(bytes(text), to: try server.destination(.tcp)) }
        #expect(await server.inbox.received(13)?.text == "one two three")
        await phone.end()
        await server.end()
    }

    @Test("requests to one address share the stream that this side opened")
    func reused() async throws {
        let server = try Side([.tcp])
        let phone = try Side()
        phone.transport.connect(to: try server.destination(.tcp))
        let opened = try #require(await phone.inbox.opened())
        phone.transport.send(bytes("abc"), to: try server.destination(.tcp))
        #expect(await server.inbox.received(3) != nil)
        #expect(phone.inbox.all.count(where: { if case .opened = $0 { true } else { false } }) == 1)
        phone.transport.close(opened.id)
        #expect(await phone.inbox.closed()?.1 == .closedByUs)
        #expect(await server.inbox.closed()?.1 == .closedByPeer)
        phone.transport.send(bytes("d"), to: opened.destination)
        #expect(await server.inbox.received(4)?.text == "abcd", "a stream that is gone is opened again")
        await phone.end()
        await server.end()
    }

    @Test("an inbound stream carries answers by its number, and requests only as an alias (RFC 5923)")
    func alias() async throws {
        let server = try Side([.tcp])
        let phone = try Side([.tcp])
        phone.transport.send(bytes("x"), to: try server.destination(.tcp))
        let (_, source) = try #require(await server.inbox.received())
        let listening = try phone.destination(.tcp)
        server.transport.alias(try #require(source.connection), to: listening.address)
        server.transport.send(bytes("alias"), to: listening)
        let (_, back) = try #require(await phone.inbox.received(5))
        #expect(back.connection == (await phone.inbox.opened())?.id, "over the phone's own stream")
        await phone.end()
        await server.end()

        let other = try Side([.tcp])
        let caller = try Side([.tcp])
        caller.transport.send(bytes("x"), to: try other.destination(.tcp))
        #expect(await other.inbox.received() != nil)
        other.transport.send(bytes("y"), to: try caller.destination(.tcp))
        #expect(await caller.inbox.opened(inbound: true) != nil, "without an alias a stream of its own")
        await caller.end()
        await other.end()
    }

    @Test("a port where nothing listens is told as refused, and an answer to a stream that is gone too")
    func refused() async throws {
        let phone = try Side()
        let address = SignallingAddress(host: "127.0.0.1", port: try freePort())
        phone.transport.send([1], to: SignallingDestination(transport: .tcp, address: address))
        let (destination, failure) = try #require(await phone.inbox.failed())
        #expect(failure == .refused)
        #expect(destination.address == address)
        await phone.end()
        let other = try Side()
        let nowhere = SignallingDestination(
            transport: .tcp, address: SignallingAddress(host: "127.0.0.1", port: 0),
            connection: SignallingConnectionID(number: 77))
        other.transport.send([1], to: nowhere)
        #expect(await other.inbox.failed()?.1 == .noSuchConnection)
        await other.end()
    }

    @Test("whoever listened at a port may do so again at once, though a stream of before lingers there")
    func listensAgain() async throws {
        let former = try Side([.tcp])
        let phone = try Side()
        phone.transport.send(bytes("x"), to: try former.destination(.tcp))
        #expect(await former.inbox.received() != nil)
        let address = try former.destination(.tcp).address
        // Who closes first keeps the pair of ports for a minute.
        await former.end()
        let next = try Side { $0.listeners = [.init(.tcp, address)] }
        #expect(next.transport.listeners.map(\.address) == [address])
        await next.end()
        await phone.end()
    }

    @Test("a server that takes the connection and never answers the TLS handshake is given up")
    func silentServer() async throws {
        let server = try Side([.tcp])
        let phone = try Side { $0.connectTimeout = 0.05 }
        var destination = try server.destination(.tcp, serverName: "sip.example.test")
        destination.transport = .tls
        phone.transport.send([1], to: destination)
        #expect(await phone.inbox.failed()?.1 == .timedOut)
        await phone.end()
        await server.end()
    }

    @Test("a stream over which nothing passes is closed, as is one that never said anything")
    func idle() async throws {
        for (idleTime, silentTime) in [(0.05, 900.0), (900, 0.05)] {
            let server = try Side([.tcp]) {
                $0.idleTime = idleTime
                $0.silentTime = silentTime
            }
            let phone = try Side()
            phone.transport.connect(to: try server.destination(.tcp))
            #expect(await server.inbox.closed()?.1 == .idle)
            #expect(await phone.inbox.closed()?.1 == .closedByPeer)
            await phone.end()
            await server.end()
        }
    }

    @Test("a stream of which nothing is acknowledged for half a minute is over, whoever opened it (RFC 5482)")
    func userTimeout() async throws {
        let server = try Side([.tcp])
        let phone = try Side()
        phone.transport.send(bytes("x"), to: try server.destination(.tcp))
        #expect(await server.inbox.received() != nil)
        // Both ends are sockets of this program.
        let limited = (3..<CInt(4096)).count { descriptor in
            var milliseconds: CInt = 0
            var size = socklen_t(MemoryLayout<CInt>.size)
            // TCP_USER_TIMEOUT of IPPROTO_TCP
            return getsockopt(descriptor, 6, 18, &milliseconds, &size) == 0 && milliseconds == 30_000
        }
        #expect(limited >= 2)
        await phone.end()
        await server.end()
    }

    @Test("a source may have so many streams and no more; those it has go on")
    func caps() async throws {
        let server = try Side([.tcp]) { $0.maximumInboundPerSource = 2 }
        let first = try Side(), second = try Side(), third = try Side()
        for phone in [first, second] {
            phone.transport.connect(to: try server.destination(.tcp))
            #expect(await phone.inbox.opened() != nil)
        }
        // Both are known at the server before the third comes.
        for _ in 0..<30_000 where server.inbox.all.count < 2 { try await Task.sleep(for: .milliseconds(2)) }
        third.transport.connect(to: try server.destination(.tcp))
        #expect(await third.inbox.closed() != nil)
        first.transport.send(bytes("still here"), to: try server.destination(.tcp))
        #expect(await server.inbox.received(10)?.text == "still here")
        for side in [first, second, third, server] { await side.end() }
    }

    @Test("a peer that takes nothing does not make us keep more than the limit")
    func slowPeer() async throws {
        // A listener that never accepts nor reads: the system's buffers fill, then ours.
        let listener = try LoopbackSocket(.listening(backlog: 4))
        defer { withExtendedLifetime(listener) {} }
        let phone = try Side { $0.queuedBytes = 65_536 }
        let destination = SignallingDestination(
            transport: .tcp, address: SignallingAddress(host: "127.0.0.1", port: listener.port))
        phone.transport.connect(to: destination)
        let opened = try #require(await phone.inbox.opened())
        for _ in 0..<2000 {
            phone.transport.send([UInt8](repeating: 1, count: 16_384), to: opened.destination)
            if phone.inbox.all.count > 1 { break }
        }
        #expect(await phone.inbox.closed()?.1 == .peerTooSlow)
        await phone.end()
    }

    @Test("one wake-up at a deadline; the last one asked for counts")
    func wake() async throws {
        let phone = try Side()
        let now = HostTime.monotonicNow()
        phone.transport.wake(at: now.advanced(byMilliseconds: 1_000_000))
        phone.transport.wake(at: now.advanced(byMilliseconds: 20))
        let time = try #require(await phone.inbox.wait { if case .awake(let time) = $0 { time } else { nil } })
        #expect(time >= now.advanced(byMilliseconds: 20))
        // Later than this machine stands still between here and there.
        let cancelled = HostTime.monotonicNow().advanced(byMilliseconds: 500)
        phone.transport.wake(at: cancelled)
        phone.transport.wake(at: nil)
        phone.transport.wake(at: .zero)
        for _ in 0..<30_000 where phone.inbox.all.count < 2 || HostTime.monotonicNow() <= cancelled {
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(phone.inbox.all.count == 2, "a deadline in the past comes at once, the cancelled one never")
        await phone.end()
    }

    @Test("an actor may live on the transport's thread")
    func executor() async throws {
        actor Agent {
            nonisolated let transport: SignallingTransport
            init(_ transport: SignallingTransport) { self.transport = transport }
            nonisolated var unownedExecutor: UnownedSerialExecutor { transport.unownedExecutor }
            func thread() -> UInt { UInt(pthread_self()) }
        }
        let phone = try Side()
        let agent = Agent(phone.transport)
        // Whoever else runs may do so on any thread: only the agent's own is known.
        var threads: Set<UInt> = []
        for _ in 0..<50 {
            threads.insert(await agent.thread())
            await Task.yield()
        }
        #expect(threads.count == 1)
        await phone.end()
    }

    @Test("nothing is told after the end")
    func end() async throws {
        let server = try Side([.tcp, .udp])
        let phone = try Side([.udp])
        phone.transport.connect(to: try server.destination(.tcp))
        #expect(await phone.inbox.opened() != nil)
        await phone.end()
        let count = phone.inbox.all.count
        #expect(await server.inbox.closed() != nil)
        #expect(phone.inbox.all.count == count)
        await server.end()
    }
}
