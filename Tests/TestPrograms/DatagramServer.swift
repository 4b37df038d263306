import Glibc

/// Somebody on loopback who answers datagrams as a closure says; nil: with silence.
public final class DatagramServer: Sendable {
    public typealias Answer = @Sendable (_ octets: [UInt8], _ port: UInt16) -> [UInt8]?

    private let socket: LoopbackSocket

    public init() throws { socket = try LoopbackSocket() }

    public var port: UInt16 { socket.port }

    /// Answers until the task is cancelled.
    public func serve(_ answer: Answer) async {
        while !Task.isCancelled {
            var buffer = [UInt8](repeating: 0, count: 8192)
            var from = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let count = withUnsafeMutablePointer(to: &from) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(socket.descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT), $0, &size)
                }
            }
            guard count > 0 else {
                try? await Task.sleep(nanoseconds: 1_000_000)
                continue
            }
            guard let reply = answer(Array(buffer[..<count]), UInt16(bigEndian: from.sin_port)) else { continue }
            _ = withUnsafePointer(to: &from) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    sendto(socket.descriptor, reply, reply.count, 0, $0, size)
                }
            }
        }
    }
}
