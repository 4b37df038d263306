import NIOCore
import NIOHTTP1
import Synchronization

/// Ends what takes too long on a connection: a head or a body that does not come, a reader that does not read, silence between
/// two requests. An answer that is being made has all the time it needs.
final class ConnectionClock: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The first head, after the connection was opened.
    static let headLimit = TimeAmount.seconds(10)
    /// A body, after its head.
    static let bodyLimit = TimeAmount.seconds(20)
    /// What is written to be taken, in part.
    static let unreadLimit = TimeAmount.seconds(30)
    /// The next head, after an answer: of those who bear the token, and of others.
    static let idleLimit = TimeAmount.seconds(300)
    static let strangerIdleLimit = TimeAmount.seconds(15)
    /// Who was told that a body took too long has so long to read it.
    private static let farewell = TimeAmount.seconds(2)

    private let trust: ConnectionTrust
    private var timer: Scheduled<Void>?
    private var writes = 0
    private var unread: Scheduled<Void>?
    private var isRequestWhole = true

    init(_ trust: ConnectionTrust) { self.trust = trust }

    func channelActive(context: ChannelHandlerContext) {
        close(context, after: Self.headLimit)
        context.fireChannelActive()
    }

    /// The connection is HTTP's no more.
    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        unread?.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        unread?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            isRequestWhole = false
            limitBody(context)
        case .body: break
        case .end:
            isRequestWhole = true
            timer?.cancel()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data), isRequestWhole {
            close(context, after: trust.isBearer ? Self.idleLimit : Self.strangerIdleLimit)
        }
        let promise = promise ?? context.eventLoop.makePromise()
        writes += 1
        if writes == 1 { limitUnread(context) }
        promise.futureResult.assumeIsolated().whenComplete { _ in self.wasTaken(context) }
        context.write(data, promise: promise)
    }

    private func wasTaken(_ context: ChannelHandlerContext) {
        writes -= 1
        unread?.cancel()
        if writes > 0 { limitUnread(context) }
    }

    private func limitUnread(_ context: ChannelHandlerContext) {
        unread = context.eventLoop.assumeIsolated().scheduleTask(in: Self.unreadLimit) { context.close(promise: nil) }
    }

    private func close(_ context: ChannelHandlerContext, after limit: TimeAmount) {
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: limit) { context.close(promise: nil) }
    }

    private func limitBody(_ context: ChannelHandlerContext) {
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.bodyLimit) {
            context.fireErrorCaught(SlowBody())
            self.close(context, after: Self.farewell)
        }
    }
}

/// A body does not come.
struct SlowBody: Error {}

/// Whether a request on a connection bore the token.
final class ConnectionTrust: Sendable {
    private let state = Atomic(false)

    var isBearer: Bool { state.load(ordering: .relaxed) }
    func grant() { state.store(true, ordering: .relaxed) }
}
