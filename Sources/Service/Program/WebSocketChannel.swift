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
        var reason = context.channel.allocator.buffer(capacity: 2)
        reason.write(webSocketErrorCode: .protocolError)
        let end = WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: peerMasks ? nil : .random(), data: reason)
        context.writeAndFlush(wrapOutboundOut(end), promise: nil)
        context.close(promise: nil)
    }
}
