import Realtime
import Reporting
import SIP

/// The messages of a call by SIP, once more through a user agent, in virtual time: what came comes at its time, what a person or the program
/// did then is done again, and what the agent sends stands beside what was sent. Passwords are not in a bundle: digests are of another one.
package struct SignallingReplay {
    /// A message of the bundle.
    private struct Step {
        let milliseconds: Double
        let isSent: Bool
        let message: SIPMessageText
        let remote: SignallingAddress
    }

    private let agent: UserAgent
    private let steps: [Step]
    private var call: CallHandle?
    /// What the agent has sent and nothing stands beside yet.
    private var outbox: [SIPMessageText] = []
    private var seen: Set<String> = []
    /// Both sides draw names at random: those of the bundle, and those of the replay.
    private var names: [(recorded: String, replayed: String)] = []
    private var differing: [String] = []

    /// More are no call's: a file may claim centuries of them.
    private static let mostMessages = 10_000
    private static let account = AccountID("replay")
    private static let local = SignallingAddress(host: "192.0.2.1", port: 5060)

    /// - Parameter messages: of `BundleNames.messages`; `nil` where there is no call in them.
    package init?(_ messages: JSONValue) {
        guard case .array(let items) = messages else { return nil }
        var all: [Step] = []
        for item in items.prefix(Self.mostMessages) {
            guard let step = Self.step(item, after: all.last?.milliseconds ?? 0) else { continue }
            all.append(step)
        }
        guard let first = all.first, first.message.kind == "INVITE", !first.message.isInDialog else { return nil }
        var repeated: Set<String> = []
        steps = all.filter { repeated.insert("\($0.isSent) \($0.message.key)").inserted }
        agent = UserAgent(
            configuration: UserAgentConfiguration(
                localAddresses: [.udp: Self.local, .tcp: Self.local, .tls: Self.local], longestDatagram: 65_000),
            random: SplitMix64(seed: 1))
        // Its realm gets a digest, wherever it challenges.
        let realm = all.compactMap(\.message.realm).first
        if first.isSent, case .sip(let address)? = first.message.from.flatMap({ URI($0) }) {
            agent.add(Account(id: Self.account, address: address, password: Password("replay"), realm: realm))
        }
    }

    /// Time of day and address of a message; after midnight it goes on.
    private static func step(_ value: JSONValue, after last: Double) -> Step? {
        guard case .string(let direction)? = value.value(at: "direction"), case .string(let text)? = value.value(at: "text"),
            case .string(let time)? = value.value(at: "time"), case .string(let remote)? = value.value(at: "remote"),
            let message = SIPMessageText(text), let colon = remote.lastIndex(of: ":"),
            let port = UInt16(remote[remote.index(after: colon)...]),
            let clock = time.firstMatch(of: #/T(\d\d):(\d\d):(\d\d)\.(\d\d\d)Z/#),
            let hours = Int(clock.1), let minutes = Int(clock.2), let seconds = Int(clock.3), let rest = Int(clock.4)
        else { return nil }
        let day = 86_400_000.0
        var milliseconds = Double(((hours * 60 + minutes) * 60 + seconds) * 1000 + rest)
        milliseconds += (last / day).rounded(.down) * day
        if milliseconds < last - day / 2 { milliseconds += day }
        return Step(
            milliseconds: milliseconds, isSent: direction == "sent", message: message,
            remote: SignallingAddress(host: String(remote[..<colon]), port: port))
    }

    /// Runs it all.
    /// - Returns: what was found, as an object.
    package mutating func run() -> JSONValue {
        let start = steps.first?.milliseconds ?? 0
        for step in steps {
            let now = HostTime(milliseconds: 1000 + step.milliseconds - start)
            while let due = agent.nextDeadline, due <= now {
                agent.advance(to: due)
                collect(step, now: due)
                // One that is due and does nothing must not hold up the rest.
                if agent.nextDeadline == due { break }
            }
            if step.isSent {
                if !match(step) {
                    try? act(step, now: now)
                    collect(step, now: now)
                    if !match(step) { differing.append("\(step.message.kind) was sent, and is not sent again") }
                }
            } else {
                let source = SignallingSource(transport: .udp, remote: step.remote, local: Self.local)
                agent.receive(datagram: step.message.octets(naming: names), from: source, now: now)
                collect(step, now: now)
            }
        }
        differing += outbox.map { "\($0.kind) is sent now, and was not" }
        let sent = steps.count { $0.isSent }
        return .object([
            JSONMember("same", .boolean(differing.isEmpty)), JSONMember("received", .integer(steps.count - sent)),
            JSONMember("sent", .integer(sent)), JSONMember("differing", .array(differing.map { .string($0) })),
        ])
    }

    /// Takes what the agent wants done; names lead where the message at hand went.
    private mutating func collect(_ step: Step, now: HostTime) {
        var outputs = agent.takeOutputs()
        while !outputs.isEmpty {
            for output in outputs {
                switch output {
                case .send(let octets, _):
                    let text = String(decoding: octets, as: UTF8.self).replacing("\r\n", with: "\n")
                    guard let message = SIPMessageText(text), seen.insert(message.key).inserted else { continue }
                    outbox.append(message)
                case .resolve(let id, _):
                    agent.resolved(id, [ServerHop(transport: .udp, address: step.remote, local: Self.local)], now: now)
                case .event(.incoming(let handle, _)): call = handle
                case .event, .askBinding, .close: break
                }
            }
            outputs = agent.takeOutputs()
        }
    }

    /// Puts what the agent has sent beside what was sent; the names of both are the same from now on.
    private mutating func match(_ step: Step) -> Bool {
        guard let index = outbox.firstIndex(where: { $0.kind == step.message.kind }) else { return false }
        let replayed = outbox.remove(at: index)
        for (recorded, own) in zip(step.message.names, replayed.names) {
            guard let recorded, let own, recorded != own, !names.contains(where: { $0.recorded == recorded }) else { continue }
            names.append((recorded, own))
        }
        return true
    }

    /// Does what a person or the program had done when this message went.
    private mutating func act(_ step: Step, now: HostTime) throws(UserAgentError) {
        let message = step.message
        let body = message.body.isEmpty ? nil : Body(contentType: message.contentType ?? "", bytes: Array(message.body.utf8))
        guard let call else {
            guard message.kind == "INVITE", let target = URI(message.target) else { return }
            self.call = try agent.invite(target, account: Self.account, body: body, now: now)
            return
        }
        switch (message.status, message.method) {
        case (nil, "INVITE"): try agent.modify(call, body: body, now: now)
        case (nil, "UPDATE"): try agent.modify(call, body: body, usesUpdate: true, now: now)
        case (nil, "BYE"), (nil, "CANCEL"): try agent.hangUp(call, now: now)
        case (nil, "INFO"): if let body { try agent.sendInfo(call, body: body, now: now) }
        case (let status?, "INVITE") where (101...199).contains(status):
            try agent.ring(call, status: status, body: body, now: now)
        case (let status?, "INVITE") where status >= 300: try agent.reject(call, status: status, now: now)
        case (200?, "INVITE"), (200?, "UPDATE"): try agent.answer(call, body: body, now: now)
        default: break
        }
    }
}
