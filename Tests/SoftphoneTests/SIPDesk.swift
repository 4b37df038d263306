import Signalling
import Testing

/// Whom we call: signalling alone, led by hand.
final class Desk {
    let signalling: SIPSignalling
    private var told: AsyncStream<CallSignallingEvent>.Iterator

    init(_ media: MediaCapabilities = MediaCapabilities()) throws {
        let (stream, continuation) = AsyncStream.makeStream(of: CallSignallingEvent.self)
        told = stream.makeAsyncIterator()
        let listener = SignallingConfiguration.Listener(.udp, address: "127.0.0.1", port: 0)
        let configuration = SignallingConfiguration(listeners: [listener], media: media)
        signalling = try SIPSignalling(configuration) { continuation.yield($0) }
    }

    var uri: String { "sip:desk@127.0.0.1:\(signalling.listeners[0].port)" }

    /// The next that is told and that `pick` takes; what came before it is forgotten.
    @discardableResult func next<Value>(_ pick: (CallSignallingEvent) -> Value?) async throws -> Value {
        while let event = await told.next() {
            if let value = pick(event) { return value }
        }
        throw CancellationError()
    }

    /// Somebody calls, and hears that it rings.
    func called() async throws -> (SignalledCallID, CallerFacts) {
        let (call, facts) = try await next { if case .incoming(let id, let facts) = $0 { (id, facts) } else { nil } }
        signalling.prepare(call, media: LocalPorts(port: 41_000))
        signalling.ring(call, withMedia: false)
        return (call, facts)
    }

    /// Calls somebody, and has him take the place of `call`, a caller's.
    func send(_ other: Listener, to caller: CallerFacts, inPlaceOf call: SignalledCallID) async throws {
        let talking = signalling.invite(OutgoingCall(target: other.uri, media: LocalPorts(port: 42_000)))
        try await next { if case .answered(talking, _, _) = $0 { true } else { nil } }
        let port = try #require(caller.source?.port)
        signalling.transfer(talking, to: "sip:127.0.0.1:\(port)", replacing: call)
    }

    func ended(_ call: SignalledCallID) async throws {
        try await next { if case .ended(call, _) = $0 { true } else { nil } }
    }

    func close() async { await signalling.shutdown(within: 2) }
}
