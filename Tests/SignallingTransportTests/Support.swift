import Glibc
import Realtime
import SIP
import SignallingTransport
import Testing

/// What a transport has told, for tests that wait for one thing or another.
final class Inbox: Sendable {
    private let events = Lock([SignallingEvent]())

    func put(_ event: SignallingEvent) { events.withLock { $0.append(event) } }

    var all: [SignallingEvent] { events.withLock { $0 } }

    /// Waits until `pick` finds something; nil after a minute, which only a failure takes.
    func wait<Value: Sendable>(_ pick: (SignallingEvent) -> Value?) async -> Value? {
        for _ in 0..<30_000 {
            for event in all {
                if let value = pick(event) { return value }
            }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return nil
    }

    func opened(inbound: Bool = false) async -> SignallingConnection? {
        await wait { if case .opened(let connection) = $0, connection.isInbound == inbound { connection } else { nil } }
    }

    func closed() async -> (SignallingConnection, SignallingFailure)? {
        await wait { if case .closed(let connection, let failure) = $0 { (connection, failure) } else { nil } }
    }

    func failed() async -> (SignallingDestination, SignallingFailure)? {
        await wait { if case .failed(let destination, let failure) = $0 { (destination, failure) } else { nil } }
    }

    /// Waits for `count` bytes, and gives the first ones with where they came from.
    func received(_ count: Int = 1) async -> (text: String, source: SignallingSource)? {
        for _ in 0..<30_000 {
            var bytes: [UInt8] = []
            var first: SignallingSource?
            for case .received(let part, let source) in all {
                bytes += part
                first = first ?? source
            }
            if let first, bytes.count >= count { return (String(decoding: bytes, as: UTF8.self), first) }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return nil
    }
}

/// A transport with its inbox. `end` it.
struct Side {
    let transport: SignallingTransport
    let inbox = Inbox()

    init(
        _ protocols: [SignallingProtocol] = [], host: String = "127.0.0.1", tls: TLSSettings = TLSSettings(),
        configure: (inout TransportConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = TransportConfiguration(
            listeners: protocols.map { .init($0, SignallingAddress(host: host, port: 0)) }, tls: tls)
        configure(&configuration)
        let inbox = inbox
        transport = try SignallingTransport(configuration: configuration) { inbox.put($0) }
    }

    func end() async { await transport.shutdown() }

    /// Where `transport` of this side listens.
    func destination(_ kind: SignallingProtocol = .udp, serverName: String? = nil) throws -> SignallingDestination {
        let listener = try #require(transport.listeners.first { $0.transport == kind })
        return SignallingDestination(transport: kind, address: listener.address, serverName: serverName)
    }
}

/// The path of a file in Fixtures.
func fixture(_ name: String, file: String = #filePath) -> String {
    file.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/Fixtures/" + name
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
