import Realtime
import SIP

/// A user agent with an account and calls: messages that fit what it said and such that do not, octets of streams, answers of name
/// servers, what a person does, and time, in any order.
enum SIPFuzz {
    static func run(_ input: UnsafeRawBufferPointer) {
        var bytes = FuzzBytes(input)
        let choice = bytes.byte()
        // As it came, whole: a message, or what stands in one.
        if choice == 0xff { return parse(Array(input.dropFirst())) }
        let driver = SIPDriver(choice: choice)
        for _ in 0..<250 where !bytes.isEmpty {
            driver.step(bytes.byte(), &bytes)
            driver.check()
        }
        driver.finish()
    }

    /// What was read is written, and read again as the same.
    private static func parse(_ bytes: [UInt8]) {
        let parser = MessageParser()
        guard case .message(.request(let request)) = parser.parse(bytes) else { return }
        guard case .message(.request(let again)) = parser.parse(request.bytes) else {
            fatalError("what is written is not read")
        }
        precondition(again.uri == request.uri && again.body == request.body && again.headers.vias == request.headers.vias)
    }
}

private final class SIPDriver {
    private static let methods: [Method] = [
        .invite, .ack, .bye, .cancel, .options, .info, .update, .prack, .refer, .notify, .register, .message,
    ]
    private static let codes = [
        100, 180, 183, 200, 202, 301, 302, 401, 404, 407, 408, 422, 423, 480, 481, 486, 487, 488, 491, 500, 503, 603,
    ]
    private static let offer = Body(contentType: "application/sdp", bytes: Array("v=0\r\n".utf8))

    private let agent: UserAgent
    private var now = HostTime(milliseconds: 1000)
    private let parser = MessageParser()
    private let hasAccount: Bool
    private let account = AccountID("office")
    private var calls: [CallHandle] = []
    /// Messages of the agent's, for those that answer or follow them.
    private var requests: [Request] = []
    private var responses: [Response] = []
    private var resolutions: [ResolutionID] = []
    /// Who was asked by STUN how we are seen.
    private var bindings: [SignallingAddress] = []
    private var outputs = 0

    init(choice: UInt8) {
        var configuration = UserAgentConfiguration(
            localAddresses: [
                .udp: SignallingAddress(host: "192.0.2.1", port: 5060), .tcp: SignallingAddress(host: "192.0.2.1", port: 5060),
            ])
        configuration.sessionExpires = choice & 2 != 0 ? 90 : nil
        configuration.supportsReliableProvisional = choice & 4 != 0
        agent = UserAgent(configuration: configuration, random: SplitMix64(seed: 7))
        hasAccount = choice & 1 != 0
        guard hasAccount, case .sip(let address) = URI("sip:101@192.0.2.9") else { return }
        agent.add(Account(id: account, address: address, password: Password("secret"), expires: 60, probe: 30))
        try? agent.register(account, now: now)
        collect()
    }

    func step(_ operation: UInt8, _ bytes: inout FuzzBytes) {
        let choice = operation >> 3
        switch operation & 7 {
        case 0: hear(request(choice, &bytes), choice)
        case 1: if let answer = response(&bytes) { hear(answer, choice) }
        case 2: act(choice, &bytes)
        case 3: pass(milliseconds: choice < 24 ? 10 * Double(bytes.byte()) : 2000 * Double(bytes.byte()))
        case 4: hear(bytes.bytes(Int(bytes.word() & 0x7ff)), choice)
        case 5: resolve(choice)
        case 6: if let again = follow(choice, &bytes) { hear(again, choice) }
        default: answerBinding(choice)
        }
        collect()
    }

    /// As seen from the same address each time, or from another: the mapping of a NAT is lost.
    private func answerBinding(_ choice: UInt8) {
        guard let asked = bindings.popLast() else { return }
        agent.bindingAnswered(
            by: asked, mapped: SignallingAddress(host: "198.51.100.1", port: choice & 1 != 0 ? 5060 : 5061), now: now)
    }

