import TestPrograms

extension DatagramServer {
    /// An answer of `status` to a request, with what every answer copies, and `fields`.
    static func reply(to text: String, _ status: String, copying names: [String] = [], _ fields: [String] = []) -> [UInt8] {
        let copied = text.split(separator: "\r\n").map(String.init).filter { line in
            (["Via:", "From:", "To:", "Call-ID:", "CSeq:"] + names).contains { line.hasPrefix($0) }
        }
        let lines = ["SIP/2.0 \(status)"] + copied + fields + ["Content-Length: 0"]
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}
