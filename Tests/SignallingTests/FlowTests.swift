import ICE
import Link
import Realtime
import Signalling
import Synchronization
import TestPrograms
import Testing

/// The way to a registrar by UDP, with real sockets: STUN over the very socket that signals (RFC 5626 section 4.4.2).
@Suite("The way to a registrar") struct FlowTests {
    private func registered(_ registrar: Registrar) throws -> Phone {
        try Phone {
            var account = AccountSettings(
                name: "a", uri: "sip:101@127.0.0.1:\(registrar.port)", transport: "udp", keepAlive: 1)
            account.probe = 0
            $0.accounts = [account]
        }
    }

    private func withRegistrar(_ body: (Registrar, Phone) async throws -> Void) async throws {
        let registrar = try Registrar()
        let phone = try registered(registrar)
        let serving = Task { await registrar.serve() }
        phone.signalling.register("a")
        do { try await body(registrar, phone) } catch {
            await phone.close()
            serving.cancel()
            await serving.value
            throw error
        }
        await phone.close()
        serving.cancel()
        await serving.value
    }

    @Test("STUN comes from the registration's own port, and another mapping registers anew") func mapping() async throws {
        try await withRegistrar { registrar, phone in
            try await registrar.wait("two answers by STUN") { $0.bindings >= 2 }
            let before = registrar.seen
            #expect(before.ports == [phone.port], "one port for both")
            #expect(before.registers == 1)
            registrar.move(to: 4445)
            try await registrar.wait("another REGISTER") { $0.registers >= 2 }
        }
    }

    @Test("a registrar that answered STUN and no longer does is a lost way: it is registered at anew") func lost() async throws
    {
        try await withRegistrar { registrar, phone in
            try await registrar.wait("an answer by STUN") { $0.bindings >= 1 }
            registrar.silence(true)
            let reason = try await phone.wait("that the way is lost") {
                if case .registration(let change) = $0, change.state == .failed { change.reason } else { nil }
            }
            #expect(reason.contains("no longer answers"))
            registrar.silence(false)
            try await registrar.wait("another REGISTER") { $0.registers >= 2 }
        }
    }
}

/// A registrar that takes every REGISTER without a password, and answers STUN.
private final class Registrar: Sendable {
    struct Seen: Sendable {
        /// By their sequence numbers: what is repeated on a busy machine counts once.
        var requests: Set<String> = []
        var registers: Int { requests.count }
        var bindings = 0
        var ports: Set<UInt16> = []
    }

    private let server: DatagramServer
    private let state = Mutex((seen: Seen(), mapped: UInt16(4444), isSilent: false))

    init() throws { server = try DatagramServer() }

    var port: UInt16 { server.port }
    var seen: Seen { state.withLock { $0.seen } }

    func move(to port: UInt16) { state.withLock { $0.mapped = port } }
    func silence(_ isSilent: Bool) { state.withLock { $0.isSilent = isSilent } }

    func wait(_ what: String, _ isThere: (Seen) -> Bool) async throws {
        let limit = HostTime.monotonicNow().advanced(byMilliseconds: 60_000)
        while HostTime.monotonicNow() < limit {
            if isThere(seen) { return }
            try await Task.sleep(nanoseconds: 2_000_000)
        }
        Issue.record("\(what) did not come: \(seen)")
        throw Missing()
    }

    private struct Missing: Error {}

    /// Answers until the task is cancelled.
    func serve() async { await server.serve { self.answer(to: $0, from: $1) } }

    /// nil: silence.
    private func answer(to octets: [UInt8], from port: UInt16) -> [UInt8]? {
        let (mapped, isSilent) = state.withLock { ($0.mapped, $0.isSilent) }
        if isSilent { return nil }
        if let message = octets.withUnsafeBytes({ try? STUNMessage(parsing: $0) }), message.messageClass == .request {
            state.withLock {
                $0.seen.bindings += 1
                $0.seen.ports.insert(port)
            }
            var builder = STUNBuilder(.success, .binding, message.transaction)
            builder.add(.xorMappedAddress, SocketAddress(IPAddress(v4: 0xc633_6401), port: mapped))
            return builder.finished()
        }
        let text = String(decoding: octets, as: UTF8.self)
        guard text.hasPrefix("REGISTER "), let line = text.split(separator: "\r\n").first(where: { $0.hasPrefix("CSeq:") })
        else { return nil }
        let sequence = String(line)
        state.withLock {
            $0.seen.requests.insert(sequence)
            $0.seen.ports.insert(port)
        }
        return DatagramServer.reply(to: text, "200 OK", copying: ["Contact:"])
    }
}
