import Realtime
import SIP
import Testing

/// The way to the registrar is kept open, and a dead one is made anew (RFC 5626 sections 4.2.1 and 4.4, RFC 6223).
@Suite("Keep-alive of registrations") struct KeepAliveTests {
    private let id = AccountID("a")

    private func bench(_ change: (inout Account) -> Void = { _ in }) throws -> Bench {
        try Bench(registering: id, change)
    }

    /// Registers over TCP, over a stream of its own.
    private func benchOverStream(_ fields: [(HeaderName, String)] = [], keepAlive: Double? = nil, probe: Double? = nil)
        throws -> (Bench, SignallingSource)
    {
        let bench = try bench {
            $0.registrar = URI("sip:192.0.2.9;transport=tcp")?.sip
            ($0.keepAlive, $0.probe) = (keepAlive, probe)
        }
        let stream = SignallingSource(
            transport: .tcp, remote: SignallingAddress(host: "192.0.2.9", port: 5060),
            connection: SignallingConnectionID(number: 1))
        bench.peer = stream
        bench.answer(try bench.request(.register), 200, [(.expires, "3600")] + fields)
        #expect(bench.registrations.count == 1)
        return (bench, stream)
    }

    @Test("the way is kept open: by UDP within 29 s, on a stream within 120 s, or as the account says; 0 never")
    func keptOpen() throws {
        let byUDP = try bench()
        byUDP.answer(try byUDP.request(.register), 200, [(.expires, "3600")])
        byUDP.advance(290_000)
        #expect((10...13).contains(byUDP.rawSent.count), "\(byUDP.rawSent.count)")
        #expect(byUDP.rawSent.allSatisfy { $0 == [13, 10, 13, 10] })
        #expect(byUDP.failures.isEmpty)
        for (keepAlive, expected) in [(nil, 5...7), (3, 200...260), (0, 0...0)] as [(Double?, ClosedRange<Int>)] {
            let (bench, _) = try benchOverStream(keepAlive: keepAlive)
            bench.advance(600_000)
            #expect(expected.contains(bench.rawSent.count), "\(String(describing: keepAlive)): \(bench.rawSent.count)")
            // A server that never spoke of pongs owes none.
            #expect(bench.failures.isEmpty)
        }
    }

    @Test("a stream that no longer answers pings is closed and the account registers anew; one that never did is left alone")
    func wedged() throws {
        let (bench, stream) = try benchOverStream(keepAlive: 3)
        bench.advance(3000)
        bench.feed([13, 10], from: stream)
        bench.advance(2000)
        #expect(bench.failures.isEmpty)
        bench.advance(16_000)
        #expect(bench.closed == [SignallingConnectionID(number: 1)])
        #expect(bench.failures.first?.kind == .network)
        #expect(bench.failures.first?.reason.contains("no longer answers") == true)
        #expect(bench.requests(.register).count == 2)
    }

    @Test("a line end that answers no ping promises no pongs") func loneLineEnd() throws {
        let (bench, stream) = try benchOverStream()
        bench.feed([13, 10], from: stream)
        for _ in 0..<3 where bench.rawSent.isEmpty { bench.advance(40_000) }
        #expect(!bench.rawSent.isEmpty)
        bench.advance(11_000)
        bench.feed([13, 10], from: stream)
        bench.advance(300_000)
        #expect(bench.failures.isEmpty && bench.closed.isEmpty)
    }

    @Test("a pong that an old connection owed is not asked of the new one") func newConnection() throws {
        let (bench, stream) = try benchOverStream(keepAlive: 3)
        bench.advance(3000)
        bench.feed([13, 10], from: stream)
        bench.advance(3000)
        #expect(bench.rawSent.count == 2, "a pong is awaited")
        bench.agent.transportFailed(SignallingDestination(transport: .tcp, address: stream.remote), now: bench.now)
        bench.collect()
        bench.advance(2001)
        bench.peer.connection = SignallingConnectionID(number: 2)
        bench.answer(try bench.request(.register), 200, [(.expires, "3600")])
        #expect(bench.registrations.count == 2)
        bench.advance(30_000)
        #expect(bench.closed.isEmpty)
        #expect(bench.failures.count == 1)
    }

