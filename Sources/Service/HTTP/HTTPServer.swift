import Link
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import Realtime
import Synchronization

/// The server: HTTP/1.1 by SwiftNIO, each connection a task of its own.
///
/// A connection that does nothing for five minutes is closed; there are at most `connectionLimit` of them.
final class HTTPServer: Sendable {
    typealias Answer = @Sendable (APIRequest) async -> APIResponse
    private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    static let connectionLimit = 1024
    private static let idleLimit = TimeAmount.seconds(300)

    private let group: MultiThreadedEventLoopGroup
    private let listener: NIOAsyncChannel<Connection, Never>
    private let answer: Answer
    private let core: ServiceCore
    private let connections = Atomic(0)
    private let task = Lock<Task<Void, Never>?>(nil)

    /// Binds the port.
    init(_ address: IPAddress, port: UInt16, core: ServiceCore, answer: @escaping Answer) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        (self.group, self.core, self.answer) = (group, core, answer)
        do {
            listener = try await ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 256)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .bind(host: "\(address)", port: Int(port)) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                        try pipeline.addHandler(IdleStateHandler(allTimeout: Self.idleLimit))
                        try pipeline.addHandler(IdleCloser())
                        return try Connection(wrappingChannelSynchronously: channel)
                    }
                }
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    /// The port that was bound.
    var port: Int { listener.channel.localAddress?.port ?? 0 }

    func start() {
        task.withLock { task in task = Task { [self] in await serve() } }
    }

    /// Closes the port and every connection.
    func stop() async {
        let running = task.withLock { $0.take() }
        running?.cancel()
        await running?.value
        try? await group.shutdownGracefully()
    }

    private func serve() async {
        await withDiscardingTaskGroup { tasks in
            do {
                try await listener.executeThenClose { inbound in
                    for try await connection in inbound {
                        tasks.addTask { [self] in await carry(connection) }
                    }
                }
            } catch {
                if !Task.isCancelled { logger.error("the HTTP server ended: \(error)") }
            }
            tasks.cancelAll()
        }
    }

    private func carry(_ connection: Connection) async {
        let count = connections.add(1, ordering: .relaxed).newValue
        defer { connections.subtract(1, ordering: .relaxed) }
        do {
            try await connection.executeThenClose { inbound, outbound in
                guard count <= Self.connectionLimit else { return }
                var reader = RequestReader(inbound.makeAsyncIterator())
                while let head = try await reader.head() {
                    let writer = ResponseWriter(outbound, head)
                    guard let body = try await reader.body(of: head) else {
                        try await writer.write(Self.tooLong.response, closes: true)
                        return await reader.discard()
                    }
                    let response = await answer(APIRequest(head, body))
                    if case .events(let last) = response.body, head.method != .HEAD {
                        return try await send(core.stream(after: last), response, writer)
                    }
                    try await writer.write(response, closes: !head.isKeepAlive)
                    if !head.isKeepAlive { return }
                }
            }
        } catch {
            logger.debug("an HTTP connection ended: \(error)")
        }
    }

    /// Sends events until a side ends it. Whoever does not read holds up only this.
    private func send(_ stream: EventStream, _ response: APIResponse, _ writer: ResponseWriter) async throws {
        core.subscriberCame()
        defer { core.subscriberLeft() }
        var stream = stream
        try await writer.begin(response)
        for await _ in core.spool.doorbell(every: .seconds(15)) {
            var hasSpoken = false
            while true {
                let (text, isLast) = stream.next()
                try await writer.append(text)
                if isLast { return try await writer.end() }
                if text.isEmpty { break }
                hasSpoken = true
            }
            if !hasSpoken { try await writer.append(EventStream.keepAlive) }
        }
    }

    private static let tooLong = Problem(
        413, "the body is too long", "a body has at most \(BodyFields.limits.bytes) bytes")
}

/// Closes a connection on which nothing happens.
private final class IdleCloser: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}

/// Takes requests off a connection.
private struct RequestReader {
    private var parts: NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator

    init(_ parts: NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator) { self.parts = parts }

    /// The next request's head; `nil`: nothing comes any more.
    mutating func head() async throws -> HTTPRequestHead? {
        while let part = try await parts.next() {
            if case .head(let head) = part { return head }
        }
        return nil
    }

    /// The whole body; `nil`: it is too long.
    mutating func body(of head: HTTPRequestHead) async throws -> [UInt8]? {
        let limit = BodyFields.limits.bytes
        if let length = head.headers.first(name: "content-length").flatMap({ Int($0) }), length > limit { return nil }
        var body: [UInt8] = []
        while let part = try await parts.next() {
            switch part {
            case .head: continue
            case .body(let buffer):
                guard body.count + buffer.readableBytes <= limit else { return nil }
                body.append(contentsOf: buffer.readableBytesView)
            case .end: return body
            }
        }
        throw ChannelError.inputClosed
    }

    /// Reads a little on, so that a client that is still writing gets to read our answer.
    mutating func discard() async {
        var left = 1 << 20
        while left > 0, let part = try? await parts.next() {
            if case .end = part { return }
            if case .body(let buffer) = part { left -= buffer.readableBytes }
        }
    }
}

/// Puts a response on a connection.
private struct ResponseWriter {
    private let outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
    private let version: HTTPVersion
    private let isHead: Bool

    init(_ outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>, _ head: HTTPRequestHead) {
        (self.outbound, version, isHead) = (outbound, head.version, head.method == .HEAD)
    }

    func write(_ response: APIResponse, closes: Bool) async throws {
        let bytes = if case .bytes(let bytes) = response.body { bytes } else { [UInt8]() }
        var head = head(response)
        // RFC 9110 section 8.6: where there can be no body there is no length.
        if response.status != 204 { head.headers.add(name: "Content-Length", value: "\(bytes.count)") }
        if closes { head.headers.add(name: "Connection", value: "close") }
        try await outbound.write(.head(head))
        if !isHead, !bytes.isEmpty { try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: bytes)))) }
        try await end()
    }

    /// Without a length: chunks follow.
    func begin(_ response: APIResponse) async throws { try await outbound.write(.head(head(response))) }

    func append(_ text: String) async throws {
        if !text.isEmpty { try await outbound.write(.body(.byteBuffer(ByteBuffer(string: text)))) }
    }

    func end() async throws { try await outbound.write(.end(nil)) }

    private func head(_ response: APIResponse) -> HTTPResponseHead {
        var head = HTTPResponseHead(version: version, status: HTTPResponseStatus(statusCode: response.status))
        if !response.contentType.isEmpty { head.headers.add(name: "Content-Type", value: response.contentType) }
        head.headers.add(name: "Cache-Control", value: "no-store")
        head.headers.add(name: "X-Content-Type-Options", value: "nosniff")
        for (name, value) in response.headers { head.headers.add(name: name, value: value) }
        return head
    }
}

extension APIRequest {
    fileprivate init(_ head: HTTPRequestHead, _ body: [UInt8]) {
        // Of a name that stands twice the first counts.
        let headers = Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
        self.init(head.method.rawValue, head.uri, headers: headers, body: body)
    }
}
