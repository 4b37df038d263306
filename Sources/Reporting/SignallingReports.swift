/// What offer and answer of a call brought about, line by line, and why: an event, and a page for people.
public struct NegotiationReport: Sendable, Equatable {
    /// One thing that was offered.
    public struct Row: Sendable, Equatable {
        /// Index of the media line, from 0.
        public var line: Int
        public var subject: String
        /// `nil`: not offered, not answered, not in force.
        public var offered: String?
        public var answered: String?
        public var inForce: String?
        public var why: String

        public init(line: Int, subject: String, offered: String?, answered: String?, inForce: String?, why: String) {
            (self.line, self.subject, self.why) = (line, subject, why)
            (self.offered, self.answered, self.inForce) = (offered, answered, inForce)
        }
    }

    public var offeredByUs: Bool
    /// The codec in force; `nil` when there is no audio.
    public var codec: String?
    /// Where it is sent.
    public var remote: String?
    public var packetMilliseconds: Double?
    /// Packet and look-ahead of what is sent, ms.
    public var delayMilliseconds: Double?
    /// Bits a second on the network, headers included.
    public var bitRate: Int?
    public var rows: [Row] = []

    public init(offeredByUs: Bool) { self.offeredByUs = offeredByUs }

    /// As the event `negotiated` tells it, without its type and time.
    public var json: JSONValue { .object(members) }

    var members: [JSONMember] {
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        return [
            JSONMember("offered_by", .string(offeredByUs ? "us" : "peer")), JSONMember("codec", text(codec)),
            JSONMember("remote", text(remote)),
            JSONMember("ptime_ms", packetMilliseconds.map { .number($0, decimals: 1) } ?? .null),
            JSONMember("delay_ms", delayMilliseconds.map { .number($0, decimals: 1) } ?? .null),
            JSONMember("bit_rate", bitRate.map { .integer($0) } ?? .null),
            JSONMember(
                "lines",
                .array(
                    rows.map { row in
                        .object([
                            JSONMember("line", .integer(row.line)), JSONMember("subject", .string(row.subject)),
                            JSONMember("offered", text(row.offered)), JSONMember("answered", text(row.answered)),
                            JSONMember("in_force", text(row.inForce)), JSONMember("why", .string(row.why)),
                        ])
                    })),
        ]
    }

    var text: String {
        guard let codec else {
            let why = rows.first { $0.inForce == nil }.map { ": \($0.subject), \($0.why)" } ?? ""
            return "no media agreed on\(why)"
        }
        let length = packetMilliseconds.map { ", \(Text.fixed($0, 0)) ms a packet" } ?? ""
        return "agreed on \(codec)\(length)" + (remote.map { " with \($0)" } ?? "")
    }
}

/// Where an account stands at its registrar.
public struct RegistrationReport: Sendable, Equatable {
    public var account: String
    /// `registered`, `failed`, `unregistered`.
    public var state: String
    /// In words; empty when there is nothing to say.
    public var reason = ""
    public var sipCode: Int?
    /// Granted, or until it is tried again, s.
    public var expiresSeconds: Double?
    public var retrySeconds: Double?
    /// Whether a request came back through the registrar; `nil`: not tried.
    public var isReachable: Bool?
    /// What to do, in words; `nil`: nothing.
    public var remedy: String?

    public init(account: String, state: String) { (self.account, self.state) = (account, state) }

    var members: [JSONMember] {
        [
            JSONMember("account", .string(account)), JSONMember("state", .string(state)),
            JSONMember("reason", .string(reason)), JSONMember("sip_code", sipCode.map { .integer($0) } ?? .null),
            JSONMember("expires_s", expiresSeconds.map { .number($0, decimals: 0) } ?? .null),
            JSONMember("retry_s", retrySeconds.map { .number($0, decimals: 0) } ?? .null),
            JSONMember("reachable", isReachable.map { .boolean($0) } ?? .null),
            JSONMember("remedy", remedy.map { .string($0) } ?? .null),
        ]
    }

    var text: String {
        let expiry = expiresSeconds.map { " for \(Text.fixed($0, 0)) s" } ?? ""
        let code = sipCode.flatMap { state == "failed" ? " (\($0))" : nil } ?? ""
        let retry = retrySeconds.map { "; tried again in \(Text.fixed($0, 0)) s" } ?? ""
        let reach = isReachable.map { $0 ? " and reachable" : ", but calls do not come through; registering anew" } ?? ""
        return "account \(account) \(state)\(expiry)\(reach)" + (reason.isEmpty ? "" : ": \(reason)") + code + retry
    }
}