    @Test("another stream to the same server, for another name, comes and goes: the registration stays")
    func otherStream() throws {
        let (bench, stream) = try benchOverStream(keepAlive: 3)
        var other = stream
        other.connection = SignallingConnectionID(number: 2)
        bench.feed([13, 10, 13, 10], from: other)
        let gone = SignallingDestination(
            transport: .tcp, address: stream.remote, connection: other.connection, serverName: "other.example.com")
        bench.agent.transportFailed(gone, now: bench.now)
        bench.collect()
        #expect(bench.failures.isEmpty && bench.requests(.register).count == 1)
        bench.agent.transportFailed(
            SignallingDestination(transport: .tcp, address: stream.remote, connection: stream.connection), now: bench.now)
        bench.collect()
        #expect(bench.failures.count == 1)
    }

    @Test("a Flow-Timer says how often, and that pongs will come") func flowTimer() throws {
        let (bench, stream) = try benchOverStream([(HeaderName("Flow-Timer"), "20")])
        for _ in 0..<40 {
            bench.advance(5000)
            bench.feed([13, 10], from: stream)
        }
        #expect(bench.failures.isEmpty)
        #expect((10...13).contains(bench.rawSent.count))
        bench.advance(31_000)
        #expect(bench.failures.count >= 1)
    }

