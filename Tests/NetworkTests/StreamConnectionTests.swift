import Glibc
import Link
import Network
import Realtime
import TestPrograms
import Testing

/// A server by TLS that says each line backwards: OpenSSL's own.
private struct TLSServer {
    let address: SocketAddress
    let program: ChildProcess

    init() throws {
        let folder = Self.certificates
        let port = try UDPLink(bind: loopback).local.port
        program = try ChildProcess(
            [
                "/usr/bin/openssl", "s_server", "-rev", "-quiet", "-accept", "127.0.0.1:\(port)", "-cert",
                "\(folder)/server.pem",
                "-key", "\(folder)/key.pem",
            ], output: .nowhere, errors: .nowhere)
        address = SocketAddress(loopback, port: port)
    }

    static var certificates: String {
        let here = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
        return here + "/SignallingTransportTests/Fixtures"
    }

    /// Connects as soon as somebody listens.
    func connect() throws -> StreamConnection {
        for _ in 0..<500 {
            if listening(at: address) == EADDRINUSE { break }
            usleep(20_000)
        }
        return try StreamConnection(
            to: address, tls: (try TLSContext(authorityFile: Self.certificates + "/ca.pem"), "127.0.0.1"))
    }
}

@Suite(
    "A connection by TLS", .serialized,
    .enabled(if: access("/usr/bin/openssl", X_OK) == 0, "no openssl on the command line"))
struct StreamConnectionTests {
    @Test("to a server that stands still for a while takes a message whole or not at all, and what was taken arrives as it was")
    func standstill() throws {
        let server = try TLSServer()
        let connection = try server.connect()
        let start = HostTime.monotonicNow()
        var ending: String?
        var heard: [UInt8] = []
        func wait(for count: Int) {
            while heard.count < count, ending == nil, HostTime.monotonicNow().milliseconds(since: start) < 60_000 {
                var entry = pollfd(fd: connection.fileDescriptor, events: connection.pollEvents, revents: 0)
                poll(&entry, 1, 20)
                ending = connection.receive { heard += $0 }
            }
        }
        var expected: [UInt8] = []
        var refused = 0
        /// 1,000 octets with a number.
        func send(_ number: Int) {
            let digits = Array("\(number)".utf8)
            let line = digits + [UInt8](repeating: UInt8(ascii: "."), count: 999 - digits.count)
            if (line + [10]).withUnsafeBytes({ connection.send($0) }) {
                expected += line.reversed() + [10]
            } else {
                refused += 1
            }
        }
        send(0)
        wait(for: 1000)
        #expect(heard == expected && ending == nil, "\(ending ?? "no end")")
        server.program.signal(SIGSTOP)
        // More than the kernel's buffers of both sides hold.
        var number = 1
        while refused < 100, number < 100_000 {
            send(number)
            number += 1
        }
        #expect(refused == 100)
        server.program.signal(SIGCONT)
        wait(for: expected.count)
        #expect(heard == expected && ending == nil, "\(heard.count) of \(expected.count), \(ending ?? "no end")")
    }
}
