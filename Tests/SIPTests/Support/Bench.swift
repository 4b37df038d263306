import Realtime
import SIP
import Testing

/// A user agent in virtual time, and a peer whose every message the test writes.
final class Bench {
    let agent: UserAgent
    var now = HostTime(milliseconds: 1000)
    /// Messages that the agent sent, the oldest first, with where they went.
    private(set) var sent: [(message: Message, destination: SignallingDestination, time: HostTime)] = []
    /// Octets that are no message: pongs.
    private(set) var rawSent: [[UInt8]] = []
    /// Status codes sent, repetitions included.
    private(set) var codes: [Int] = []
    private(set) var events: [UserAgentEvent] = []
    private(set) var closed: [SignallingConnectionID] = []
    private(set) var resolved: [SIPURI] = []
    /// Servers that were asked by STUN how we are seen.
    private(set) var asked: [SignallingAddress] = []
    /// What names lead to; any other name leads to the peer over UDP.
    var names: [String: [ServerHop]] = [:]
    var peer = SignallingSource(transport: .udp, remote: SignallingAddress(host: "192.0.2.9", port: 5060))
    private let parser = MessageParser()

    init(_ change: (inout UserAgentConfiguration) -> Void = { _ in }, seed: UInt64 = 7) {
        var configuration = UserAgentConfiguration(
            localAddresses: [
                .udp: SignallingAddress(host: "192.0.2.1", port: 5060),
                .tcp: SignallingAddress(host: "192.0.2.1", port: 5060),
                .tls: SignallingAddress(host: "192.0.2.1", port: 5061),
            ])
        change(&configuration)
        agent = UserAgent(configuration: configuration, random: SplitMix64(seed: seed))
    }

    /// A registration of 101 that has been asked for, and not been answered.
    convenience init(registering id: AccountID, seed: UInt64 = 7, _ change: (inout Account) -> Void = { _ in }) throws {
        self.init(seed: seed)
        var account = Account(
            id: id, address: SIPURI(user: "101", host: "192.0.2.9"), displayName: "One", expires: 600,
            followsSeenAddress: false)
        change(&account)
        agent.add(account)
        try agent.register(id, now: now)
        collect()
    }

    // MARK: In

    func feed(_ bytes: [UInt8], from source: SignallingSource? = nil) {
        let source = source ?? peer
        if source.connection == nil {
            agent.receive(datagram: bytes, from: source, now: now)
        } else {
            agent.receive(stream: bytes, from: source, now: now)
        }
        collect()
    }

    func feed(_ text: String, from source: SignallingSource? = nil) { feed(wire(text), from: source) }

    /// Time goes on, with a stop at each timer.
    func advance(_ milliseconds: Double) {
        let end = now.advanced(byMilliseconds: milliseconds)
        while let next = agent.nextDeadline, next <= end {
            now = max(now, next)
            agent.advance(to: now)
            collect()
        }
        now = end
        agent.advance(to: now)
        collect()
    }

    /// Carries out what the agent wants.
    func collect() {
        while true {
            let outputs = agent.takeOutputs()
            if outputs.isEmpty { return }
            for output in outputs {
                switch output {
                case .send(let bytes, let destination):
                    if case .message(let message) = parser.parse(bytes) {
                        sent.append((message, destination, now))
                        if case .response(let response) = message { codes.append(response.status) }
                    } else if bytes.starts(with: "SIP/2.0 ".utf8) {
                        // An answer to a request that had not all that an answer copies.
                        codes.append(Int(String(decoding: bytes[8..<11], as: UTF8.self)) ?? 0)
                    } else {
                        rawSent.append(bytes)
                    }
                case .event(let event): events.append(event)
                case .close(let connection): closed.append(connection)
                case .askBinding(let server): asked.append(server)
                case .resolve(let id, let uri):
                    resolved.append(uri)
                    let hops = names[uri.host] ?? [ServerHop(transport: peer.transport, address: peer.remote)]
                    agent.resolved(id, hops, now: now)
                }
            }
        }
    }

