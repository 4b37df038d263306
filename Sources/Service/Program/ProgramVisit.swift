import NIOCore
import NIOWebSocket

/// A program that comes to a call: what is done with its connection once that is a WebSocket.
package struct ProgramVisit: Sendable {
    let dialect: ProgramDialect
    /// Talks until a side ends it.
    let serve: @Sendable (ProgramSession.Socket) async throws -> Void
    /// The token of its request, and what that has to allow; `nil`: nobody asks.
    var permit: Permit?
    var least = Role.read

    init(dialect: ProgramDialect, serve: @escaping @Sendable (ProgramSession.Socket) async throws -> Void) {
        (self.dialect, self.serve) = (dialect, serve)
    }

    /// Has it end when its token does not allow it any more.
    /// - Parameter onLapse: ends it.
    /// - Returns: to be kept for as long as it goes on.
    package func hold(onLapse: @escaping @Sendable () -> Void) -> Permit.Hold? { permit?.hold(least, onLapse: onLapse) }

    /// Talks until a side ends it, or its token does not allow it any more.
    func run(_ socket: ProgramSession.Socket) async throws {
        let channel = socket.channel
        let hold = hold {
            channel.sayClose(.policyViolation, masks: false)
            channel.close(promise: nil)
        }
        defer { withExtendedLifetime(hold) {} }
        try await serve(socket)
    }

    /// How the upgrade is answered, beside what every upgrade is answered by (RFC 6455 section 4.2.2).
    /// - Parameter offered: subprotocols of the request; `nil`: none.
    func protocolHeader(offered: String?) -> [(String, String)] {
        offered == nil ? [] : [("Sec-WebSocket-Protocol", dialect.rawValue)]
    }
}
