import Signalling
import Synchronization
import TestPrograms
import Testing

/// Changes of both sides that meet, over a real socket: the other side is written by hand.
@Suite("Changes that meet") struct GlareTests {
    @Test("a hold that the other side's change met is made with that one") func hold() async throws {
        let peer = try GlaringPeer()
        let serving = Task { await peer.serve() }
        let phone = try Phone()
        do {
            let call = phone.signalling.invite(
                OutgoingCall(target: "sip:peer@127.0.0.1:\(peer.port)", media: LocalPorts(port: 40_000)))
            try await phone.answered()
            phone.signalling.hold(call, true)
            try await phone.held(byUs: true, byPeer: false)
            // The hold was offered once, and was made by the answer to the other side's offer.
            #expect(peer.offers == 2)
        } catch {
            Issue.record(error)
        }
        await phone.close()
        serving.cancel()
        await serving.value
    }
}

/// Answers a call, refuses its first change with 491, and makes one of its own at once.
private final class GlaringPeer: Sendable {
    private let server: DatagramServer
    /// CSeq of each INVITE that came: one that is repeated, because a busy machine answers late, is no other.
    private let numbers = Mutex<Set<String>>([])

    init() throws { server = try DatagramServer() }

    var port: UInt16 { server.port }
    var offers: Int { numbers.withLock { $0.count } }

    func serve() async {
        await server.serve { octets, port in self.answer(String(decoding: octets, as: UTF8.self), from: port) }
    }

    private func answer(_ text: String, from port: UInt16) -> [UInt8]? {
        let isInside = Self.field("To", of: text).contains(";tag=")
        let number = Self.field("CSeq", of: text)
        let copied = ["Via", "From", "Call-ID", "CSeq"].map { "\($0): \(Self.field($0, of: text))" }
        switch text.prefix(while: { $0 != " " }) {
        case "INVITE":
            _ = numbers.withLock { $0.insert(number) }
            guard !isInside else { return DatagramServer.reply(to: text, "491 Request Pending") }
            return message("SIP/2.0 200 OK", copied + ["To: \(Self.field("To", of: text));tag=peer"], version: 1)
        // The ACK to 491.
        case "ACK" where isInside && number == "2 ACK":
            return request("INVITE", to: port, from: "To", to: "From", of: text, version: 2)
        case "SIP/2.0" where text.hasPrefix("SIP/2.0 200") && number == "1 INVITE":
            return request("ACK", to: port, from: "From", to: "To", of: text, version: nil)
        case "BYE": return DatagramServer.reply(to: text, "200 OK")
        default: return nil
        }
    }

    /// A request of this side's, whose own fields stand in `text` under other names.
    private func request(
        _ method: String, to port: UInt16, from: String, to: String, of text: String, version: Int?
    ) -> [UInt8] {
        message(
            "\(method) sip:phone@127.0.0.1:\(port) SIP/2.0",
            [
                "Via: SIP/2.0/UDP 127.0.0.1:\(self.port);branch=z9hG4bK\(method);rport", "Max-Forwards: 70",
                "From: \(Self.field(from, of: text))", "To: \(Self.field(to, of: text))",
                "Call-ID: \(Self.field("Call-ID", of: text))", "CSeq: 1 \(method)",
            ], version: version)
    }

    /// - Parameter version: of the session; nil: without one.
    private func message(_ start: String, _ fields: [String], version: Int?) -> [UInt8] {
        var body = ""
        var type: [String] = []
        if let version {
            body = [
                "v=0", "o=- 7 \(version) IN IP4 127.0.0.1", "s=-", "c=IN IP4 127.0.0.1", "t=0 0", "m=audio 6000 RTP/AVP 0", "",
            ].joined(separator: "\r\n")
            type = ["Content-Type: application/sdp"]
        }
        let contact = ["Contact: <sip:peer@127.0.0.1:\(port)>"]
        let lines = [start] + fields + contact + type + ["Content-Length: \(body.utf8.count)"]
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    private static func field(_ name: String, of text: String) -> String {
        let line = text.split(separator: "\r\n").first { $0.hasPrefix("\(name): ") } ?? ""
        return String(line.dropFirst(name.count + 2))
    }
}
