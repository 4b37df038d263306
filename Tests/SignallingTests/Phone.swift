import Realtime
import Signalling
import Synchronization
import Testing

/// One side with real sockets on loopback, and everything that it was told.
final class Phone: Sendable {
    let signalling: SIPSignalling
    private let log: EventLog

    init(
        _ ways: [SignallingConfiguration.Listener.Way] = [.udp, .tcp], user: String = "phone",
        media: MediaCapabilities = MediaCapabilities(codecs: [.opus, .pcmu]),
        change: (inout SignallingConfiguration) -> Void = { _ in }
    ) throws {
        let log = EventLog()
        self.log = log
        var configuration = SignallingConfiguration(
            listeners: ways.map { SignallingConfiguration.Listener($0, address: "127.0.0.1", port: 0) }, media: media,
            product: "test", user: user)
        change(&configuration)
        signalling = try SIPSignalling(configuration) { event in log.events.withLock { $0.append(event) } }
    }

    var port: UInt16 { signalling.listeners[0].port }

    /// Where it is called.
    func uri(_ transport: String = "udp") -> String { "sip:phone@127.0.0.1:\(port);transport=\(transport)" }

    func call(_ other: Phone, _ transport: String = "udp", ports: LocalPorts = LocalPorts(port: 40_000)) -> SignalledCallID {
        signalling.invite(OutgoingCall(target: other.uri(transport), media: ports))
    }

    var events: [CallSignallingEvent] { log.events.withLock { $0 } }

    /// Waits until something was told that `pick` takes; a machine that stands still has a long time for it.
    func wait<Value: Sendable>(
        _ what: String, seconds: Double = 60, _ pick: (CallSignallingEvent) -> Value?
    ) async throws -> Value {
        let limit = HostTime.monotonicNow().advanced(byMilliseconds: 1000 * seconds)
        repeat {
            if let found = events.lazy.compactMap(pick).first { return found }
            try await Task.sleep(nanoseconds: 2_000_000)
        } while HostTime.monotonicNow() < limit
        Issue.record("\(what) was not told; told were \(events)")
        throw Missing(what: what)
    }

    struct Missing: Error { let what: String }

    func incoming() async throws -> (SignalledCallID, CallerFacts) {
        try await wait("an incoming call") { if case .incoming(let id, let facts) = $0 { (id, facts) } else { nil } }
    }

    func ended() async throws -> CallEnding {
        try await wait("an end") { if case .ended(_, let ending) = $0 { ending } else { nil } }
    }

    func answered() async throws {
        _ = try await wait("an answer") { if case .answered(let id, _, _) = $0 { id } else { nil } }
    }

    func agreement() async throws -> MediaAgreement {
        try await wait("an agreement") { if case .negotiated(_, let media) = $0 { media.agreement } else { nil } }
    }

    func held(byUs: Bool, byPeer: Bool) async throws {
        _ = try await wait("held \(byUs) \(byPeer)") {
            if case .held(_, byUs, byPeer) = $0 { true } else { nil }
        }
    }

    func close() async { await signalling.shutdown(within: 2) }

    private final class EventLog: Sendable {
        let events = Mutex<[CallSignallingEvent]>([])
    }
}

/// Two phones, closed at the end.
func withPhones(
    _ left: Phone, _ right: Phone, _ body: (Phone, Phone) async throws -> Void
) async throws {
    do {
        try await body(left, right)
    } catch {
        await left.close()
        await right.close()
        throw error
    }
    await left.close()
    await right.close()
}

/// A call that stands, and its number on either side.
func establish(_ caller: Phone, _ callee: Phone, _ transport: String = "udp") async throws -> (SignalledCallID, SignalledCallID)
{
    let out = caller.call(callee, transport)
    let (call, _) = try await callee.incoming()
    callee.signalling.prepare(call, media: LocalPorts(port: 41_000))
    callee.signalling.ring(call, withMedia: false)
    callee.signalling.answer(call)
    try await caller.answered()
    try await callee.answered()
    return (out, call)
}