    // MARK: Out

    var requests: [Request] {
        sent.compactMap { if case .request(let request) = $0.message { request } else { nil } }
    }

    var responses: [Response] {
        sent.compactMap { if case .response(let response) = $0.message { response } else { nil } }
    }

    func requests(_ method: SIP.Method) -> [Request] { requests.filter { $0.method == method } }

    func request(_ method: SIP.Method, _ place: SourceLocation = #_sourceLocation) throws -> Request {
        try #require(requests(method).last, "no \(method) was sent", sourceLocation: place)
    }

    func response(_ place: SourceLocation = #_sourceLocation) throws -> Response {
        try #require(responses.last, "no response was sent", sourceLocation: place)
    }

    func clear() {
        sent = []
        rawSent = []
        codes = []
        events = []
    }

    // MARK: Events

    var ended: [(CallHandle, CallEnd)] {
        events.compactMap { if case .ended(let handle, let end) = $0 { (handle, end) } else { nil } }
    }

    var incoming: [(CallHandle, IncomingCall)] {
        events.compactMap { if case .incoming(let handle, let call) = $0 { (handle, call) } else { nil } }
    }

    var answered: [(CallHandle, AgreedBody)] {
        events.compactMap { if case .answered(let handle, let answer) = $0 { (handle, answer) } else { nil } }
    }

    var progress: [Progress] {
        events.compactMap { if case .progress(_, let progress) = $0 { progress } else { nil } }
    }

    var modified: [AgreedBody] {
        events.compactMap { if case .modified(_, let answer) = $0 { answer } else { nil } }
    }

    var failures: [RegistrationFailure] {
        events.compactMap { if case .registrationFailed(_, let failure) = $0 { failure } else { nil } }
    }

    var registrations: [Registered] {
        events.compactMap { if case .registered(_, let registered) = $0 { registered } else { nil } }
    }

    var drops: [DropReason] {
        events.compactMap { if case .dropped(let reason, _) = $0 { reason } else { nil } }
    }

    // MARK: The peer's hand

    /// Answers a request of the agent's.
    func answer(
        _ request: Request, _ status: Int, tag: String? = "peer", _ fields: [(HeaderName, String)] = [],
        body: Body? = nil
    ) {
        var response = Response(status: status)
        for field in request.headers.all(.via) { response.headers.append(field) }
        response.headers.append(.from, request.headers.from.text)
        var to = request.headers.to
        if to.tag == nil, status > 100, let tag { to.tag = tag }
        response.headers.append(.to, to.text)
        response.headers.append(.callID, request.headers.callID)
        response.headers.append(.cSeq, request.headers.cSeq.text)
        for (name, value) in fields { response.headers.append(name, value) }
        if !fields.contains(where: { $0.0 == .contact }), status < 400, status > 100, request.method != .register {
            response.headers.append(.contact, "<sip:peer@192.0.2.9:5060>")
        }
        if let body {
            response.headers.append(.contentType, body.contentType)
            response.body = body.bytes
        }
        feed(response.bytes)
    }
}

/// Line ends of the wire.
func wire(_ text: String) -> [UInt8] { Array(text.utf8).flatMap { $0 == 10 ? [13, 10] : [$0] } }

let offer = Body.sdp(wire("v=0\no=- 1 1 IN IP4 192.0.2.1\ns=-\nc=IN IP4 192.0.2.1\nt=0 0\nm=audio 4000 RTP/AVP 0\n"))
let answerBody = Body.sdp(wire("v=0\no=- 2 1 IN IP4 192.0.2.9\ns=-\nc=IN IP4 192.0.2.9\nt=0 0\nm=audio 6000 RTP/AVP 0\n"))

func uri(_ text: String, _ place: SourceLocation = #_sourceLocation) throws -> URI {
    try #require(URI(text), "\(text) is no URI", sourceLocation: place)
}
