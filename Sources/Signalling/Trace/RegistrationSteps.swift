import Realtime
import SIP

/// What the messages of an account's registration tell of each of its steps: where it went, what was challenged, how long the
/// registrar took. For `yodel accounts --check`.
public struct RegistrationSteps: Sendable, Hashable {
    /// Where REGISTER went first: `udp:192.0.2.1:5060`; nil: it never left.
    public private(set) var server: String?
    /// From the start until then: names looked up, ms.
    public private(set) var serverMilliseconds: Double?
    /// The connection that was opened to it: `tls:192.0.2.1:5061`; nil: none was, as by UDP.
    public private(set) var connection: String?
    /// From the start until then, TLS included, ms.
    public private(set) var connectionMilliseconds: Double?
    /// Of TLS: whose certificate it has, who vouches for that, and for how long.
    public private(set) var certificate: String?
    /// What the registrar challenged with: its algorithms and realm; nil: it has not.
    public private(set) var challenge: String?
    /// From the last REGISTER to its final response, ms; nil: there was none.
    public private(set) var roundTripMilliseconds: Double?

    /// What the registrar's clock says, as it says it; nil: it does not.
    public private(set) var date: String?

    private let start: HostTime
    private var sent: [UInt32: HostTime] = [:]

    public init(start: HostTime) { self.start = start }

    /// A message went or came.
    public mutating func note(_ message: TracedMessage, now: HostTime) {
        guard case .message(let parsed) = MessageParser().parse(message.octets) else { return }
        switch (message.direction, parsed) {
        case (.sent, .request(let request)) where request.method == .register:
            if server == nil {
                server = "\(message.transport):\(message.remote)"
                serverMilliseconds = now.milliseconds(since: start)
            }
            // A repetition is no new request.
            let number = request.headers.cSeq.number
            if sent[number] == nil { sent[number] = now }
        case (.received, .response(let response)) where response.headers.cSeq.method == .register:
            date = response.headers.text(.date) ?? date
            if response.status == 401 || response.status == 407 { challenged(response) }
            if response.status >= 200, let sent = sent[response.headers.cSeq.number] {
                roundTripMilliseconds = now.milliseconds(since: sent)
            }
        default: break
        }
    }

    /// A connection was opened.
    public mutating func note(_ opened: OpenedStream, now: HostTime) {
        guard connection == nil else { return }
        connection = "\(opened.transport):\(opened.remote)"
        connectionMilliseconds = now.milliseconds(since: start)
        certificate = opened.certificate
    }

    private mutating func challenged(_ response: Response) {
        let name = response.status == 401 ? HeaderName.wwwAuthenticate : .proxyAuthenticate
        let offered = response.headers.challenges(name)
        guard let first = offered.first else {
            challenge = "nothing that is known"
            return
        }
        let algorithms = offered.map { $0.algorithm?.name ?? "an unknown algorithm" }.joined(separator: ", ")
        challenge = "digest \(algorithms), realm \(first.realm)"
    }
}
