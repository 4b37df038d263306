import NIOCore
import NIOTLS

/// Hands what happens on a stream to the core.
final class StreamHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let core: TransportCore
    private let stream: Stream
    private var hasEnded = false

    init(_ core: TransportCore, _ stream: Stream) {
        self.core = core
        self.stream = stream
    }

    func channelActive(context: ChannelHandlerContext) {
        if stream.transport == .tcp { core.opened(stream) }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        core.received(Array(unwrapInboundIn(data).readableBytesView), on: stream)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? TLSUserEvent, case .handshakeCompleted = event {
            core.opened(stream)
        } else if event is IdleStateHandler.IdleStateEvent {
            core.end(stream, .idle)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        core.end(stream, SignallingFailure(error))
    }

    func channelInactive(context: ChannelHandlerContext) {
        guard !hasEnded else { return }
        hasEnded = true
        core.ended(stream)
    }
}