    func check() {
        precondition(agent.stateCount < 3000, "state without end: \(agent.stateCount)")
        precondition(outputs < 4000, "outputs without end")
        outputs = 0
    }

    /// Whatever was said: when all have hung up and their timers have run out, nothing is left of calls.
    func finish() {
        if hasAccount { agent.remove(account) }
        for _ in 0..<4 {
            for call in calls { try? agent.hangUp(call, now: now) }
            collect()
            pass(milliseconds: 400_000)
            collect()
        }
        precondition(agent.stateCount == 0, "\(agent.stateCount) pieces of state are left")
    }

    private func collect() {
        for output in agent.takeOutputs() {
            outputs += 1
            switch output {
            case .send(let bytes, _): note(bytes)
            case .resolve(let id, _): resolutions.append(id)
            case .askBinding(let address): bindings.append(address)
            case .close: break
            case .event(.incoming(let call, _)): calls.append(call)
            case .event: break
            }
        }
        if calls.count > 64 { calls.removeFirst(calls.count - 64) }
        if bindings.count > 64 { bindings.removeFirst(bindings.count - 64) }
        if resolutions.count > 64 { resolutions.removeFirst(resolutions.count - 64) }
    }

    private func note(_ bytes: [UInt8]) {
        guard case .message(let message) = parser.parse(bytes) else {
            // A refusal of what cannot be read has the fields that it came with.
            let isRefusal = ["SIP/2.0 4", "SIP/2.0 5"].contains { bytes.starts(with: $0.utf8) }
            precondition(isRefusal || bytes.allSatisfy { $0 == 13 || $0 == 10 }, "what is sent cannot be read")
            return
        }
        switch message {
        case .request(let request): requests = (requests + [request]).suffix(16)
        case .response(let response): responses = (responses + [response]).suffix(16)
        }
    }

    private func hear(_ message: [UInt8], _ choice: UInt8) {
        let remote = SignallingAddress(host: choice & 16 != 0 ? "192.0.2.10" : "192.0.2.9", port: 5060)
        guard choice & 8 != 0 else {
            return agent.receive(datagram: message, from: SignallingSource(transport: .udp, remote: remote), now: now)
        }
        let stream = SignallingConnectionID(number: UInt64(choice & 3))
        let source = SignallingSource(transport: .tcp, remote: remote, connection: stream)
        // In two pieces, as a stream may bring it.
        agent.receive(stream: message.prefix(message.count / 2), from: source, now: now)
        agent.receive(stream: message.dropFirst(message.count / 2), from: source, now: now)
        precondition(agent.pendingBytes(on: stream) < 200_000, "a stream that is kept without end")
    }

    private func pass(milliseconds: Double) {
        let end = now.advanced(byMilliseconds: milliseconds)
        for _ in 0..<5000 {
            guard let next = agent.nextDeadline, next <= end else { break }
            now = max(now, next)
            agent.advance(to: now)
            collect()
            outputs = 0
        }
        now = end
        agent.advance(to: now)
    }

    // MARK: - What the other side says

    private func request(_ choice: UInt8, _ bytes: inout FuzzBytes) -> [UInt8] {
        let method = Self.methods[Int(bytes.byte()) % Self.methods.count]
        let (call, branch, number) = (bytes.byte() & 3, bytes.byte() & 15, bytes.byte() & 7)
        let tag = bytes.byte() & 3
        // The tag that the agent gave in this call, or none, or another one.
        let given = responses.last { $0.headers.callID == "call\(call)" }?.headers.to.tag
        let to = tag == 0 ? "" : tag == 1 ? ";tag=other" : given.map { ";tag=\($0)" } ?? ""
        var lines = [
            "\(method) sip:101@192.0.2.1 SIP/2.0", "Via: SIP/2.0/UDP 192.0.2.9;branch=z9hG4bK\(branch);rport",
            "From: <sip:peer@192.0.2.9>;tag=peer\(call >> 1)", "To: <sip:101@192.0.2.1>\(to)", "Call-ID: call\(call)",
            "CSeq: \(number) \(method)", "Contact: <sip:peer@192.0.2.9>", "Max-Forwards: \(bytes.byte() & 0x7f)",
        ]
        lines += extras(bytes.byte(), &bytes)
        return message(lines, hasBody: choice & 1 != 0)
    }

