/// A message by SIP as a bundle shows it: what tells it from the others of its call, and its body.
struct SIPMessageText {
    /// `INVITE`, or `200 INVITE` of a response.
    let kind: String
    /// Status of a response; `nil`: it is a request.
    let status: Int?
    let method: String
    /// The address in the first line of a request.
    let target: String
    /// Of CSeq.
    let number: String
    /// Call-ID, From tag, To tag, and branch of the first Via: what the agents of both sides have drawn.
    let names: [String?]
    let contentType: String?
    let body: String
    private let head: [Substring]

    /// - Parameter text: with plain line ends.
    init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let end = lines.firstIndex { $0.isEmpty } ?? lines.count
        head = Array(lines[..<end])
        body = lines.dropFirst(end + 1).joined(separator: "\r\n")
        let words = (head.first ?? "").split(separator: " ", maxSplits: 2)
        guard words.count >= 2, let sequence = Self.value("cseq", in: head)?.split(separator: " "), sequence.count == 2 else {
            return nil
        }
        (number, method) = (String(sequence[0]), String(sequence[1]))
        if words[0] == "SIP/2.0" {
            guard let code = Int(words[1]), (100...699).contains(code) else { return nil }
            (status, kind, target) = (code, "\(code) \(method)", "")
        } else {
            (status, kind, target) = (nil, String(words[0]), String(words[1]))
        }
        names = [
            Self.value("call-id", short: "i", in: head), Self.tag("from", "f", in: head), Self.tag("to", "t", in: head),
            Self.value("via", short: "v", in: head)?.firstMatch(of: #/;\s*branch=([^;,\s]+)/#).map { String($0.1) },
        ]
        contentType = Self.value("content-type", short: "c", in: head)
    }

    /// The To tag: within a dialog there is one.
    var isInDialog: Bool { names[2] != nil }
    /// What a repetition has in common with it.
    var key: String { "\(kind) \(number) \(names.map { $0 ?? "-" }.joined(separator: " "))" }
    /// The realm of a challenge.
    var realm: String? {
        let challenge = Self.value("www-authenticate", in: head) ?? Self.value("proxy-authenticate", in: head)
        return challenge?.firstMatch(of: #/realm="([^"]*)"/#).map { String($0.1) }
    }
    /// The address in From.
    var from: String? { Self.value("from", short: "f", in: head)?.firstMatch(of: #/<([^>]*)>/#).map { String($0.1) } }

    /// As octets, with other names in its head.
    /// - Parameter names: what stands for what.
    /// - Returns: a whole message.
    func octets(naming names: [(recorded: String, replayed: String)]) -> [UInt8] {
        var lines = head.map(String.init).filter { !Self.isField($0[...], "content-length", "l") }
        lines.append("Content-Length: \(body.utf8.count)")
        var text = lines.joined(separator: "\r\n")
        for (recorded, replayed) in names { text = text.replacing(recorded, with: replayed) }
        return Array((text + "\r\n\r\n" + body).utf8)
    }

    private static func tag(_ name: String, _ short: String, in head: [Substring]) -> String? {
        value(name, short: short, in: head)?.firstMatch(of: #/;\s*tag=([^;>,\s]+)/#).map { String($0.1) }
    }

    private static func value(_ name: String, short: String = "", in head: [Substring]) -> String? {
        head.dropFirst().first { isField($0, name, short) }.map { line in
            String(line.drop { $0 != ":" }.dropFirst().drop { $0 == " " || $0 == "\t" })
        }
    }

    private static func isField(_ line: Substring, _ name: String, _ short: String) -> Bool {
        let found = line.prefix { $0 != ":" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        return found == name || !short.isEmpty && found == short
    }
}
