import NIOCore
import NIOWebSocket

/// A program that comes to a call: what is done with its connection once that is a WebSocket.
package struct ProgramVisit: Sendable {
    let dialect: ProgramDialect
    /// Talks until a side ends it.
    let serve: @Sendable (ProgramSession.Socket) async throws -> Void

    /// How the upgrade is answered, beside what every upgrade is answered by (RFC 6455 section 4.2.2).
    /// - Parameter offered: subprotocols of the request; `nil`: none.
    func protocolHeader(offered: String?) -> [(String, String)] {
        offered == nil ? [] : [("Sec-WebSocket-Protocol", dialect.rawValue)]
    }
}