    private func extras(_ choice: UInt8, _ bytes: inout FuzzBytes) -> [String] {
        switch choice & 15 {
        case 1: ["Supported: 100rel, timer, replaces", "Session-Expires: \(bytes.byte());refresher=uac"]
        case 2: ["Require: 100rel"]
        case 3: ["RAck: \(bytes.byte()) \(bytes.byte() & 7) INVITE"]
        case 4: ["Refer-To: <sip:c@192.0.2.3>"]
        case 5: ["Refer-To: <sip:c@192.0.2.3?Replaces=call1%3Bto-tag%3Dpeer%3Bfrom-tag%3Dother>"]
        case 6: ["Replaces: call\(bytes.byte() & 3);to-tag=x;from-tag=peer0"]
        case 7: ["Event: refer", "Subscription-State: active;expires=60", "Content-Type: message/sipfrag"]
        case 8: ["Record-Route: <sip:192.0.2.20;lr>, <sip:192.0.2.21>"]
        case 9: ["Min-SE: \(bytes.word())", "Session-Expires: \(bytes.word())"]
        case 10: ["X: " + String(decoding: bytes.bytes(Int(bytes.byte())).filter { $0 >= 32 }, as: UTF8.self)]
        case 11: ["WWW-Authenticate: Digest realm=\"r\", nonce=\"\(bytes.byte())\", algorithm=MD5, qop=\"auth\""]
        case 12: ["Contact: <sip:101@192.0.2.1>;expires=\(bytes.word())", "Expires: \(bytes.long())"]
        case 13: ["Require: 100rel", "RSeq: \(bytes.byte())"]
        case 14: ["Retry-After: \(bytes.long())"]
        default: []
        }
    }

    private func message(_ lines: [String], hasBody: Bool) -> [UInt8] {
        let body = hasBody ? "v=0\r\n" : ""
        let type = hasBody ? ["Content-Type: application/sdp"] : []
        return Array(((lines + type + ["Content-Length: \(body.utf8.count)", "", ""]).joined(separator: "\r\n") + body).utf8)
    }

