import Glibc
import ICE
import Link
import Realtime
import Signalling
import Synchronization
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
        var registers = 0
        var bindings = 0
        var ports: Set<UInt16> = []
    }

    let port: UInt16
    private let descriptor: CInt
    private let state = Mutex((seen: Seen(), mapped: UInt16(4444), isSilent: false))

    init() throws {
        descriptor = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        try #require(isBound)
        port = UInt16(bigEndian: address.sin_port)
    }

    var seen: Seen { state.withLock { $0.seen } }

    func move(to port: UInt16) { state.withLock { $0.mapped = port } }
    func silence(_ isSilent: Bool) { state.withLock { $0.isSilent = isSilent } }

    func wait(_ what: String, _ isThere: (Seen) -> Bool) async throws {
        let limit = HostTime.monotonicNow().advanced(byMilliseconds: 20_000)
        while HostTime.monotonicNow() < limit {
            if isThere(seen) { return }
            try await Task.sleep(nanoseconds: 2_000_000)
        }
        Issue.record("\(what) did not come: \(seen)")
        throw Missing()
    }

    private struct Missing: Error {}

    /// Answers until the task is cancelled.
    func serve() async {
        while !Task.isCancelled {
            var buffer = [UInt8](repeating: 0, count: 4096)
            var from = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let count = withUnsafeMutablePointer(to: &from) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT), $0, &size)
                }
            }
            guard count > 0 else {
                try? await Task.sleep(nanoseconds: 1_000_000)
                continue
            }
            guard let answer = answer(to: Array(buffer[..<count]), from: UInt16(bigEndian: from.sin_port)) else { continue }
            _ = withUnsafePointer(to: &from) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    sendto(descriptor, answer, answer.count, 0, $0, size)
                }
            }
        }
        close(descriptor)
    }

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
        guard text.hasPrefix("REGISTER ") else { return nil }
        state.withLock {
            $0.seen.registers += 1
            $0.seen.ports.insert(port)
        }
        let copied = text.split(separator: "\r\n").filter { line in
            ["Via:", "From:", "To:", "Call-ID:", "CSeq:", "Contact:"].contains { line.hasPrefix($0) }
        }
        return Array(("SIP/2.0 200 OK\r\n" + copied.joined(separator: "\r\n") + "\r\nContent-Length: 0\r\n\r\n").utf8)
    }
}