    @Test("whoever takes the registration back sends no keep-alive any more") func takenBack() throws {
        let (bench, _) = try benchOverStream(keepAlive: 3)
        try bench.agent.unregister(id, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.register), 200)
        let before = bench.rawSent.count
        bench.advance(600_000)
        #expect(bench.rawSent.count == before)
        #expect(bench.failures.isEmpty)
    }

    /// Registers by UDP at a registrar that promises to answer.
    private func benchOverUDP(_ fields: [(HeaderName, String)] = [], keepAlive: Double? = nil) throws -> Bench {
        let bench = try bench { $0.keepAlive = keepAlive }
        bench.answer(try bench.request(.register), 200, [(.expires, "3600")] + fields)
        bench.clear()
        return bench
    }

    private func seen(_ port: UInt16) -> SignallingAddress { SignallingAddress(host: "198.51.100.1", port: port) }

    @Test("by UDP it is tried once whether STUN is answered; where it is not, four octets do") func noSTUN() throws {
        let bench = try benchOverUDP()
        bench.advance(600_000)
        #expect(bench.asked == [bench.peer.remote])
        #expect(bench.rawSent.count >= 20)
        #expect(bench.failures.isEmpty)
    }

    @Test("a refresh does not try STUN anew") func refreshed() throws {
        let bench = try benchOverUDP()
        bench.advance(60_000)
        try bench.agent.register(id, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.register), 200, [(.expires, "3600")])
        bench.advance(300_000)
        #expect(bench.asked.count == 1)
    }

    @Test("REGISTER asks for a promise, and no other request does (RFC 6223)") func keepParameter() throws {
        let bench = try bench()
        #expect(try bench.request(.register).headers.topVia?.parameters.contains("keep") == true)
        _ = try bench.agent.invite(uri("sip:102@192.0.2.9"), account: id, body: offer, now: bench.now)
        bench.collect()
        #expect(try bench.request(.invite).headers.topVia?.parameters.contains("keep") == false)
    }

    @Test(
        "where it is answered or was promised, STUN alone keeps the way; the one that stays out is a lost way",
        arguments: [true, false])
    func answered(isPromised: Bool) throws {
        let bench = try benchOverUDP(isPromised ? [(HeaderName("Flow-Timer"), "25")] : [])
        for _ in 0..<6 where bench.asked.isEmpty { bench.advance(5000) }
        #expect(bench.asked.count == 1)
        bench.agent.bindingAnswered(by: bench.peer.remote, mapped: seen(4444), now: bench.now)
        bench.clear()
        for _ in 0..<120 {
            bench.advance(5000)
            bench.agent.bindingAnswered(by: bench.peer.remote, mapped: seen(4444), now: bench.now)
        }
        #expect(bench.rawSent.isEmpty)
        #expect(bench.asked.count >= 20)
        #expect(bench.failures.isEmpty)
        bench.advance(40_000)
        #expect(bench.failures.first?.kind == .network)
        #expect(bench.failures.first?.reason.contains("no longer answers") == true)
        #expect(!bench.requests(.register).isEmpty)
    }

    @Test("the registrar's promise stands in the Via of its answer (RFC 6223)") func keepValue() throws {
        let bench = try bench()
        let register = try bench.request(.register)
        var told = register
        told.headers.set(.via, try #require(register.headers.text(.via)).replacing(";keep", with: ";keep=20"))
        bench.answer(told, 200, [(.expires, "3600")])
        bench.advance(21_000)
        #expect(bench.asked.count == 1)
        #expect(bench.rawSent.isEmpty)
        bench.advance(11_000)
        #expect(bench.failures.count == 1, "nobody answered")
    }

    @Test("who asks every 3 s knows within 6 s that a way is lost, and is registered anew within 8") func soon() throws {
        let bench = try benchOverUDP(keepAlive: 3)
        bench.advance(3000)
        bench.agent.bindingAnswered(by: bench.peer.remote, mapped: seen(4444), now: bench.now)
        bench.advance(6100)
        #expect(bench.failures.count == 1)
        bench.advance(2000)
        #expect(!bench.requests(.register).isEmpty)
    }

    @Test("another mapping of the NAT registers anew at once") func moved() throws {
        let bench = try benchOverUDP()
        bench.advance(30_000)
        bench.agent.bindingAnswered(by: bench.peer.remote, mapped: seen(4444), now: bench.now)
        bench.collect()
        #expect(bench.requests(.register).isEmpty)
        bench.advance(30_000)
        bench.agent.bindingAnswered(by: bench.peer.remote, mapped: seen(4445), now: bench.now)
        bench.collect()
        #expect(bench.requests(.register).count == 1)
    }

    @Test("an answer of somebody else is none") func stranger() throws {
        let bench = try benchOverUDP()
        bench.advance(30_000)
        for port: UInt16 in [1, 2] {
            bench.agent.bindingAnswered(
                by: SignallingAddress(host: "203.0.113.5", port: 5060), mapped: seen(port), now: bench.now)
        }
        bench.collect()
        #expect(bench.requests(.register).isEmpty)
    }

    @Test("a datagram that cannot be sent to the registrar is a lost way") func networkDown() throws {
        let bench = try benchOverUDP()
        bench.agent.transportFailed(SignallingDestination(transport: .udp, address: bench.peer.remote), now: bench.now)
        bench.collect()
        #expect(bench.failures.first?.kind == .network)
    }

    @Test("a stream over which a probe brings nothing at all is closed, and REGISTER takes another") func silentStream() throws
    {
        let (bench, _) = try benchOverStream(keepAlive: 0, probe: 3)
        bench.advance(1)
        bench.answer(try bench.request(.options), 404)
        bench.clear()
        bench.advance(6100)
        #expect(bench.closed == [SignallingConnectionID(number: 1)])
        #expect(bench.failures.first?.reason.contains("no longer answers") == true)
        bench.advance(2000)
        #expect(bench.requests(.register).count == 1)
    }

    @Test("a stream that goes on bringing something stays, though probes are not answered") func slowProbe() throws {
        let (bench, stream) = try benchOverStream(keepAlive: 0, probe: 3)
        bench.advance(1)
        bench.answer(try bench.request(.options), 404)
        for _ in 0..<20 {
            bench.advance(1000)
            bench.feed([13, 10], from: stream)
        }
        #expect(bench.closed.isEmpty)
    }

    @Test("a registrar that is silent is given up sooner by an account that probes often") func givesUp() throws {
        let bench = try bench {
            $0.probe = 3
            $0.retry.networkLongest = 3
        }
        bench.advance(5900)
        #expect(bench.failures.isEmpty)
        bench.advance(200)
        #expect(bench.failures.count == 1)
    }

    @Test("another address of ours: registered anew at once, over a stream of its own") func newAddress() throws {
        let (bench, _) = try benchOverStream()
        #expect(bench.agent.registrar(of: id) == bench.peer.remote)
        bench.clear()
        bench.agent.addressChanged(of: id, now: bench.now)
        bench.collect()
        #expect(bench.closed == [SignallingConnectionID(number: 1)])
        #expect(bench.requests(.register).count == 1)
        #expect(bench.failures.isEmpty)
    }

    @Test("a network that is back ends a long wait, but not one that has just begun; a refusal's not at all") func networkBack()
        throws
    {
        let bench = try bench()
        bench.advance(600_000)
        let before = bench.failures.count
        // Waits are long by now.
        for _ in 0..<60 where bench.failures.count == before { bench.advance(1000) }
        bench.clear()
        bench.agent.retry(id, now: bench.now)
        bench.collect()
        #expect(bench.requests.isEmpty, "it failed within the last second")
        bench.advance(2001)
        #expect(bench.requests.isEmpty)
        bench.agent.retry(id, now: bench.now)
        bench.collect()
        #expect(bench.requests(.register).count == 1)
        bench.answer(try bench.request(.register), 403)
        bench.advance(5000)
        bench.agent.retry(id, now: bench.now)
        bench.collect()
        #expect(bench.requests(.register).count == 1)
    }
}
