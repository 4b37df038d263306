import Glibc
import Realtime
import Testing

/// Somebody on loopback who answers datagrams as a closure says; nil: with silence.
final class DatagramServer: Sendable {
    typealias Answer = @Sendable (_ octets: [UInt8], _ port: UInt16) -> [UInt8]?

    let port: UInt16
    private let descriptor: CInt

    init() throws {
        descriptor = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        try #require(isBound)
        port = UInt16(bigEndian: address.sin_port)
    }

    /// Answers until the task is cancelled.
    func serve(_ answer: Answer) async {
        while !Task.isCancelled {
            var buffer = [UInt8](repeating: 0, count: 8192)
            var from = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let count = withUnsafeMutablePointer(to: &from) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT), $0, &size)
                }
            }
            guard count > 0 else {
                try? await Task.sleep(nanoseconds: 1_000_000)
                continue
            }
            guard let reply = answer(Array(buffer[..<count]), UInt16(bigEndian: from.sin_port)) else { continue }
            _ = withUnsafePointer(to: &from) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    sendto(descriptor, reply, reply.count, 0, $0, size)
                }
            }
        }
        close(descriptor)
    }

    /// An answer of `status` to a request, with what every answer copies, and `fields`.
    static func reply(to text: String, _ status: String, copying names: [String] = [], _ fields: [String] = []) -> [UInt8] {
        let copied = text.split(separator: "\r\n").map(String.init).filter { line in
            (["Via:", "From:", "To:", "Call-ID:", "CSeq:"] + names).contains { line.hasPrefix($0) }
        }
        let lines = ["SIP/2.0 \(status)"] + copied + fields + ["Content-Length: 0"]
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}