    /// An answer to one of the agent's last requests.
    private func response(_ bytes: inout FuzzBytes) -> [UInt8]? {
        guard !requests.isEmpty else { return nil }
        let request = requests[Int(bytes.byte()) % requests.count]
        let code = Self.codes[Int(bytes.byte()) % Self.codes.count]
        var response = Response(status: code, reason: "x")
        for name in [HeaderName.via, .from, .callID, .cSeq] {
            for field in request.headers.all(name) { response.headers.append(field) }
        }
        let tag = bytes.byte() & 3
        let to = request.headers.text(.to) ?? "<sip:x@192.0.2.9>"
        response.headers.append(.to, to.contains("tag=") || tag == 0 ? to : "\(to);tag=t\(tag)")
        response.headers.append(.contact, "<sip:peer@192.0.2.9>")
        let text = String(decoding: response.bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
            .filter { !$0.lowercased().hasPrefix("content-length") }
        return message(text + extras(bytes.byte(), &bytes), hasBody: tag & 1 != 0)
    }

    /// A request inside a call, made of what the agent said, or the same message once more.
    private func follow(_ choice: UInt8, _ bytes: inout FuzzBytes) -> [UInt8]? {
        guard !requests.isEmpty else { return nil }
        let request = requests[Int(bytes.byte()) % requests.count]
        guard choice & 1 != 0 else { return request.bytes }
        let method = Self.methods[Int(bytes.byte()) % Self.methods.count]
        let lines = [
            "\(method) sip:101@192.0.2.1 SIP/2.0", "Via: SIP/2.0/UDP 192.0.2.9;branch=z9hG4bKf\(bytes.byte())",
            "From: \(request.headers.text(.to) ?? "<sip:x@y>");tag=t\(bytes.byte() & 3)",
            "To: \(request.headers.text(.from) ?? "<sip:x@y>")", "Call-ID: \(request.headers.callID)",
            "CSeq: \(bytes.byte()) \(method)", "Contact: <sip:peer@192.0.2.9>", "Max-Forwards: 70",
        ]
        return message(lines + extras(bytes.byte(), &bytes), hasBody: choice & 2 != 0)
    }

    private func resolve(_ choice: UInt8) {
        guard !resolutions.isEmpty else { return }
        let id = resolutions.remove(at: Int(choice) % resolutions.count)
        let address = SignallingAddress(host: "192.0.2.9", port: 5060)
        let hops = (0..<Int(choice & 3)).map { ServerHop(transport: $0 == 1 ? .tcp : .udp, address: address) }
        agent.resolved(id, hops, now: now)
    }

    // MARK: - What the person does

    private func act(_ choice: UInt8, _ bytes: inout FuzzBytes) {
        let detail = bytes.byte()
        if choice < 4 || calls.isEmpty { return begin(detail) }
        let call = calls[Int(detail) % calls.count]
        switch choice {
        case 4, 5: try? agent.ring(call, now: now)
        case 6: try? agent.ring(call, status: 183, body: Self.offer, now: now)
        case 7, 8, 9: try? agent.answer(call, body: Self.offer, now: now)
        case 10: try? agent.reject(call, status: 300 + Int(bytes.byte()), now: now)
        case 11, 12: try? agent.hangUp(call, now: now)
        case 13: try? agent.modify(call, body: detail & 0x80 != 0 ? Self.offer : nil, now: now)
        case 14: try? agent.modify(call, body: Self.offer, usesUpdate: true, now: now)
        case 15: try? agent.acknowledge(call, body: Self.offer, now: now)
        case 16: try? agent.sendInfo(call, body: Body(contentType: "a/b", bytes: [1]), now: now)
        case 17: if let target = URI("sip:c@192.0.2.3") { try? agent.transfer(call, to: target, now: now) }
        case 18:
            if let target = URI("sip:c@192.0.2.3"), let other = calls.last {
                try? agent.transfer(call, to: target, replacing: other, now: now)
            }
        case 19: try? agent.acceptTransfer(call, now: now)
        case 20: try? agent.rejectTransfer(call, now: now)
        case 21: try? agent.reportTransfer(call, status: 100 + 2 * Int(bytes.byte()), now: now)
        case 22: agent.retryAfter = detail & 1 != 0 ? 30 : nil
        case 23: agent.addressChanged(now: now)
        case 24:
            let remote = SignallingAddress(host: "192.0.2.9", port: 5060)
            agent.transportFailed(SignallingDestination(transport: detail & 1 != 0 ? .tcp : .udp, address: remote), now: now)
        default:
            if hasAccount { try? detail & 1 != 0 ? agent.register(account, now: now) : agent.unregister(account, now: now) }
        }
    }

    private func begin(_ detail: UInt8) {
        let target = URI(detail & 1 != 0 ? "sip:x@192.0.2.9" : "sip:x@example.com;transport=tcp")
        guard let target, calls.count < 16 else { return }
        let id = detail & 2 != 0 && hasAccount ? account : nil
        if detail & 4 != 0 {
            _ = try? agent.options(target, account: id, now: now)
        } else if let call = try? agent.invite(target, account: id, body: detail & 8 != 0 ? nil : Self.offer, now: now) {
            calls.append(call)
        }
    }
}
