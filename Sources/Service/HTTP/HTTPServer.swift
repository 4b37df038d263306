import Glibc
import Link
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Realtime

/// The server: HTTP/1.1 by SwiftNIO, each connection a task of its own.
///
/// `ConnectionBook` says who may stay, `ConnectionClock` how long, `StrangerBudget` how often a stranger is answered.
final class HTTPServer: Sendable {
    private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>
    private struct Client {
        let trust: ConnectionTrust
        let connection: Connection
    }

    /// Streams of events at once at most.
    static let streamLimit = 128
    /// What the kernel keeps of a stream that is not read, in bytes.
    private static let streamBuffer = 64 * 1024
    private static let head = {
        var limits = NIOHTTPDecoderLimitConfiguration()
        (limits.maxHeaderFieldSize, limits.maxHeaderListSize, limits.maxHeaderFieldCount) = (16 * 1024, 32 * 1024, 100)
        return limits
    }()

    private let group: MultiThreadedEventLoopGroup
    private let listener: NIOAsyncChannel<Client, Never>
    private let router: Router<ServiceCore>
    private let core: ServiceCore
    private let book: Lock<ConnectionBook<any Channel>>
    private let budget = Lock(StrangerBudget())
    private let task = Lock<Task<Void, Never>?>(nil)

    /// Binds the port.
    /// - Parameters:
    ///   - certificate: of HTTPS; `nil`: HTTP without encryption.
    ///   - descriptors: that the process may have.
    init(
        _ address: IPAddress, port: UInt16, core: ServiceCore, router: Router<ServiceCore>,
        certificate: CertificateKeeper?, descriptors: Int
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        (self.group, self.core, self.router) = (group, core, router)
        book = Lock(ConnectionBook(ConnectionBook.Limits(descriptors: descriptors)))
        do {
            listener = try await ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 256)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .bind(host: "\(address)", port: Int(port)) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        if let certificate { try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context())) }
                        try pipeline.configureHTTPServerPipeline(
                            withErrorHandling: true, withEncoderConfiguration: HTTPResponseEncoder.Configuration(),
                            withDecoderLimitConfiguration: Self.head)
                        let trust = ConnectionTrust()
                        try pipeline.addHandler(ConnectionClock(trust))
                        return Client(trust: trust, connection: try Connection(wrappingChannelSynchronously: channel))
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

    /// Has the thread that serves connections run something.
    func run(_ body: @escaping @Sendable () -> Void) { listener.channel.eventLoop.execute(body) }

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
                    for try await client in inbound {
                        tasks.addTask { [self] in await carry(client) }
                    }
                }
            } catch {
                if !Task.isCancelled { logger.error("the HTTP server ended: \(error)") }
            }
            tasks.cancelAll()
        }
    }

    private func carry(_ client: Client) async {
        let channel = client.connection.channel
        let source = channel.remoteAddress?.ipAddress.flatMap { try? IPAddress($0) } ?? IPAddress(v4: 0)
        let (number, leaving) = book.withLock { $0.enter(channel, from: source) }
        leaving?.close(promise: nil)
        defer { book.withLock { $0.leave(number) } }
        do {
            try await client.connection.executeThenClose { inbound, outbound in
                var reader = RequestReader(inbound.makeAsyncIterator())
                while let head = try await reader.head() {
                    let writer = ResponseWriter(outbound, head)
                    let body: [UInt8]?
                    do { body = try await reader.body(of: head) } catch is SlowBody {
                        return try await writer.write(Self.tooSlow.response, closes: true)
                    }
                    guard let body else {
                        try await writer.write(Self.tooLong.response, closes: true)
                        return await reader.discard()
                    }
                    let request = APIRequest(head, body, from: source)
                    let isBearer = router.isBearer(request)
                    guard isBearer || budget.withLock({ $0.take(source, now: .monotonicNow()) }) else {
                        return try await writer.write(Self.tooMany.response, closes: true)
                    }
                    if isBearer { client.trust.grant() }
                    let mayStay = !isBearer || book.withLock { $0.trust(number) }
                    let response = await router.answer(request, by: core)
                    if case .events(let last) = response.body, head.method != .HEAD {
                        return try await send(core.stream(after: last), response, writer, channel)
                    }
                    if case .file(let path) = response.body {
                        try await writer.write(response, file: path)
                        if !mayStay || !head.isKeepAlive { return }
                        continue
                    }
                    // What is asked for beside HTTP there is not; nothing is read any more after such a request.
                    let closes = !mayStay || !head.isKeepAlive || head.headers.contains(name: "upgrade")
                    try await writer.write(response, closes: closes)
                    if closes { return }
                }
            }
        } catch {
            logger.debug("an HTTP connection ended: \(error)")
        }
    }

    /// Sends events until a side ends it. Whoever does not read holds up only this.
    private func send(
        _ stream: EventStream, _ response: APIResponse, _ writer: ResponseWriter, _ channel: any Channel
    ) async throws {
        defer { core.subscriberLeft() }
        guard core.subscriberCame() <= Self.streamLimit else {
            return try await writer.write(Self.tooManyStreams.response, closes: true)
        }
        try await channel.setOption(.socketOption(.so_sndbuf), value: Self.streamBuffer).get()
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
    private static let tooSlow = Problem(
        408, "the body does not come",
        "a body is to be here \(ConnectionClock.bodyLimit.nanoseconds / 1_000_000_000) s after its head; send it at once")
    private static let tooMany = Problem(
        429, "too many requests without the token",
        "from one address \(Int(StrangerBudget.perSecond)) a second are answered; send the token, or ask less often",
        retryAfterSeconds: 5)
    private static let tooManyStreams = Problem(
        503, "there are too many streams of events", "\(streamLimit) at once are served; close one, or try again later",
        retryAfterSeconds: 5)
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
    private static let pieceBytes = 16 * 1024

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

    /// Sends a file as long as it is now, a piece at a time. One that shrinks meanwhile ends the connection.
    func write(_ response: APIResponse, file path: String) async throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return try await write(Self.gone.response, closes: true) }
        defer { close(descriptor) }
        var status = stat()
        fstat(descriptor, &status)
        var left = Int(status.st_size)
        var head = head(response)
        head.headers.add(name: "Content-Length", value: "\(left)")
        try await outbound.write(.head(head))
        while !isHead, left > 0 {
            let piece = [UInt8](unsafeUninitializedCapacity: min(left, 4 * Self.pieceBytes)) { room, count in
                count = max(0, read(descriptor, room.baseAddress, room.count))
            }
            guard !piece.isEmpty else { throw ChannelError.eof }
            left -= piece.count
            try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: piece))))
        }
        try await end()
    }

    private static let gone = Problem(404, "the file is gone", "it was there a moment ago; list them again")

    /// Without a length: chunks follow.
    func begin(_ response: APIResponse) async throws { try await outbound.write(.head(head(response))) }

    /// In pieces, so that little of it waits for a client that does not read.
    func append(_ text: String) async throws {
        var rest = text.utf8[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Self.pieceBytes)
            rest = rest[piece.endIndex...]
            try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: piece))))
        }
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
    fileprivate init(_ head: HTTPRequestHead, _ body: [UInt8], from source: IPAddress) {
        // Of a name that stands twice the first counts.
        let headers = Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
        self.init(head.method.rawValue, head.uri, headers: headers, body: body)
        self.source = source
    }
}
