import NIOCore
import NIOHTTP1
import NIOWebSocket
import Realtime

/// How a connection becomes a program's WebSocket: by its first request, where that asks for one (RFC 6455 section 4.2) and may have it.
enum WebSocketUpgrade {
    typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    /// What a connection is, once its first request is known.
    enum Talk {
        case http(Connection)
        /// Whoever asked for a WebSocket may not have one: the upgrade has taken the request away, this is its answer.
        case refused(Connection, HTTPRequestHead, APIResponse)
        case program(ProgramSession.Socket, ProgramVisit)
    }

    /// Lays out the channel of a connection.
    /// - Parameters:
    ///   - limits: of a request's head.
    ///   - clock: the name of the handler that watches HTTP.
    ///   - answer: what a request without a body gets.
    static func configure(
        _ channel: any Channel, limits: NIOHTTPDecoderLimitConfiguration, clock: String,
        answer: @escaping @Sendable (HTTPRequestHead) async -> APIResponse
    ) throws -> EventLoopFuture<Talk> {
        let outcome = Outcome()
        let upgrader = NIOTypedWebSocketServerUpgrader<Talk>(
            maxFrameSize: ProgramDialect.longestMessage,
            shouldUpgrade: { channel, head in
                channel.eventLoop.makeFutureWithTask {
                    let response = await answer(head)
                    outcome.known.withLock { $0 = (head, response) }
                    guard case .program(let visit) = response.body else { return nil }
                    return HTTPHeaders(visit.protocolHeader(offered: head.headers.first(name: "sec-websocket-protocol")))
                }
            },
            upgradePipelineHandler: { channel, _ in
                channel.pipeline.removeHandler(name: clock).flatMapThrowing {
                    guard case .program(let visit) = outcome.known.withLock({ $0 })?.response.body else {
                        throw ChannelError.inappropriateOperationForState
                    }
                    return .program(try channel.webSocket(peerMasks: true), visit)
                }
            })
        let none: @Sendable (any Channel) -> EventLoopFuture<Talk> = { channel in
            channel.eventLoop.makeCompletedFuture {
                let connection = try Connection(wrappingChannelSynchronously: channel)
                return outcome.known.withLock { $0 }.map { .refused(connection, $0.head, $0.response) } ?? .http(connection)
            }
        }
        var configuration = NIOUpgradableHTTPServerPipelineConfiguration<Talk>(
            upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(
                upgraders: [upgrader], notUpgradingCompletionHandler: none))
        configuration.decoderConfiguration = limits
        let pipeline = channel.pipeline.syncOperations
        let talk = try pipeline.configureUpgradableHTTPServerPipeline(configuration: configuration)
        let handler = try pipeline.handler(type: NIOTypedHTTPServerUpgradeHandler<Talk>.self)
        try pipeline.addHandler(OtherUpgrades(), position: .before(handler))
        return talk
    }

    /// What came of a request for a WebSocket; `nil`: there was none.
    private final class Outcome: Sendable {
        let known = Lock<(head: HTTPRequestHead, response: APIResponse)?>(nil)
    }
}

/// Takes the wish for an upgrade off requests that are not for a program's WebSocket (HTTP/2, say): the upgrade would take them away.
/// They are answered, and nothing is read any more after them, for what follows may be in another protocol.
private final class OtherUpgrades: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// Only by its first request a connection becomes another; what follows an upgrade is not HTTP.
    private var isFirst = true

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard isFirst else { return context.fireChannelRead(data) }
        isFirst = false
        guard case .head(var head) = unwrapInboundIn(data), head.headers.contains(name: "upgrade"),
            !Self.isForProgram(head)
        else { return context.fireChannelRead(data) }
        head.headers.remove(name: "upgrade")
        head.headers.replaceOrAdd(name: "connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    private static func isForProgram(_ head: HTTPRequestHead) -> Bool {
        let hasBody = head.headers.contains(name: "content-length") || head.headers.contains(name: "transfer-encoding")
        return !hasBody && ProgramRoutes.stream.takes(APIRequest(head.method.rawValue, head.uri))
            && head.headers[canonicalForm: "upgrade"].map { $0.lowercased() } == ["websocket"]
            && head.headers[canonicalForm: "connection"].contains { $0.lowercased() == "upgrade" }
            && head.headers["sec-websocket-version"] == ["13"] && head.headers["sec-websocket-key"].count == 1
    }
}
