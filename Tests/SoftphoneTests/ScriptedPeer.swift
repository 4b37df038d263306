import Dispatch
import Synchronization
import TestPrograms

/// A telephone written by hand, which the test tells how to answer each INVITE. It agrees to every second one as a hold.
final class ScriptedPeer {
    private let place: LoopbackSocket
    private let script: Script
    private let readiness: any DispatchSourceRead

    /// - Parameter statuses: of the answers, from the first INVITE on; one repeated is no other. nil: 200 after `release`.
    init(_ statuses: [Int?]) throws {
        let place = try LoopbackSocket(isNonBlocking: true)
        let script = Script(statuses, port: place.port)
        (self.place, self.script) = (place, script)
        readiness = place.answerAlways { octets, _ in script.answer(octets) }
    }

    deinit { readiness.cancel() }

    var uri: String { "sip:peer@127.0.0.1:\(place.port)" }
    /// INVITEs that have come.
    var invites: Int { script.state.withLock { $0.numbers.count } }
    /// Answers the one that waits, when it is repeated.
    func release() { script.state.withLock { $0.isReleased = true } }
}

private final class Script: Sendable {
    let state = Mutex<(numbers: [String], isReleased: Bool)>(([], false))
    private let statuses: [Int?]
    private let port: UInt16

    init(_ statuses: [Int?], port: UInt16) { (self.statuses, self.port) = (statuses, port) }

    func answer(_ octets: ArraySlice<UInt8>) -> [UInt8]? {
        let text = String(decoding: octets, as: UTF8.self)
        switch text.prefix(while: { $0 != " " }) {
        case "INVITE": return invited(text)
        case "BYE": return reply(to: text, 200)
        default: return nil
        }
    }

    private func invited(_ text: String) -> [UInt8]? {
        let name = Self.field("CSeq", of: text)
        let (index, isReleased) = state.withLock { state in
            if !state.numbers.contains(name) { state.numbers.append(name) }
            return (state.numbers.firstIndex(of: name) ?? 0, state.isReleased)
        }
        guard let status = statuses[min(index, statuses.count - 1)] ?? (isReleased ? 200 : nil) else { return nil }
        guard status == 200 else { return reply(to: text, status) }
        let direction = index % 2 == 1 ? "recvonly" : "sendrecv"
        let body = [
            "v=0", "o=- 7 \(index + 1) IN IP4 127.0.0.1", "s=-", "c=IN IP4 127.0.0.1", "t=0 0", "m=audio 6000 RTP/AVP 0",
            "a=\(direction)", "",
        ]
        return reply(to: text, status, body.joined(separator: "\r\n"))
    }

    private func reply(to text: String, _ status: Int, _ body: String = "") -> [UInt8] {
        let to = Self.field("To", of: text)
        let tag = to.contains(";tag=") ? "" : ";tag=peer"
        var lines = ["SIP/2.0 \(status) Answer"]
        for name in ["Via", "From", "Call-ID", "CSeq"] { lines.append("\(name): \(Self.field(name, of: text))") }
        lines += ["To: \(to)\(tag)", "Contact: <sip:peer@127.0.0.1:\(port)>"]
        if !body.isEmpty { lines.append("Content-Type: application/sdp") }
        lines.append("Content-Length: \(body.utf8.count)")
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    private static func field(_ name: String, of text: String) -> String {
        let line = text.split(separator: "\r\n").first { $0.hasPrefix("\(name): ") } ?? ""
        return String(line.dropFirst(name.count + 2))
    }
}
