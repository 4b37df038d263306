import NIOCore
import NIOWebSocket

extension Channel {
    /// What is talked over a channel that has become a WebSocket; on its event loop.
    /// - Parameter peerMasks: whether the other side is the client, whose frames are masked.
    func webSocket(peerMasks: Bool) throws -> ProgramSession.Socket {
        let pipeline = pipeline.syncOperations
        try pipeline.addHandler(MaskRule(peerMasks: peerMasks))
        try pipeline.addHandler(
            NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1024,
                maxAccumulatedFrameSize: ProgramDialect.longestMessage))
        return try ProgramSession.Socket(wrappingChannelSynchronously: self)
    }

    /// Says on a WebSocket that it ends, and why. It waits for nobody, and a task that is cancelled may say it.
    /// - Parameter masks: whether our side is the client.
    func sayClose(_ code: WebSocketErrorCode, masks: Bool) { _ = writeAndFlush(WebSocketFrame.close(code, masks: masks)) }
}

extension WebSocketFrame {
    /// Says that a WebSocket ends, and why (RFC 6455 section 5.5.1).
    /// - Parameter masks: whether our side is the client.
    static func close(_ code: WebSocketErrorCode, masks: Bool) -> WebSocketFrame {
        var reason = ByteBuffer()
        reason.write(webSocketErrorCode: code)
        return WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: masks ? .random() : nil, data: reason)
    }
}

/// Ends a WebSocket whose other side masks its frames as only ours may be, or not as it must (RFC 6455 section 5.1).
private final class MaskRule: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let peerMasks: Bool

    init(peerMasks: Bool) { self.peerMasks = peerMasks }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if (unwrapInboundIn(data).maskKey != nil) == peerMasks { return context.fireChannelRead(data) }
        context.writeAndFlush(wrapOutboundOut(.close(.protocolError, masks: !peerMasks)), promise: nil)
        context.close(promise: nil)
    }
}
