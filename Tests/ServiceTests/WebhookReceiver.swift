import Dispatch
import Glibc
import TestPrograms

/// A webhook's receiver on loopback, one request a connection: it answers 200, and hands out the ids of events as they come.
final class WebhookReceiver: Sendable {
    let ids: AsyncStream<String>
    private let socket: LoopbackSocket

    init() throws {
        socket = try LoopbackSocket(.listening(backlog: 16))
        let (ids, continuation) = AsyncStream.makeStream(of: String.self)
        self.ids = ids
        DispatchQueue(label: "yodel.webhook-receiver").async { [socket] in
            while true {
                let connection = accept(socket.descriptor, nil, nil)
                guard connection >= 0 else { break }
                if let id = Self.answer(connection) { continuation.yield(id) }
                close(connection)
            }
            continuation.finish()
        }
    }

    var port: UInt16 { socket.port }

    func stop() { shutdown(socket.descriptor, Int32(SHUT_RDWR)) }

    /// - Returns: the event's id; `nil`: it was no whole request.
    private static func answer(_ connection: Int32) -> String? {
        var text = ""
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(connection, &piece, piece.count)
            guard count > 0 else { return nil }
            text += String(decoding: piece[..<count], as: UTF8.self)
            let head = text.prefix(while: { $0 != "{" })
            guard head.hasSuffix("\r\n\r\n"), let length = field("content-length", head).flatMap({ Int($0) }),
                text.utf8.count >= head.utf8.count + length
            else { continue }
            let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
            return write(connection, answer, answer.count) == answer.count ? field("webhook-id", head) : nil
        }
    }

    private static func field(_ name: String, _ head: Substring) -> String? {
        head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name + ": ") }.map {
            String($0.dropFirst(name.count + 2))
        }
    }
}
