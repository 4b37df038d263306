import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Posts one event over a connection of its own (HTTP/1.1). Redirections are not followed: they are answers like others.
struct WebhookClient: Sendable {
    struct Answer: Sendable, Equatable {
        var status: Int
        /// Seconds after which it may be tried again.
        var retryAfter: Int?
    }

    /// Why there is no answer.
    struct Failure: Error, Sendable, CustomStringConvertible { let description: String }

    /// From the look-up of the name to the answer's head.
    static let patience = TimeAmount.seconds(10)
    private static let connecting = TimeAmount.seconds(5)
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// PEM file of authorities; `nil`: the system's.
    var authorities: String?

    func post(_ body: [UInt8], headers: [(name: String, value: String)], to address: WebhookAddress) async throws -> Answer {
        let tls = address.isEncrypted ? try context() : nil
        var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: address.path)
        head.headers = [
            "Host": address.authority, "Content-Type": "application/json", "Content-Length": "\(body.count)",
            "User-Agent": "yodel", "Connection": "close",
        ]
        for (name, value) in headers { head.headers.add(name: name, value: value) }
        let request = head
        let loop = Self.group.next()
        let answer = loop.makePromise(of: Answer.self)
        let limit = loop.scheduleTask(in: Self.patience) { answer.fail(Failure(description: "no answer in 10 s")) }
        answer.futureResult.whenComplete { _ in limit.cancel() }
        let channel = ClientBootstrap(group: loop).connectTimeout(Self.connecting)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls {
                        try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: address.serverName))
                    }
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(Exchange(request, body, answer))
                }
            }
            .connect(host: address.host, port: address.port)
        channel.whenFailure { answer.fail($0) }
        channel.whenSuccess { channel in answer.futureResult.whenComplete { _ in channel.close(promise: nil) } }
        return try await answer.futureResult.get()
    }

    private func context() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let authorities { configuration.trustRoots = .file(authorities) }
        return try NIOSSLContext(configuration: configuration)
    }
}

/// One request, and the head of its answer.
private final class Exchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let request: HTTPRequestHead
    private let body: [UInt8]
    private let answer: EventLoopPromise<WebhookClient.Answer>

    init(_ request: HTTPRequestHead, _ body: [UInt8], _ answer: EventLoopPromise<WebhookClient.Answer>) {
        (self.request, self.body, self.answer) = (request, body, answer)
    }

    func channelActive(context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(request)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data), head.status.code >= 200 else { return }
        let wait = head.headers.first(name: "Retry-After").flatMap { Int($0) }
        answer.succeed(WebhookClient.Answer(status: Int(head.status.code), retryAfter: wait))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        answer.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        answer.fail(WebhookClient.Failure(description: "it hung up without an answer"))
        context.fireChannelInactive()
    }
}
