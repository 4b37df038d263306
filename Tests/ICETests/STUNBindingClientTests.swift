import ICE
import Link
import Realtime
import Testing

@Suite("STUN Binding client") struct STUNBindingClientTests {
    private let server = address("198.51.100.1:3478")

    private func client() -> STUNBindingClient { STUNBindingClient(server: server, random: SplitMix64(seed: 1)) }

    private func answer(_ request: [UInt8], _ mapped: String, code: Int? = nil) throws -> [UInt8] {
        let id = try STUNMessage(request).transaction
        var builder = STUNBuilder(code == nil ? .success : .error, .binding, id)
        if let code { builder.add(errorCode: code, "no") } else { builder.add(.xorMappedAddress, address(mapped)) }
        return builder.finished(fingerprint: true)
    }

    private func take(_ bytes: [UInt8], _ client: inout STUNBindingClient, from source: SocketAddress? = nil)
        -> STUNBindingClient.Outcome?
    {
        bytes.withUnsafeBytes { client.receive($0, from: source ?? server) }
    }

    @Test("repeats the same request after 0.5, 1.5, 3.5, 7.5, 15.5 and 31.5 s, and gives up after 39.5 s")
    func retransmission() throws {
        var client = client()
        client.request(now: .zero)
        var times: [Double] = []
        var datagrams = client.takeOutputs()
        var outcome: STUNBindingClient.Outcome?
        var now = HostTime.zero
        while let next = client.nextDeadline {
            now = next
            outcome = client.advance(to: now)
            let more = client.takeOutputs()
            if !more.isEmpty { times.append(now.milliseconds(since: .zero)) }
            datagrams += more
        }
        #expect(times == [500, 1500, 3500, 7500, 15_500, 31_500])
        #expect(Set(datagrams).count == 1 && datagrams.count == 7)
        #expect(outcome == .failed(.noAnswer) && now.milliseconds(since: .zero) == 39_500)
        #expect(!client.isAsking)
    }

    @Test("tells the mapped address, and when it has moved since the last answer")
    func moved() throws {
        var client = client()
        for (text, hasMoved) in [("192.0.2.1:1000", false), ("192.0.2.1:1000", false), ("192.0.2.1:1001", true)] {
            client.request(now: .zero)
            let request = try #require(client.takeOutputs().last)
            #expect(take(try answer(request, text), &client) == .mapped(address(text), hasMoved: hasMoved))
            #expect(client.nextDeadline == nil)
        }
    }

    @Test("believes neither another source, nor another transaction, nor an answer that comes twice")
    func forged() throws {
        var client = client()
        client.request(now: .zero)
        let request = try #require(client.takeOutputs().last)
        let good = try answer(request, "192.0.2.1:1000")
        var other = good
        other[19] ^= 1
        #expect(take(good, &client, from: address("198.51.100.2:3478")) == nil)
        #expect(take(other, &client) == nil)
        #expect(take(request, &client) == nil)
        #expect(take([1, 2, 3], &client) == nil)
        #expect(take(good, &client) != nil)
        #expect(take(good, &client) == nil)
    }

    @Test("tells a refusal, and an answer without an address")
    func refused() throws {
        var client = client()
        client.request(now: .zero)
        #expect(take(try answer(try #require(client.takeOutputs().last), "", code: 500), &client) == .failed(.refused(500)))
        client.request(now: .zero)
        let id = try STUNMessage(try #require(client.takeOutputs().last)).transaction
        #expect(take(STUNBuilder(.success, .binding, id).finished(), &client) == .failed(.nonsense))
    }
}
