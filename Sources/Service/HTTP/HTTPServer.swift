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
    private struct Client {
        let channel: any Channel
        let trust: ConnectionTrust
        /// Known once its first request is.
        let talk: EventLoopFuture<WebSocketUpgrade.Talk>
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
    private let desk: RequestDesk
    /// Whose events are told; `nil`: there are none.
    private let core: ServiceCore?
    private let book: Lock<ConnectionBook<any Channel>>
    private let task = Lock<Task<Void, Never>?>(nil)

    /// Binds the port.
    /// - Parameters:
    ///   - desk: answers requests.
    ///   - core: whose events are told; `nil`: there are none.
    ///   - certificate: of HTTPS; `nil`: HTTP without encryption.
    ///   - descriptors: that the process may have.
    init(
        _ address: IPAddress, port: UInt16, desk: RequestDesk, core: ServiceCore?, certificate: CertificateKeeper?,
        descriptors: Int
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        (self.group, self.core, self.desk) = (group, core, desk)
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
                        let source = Self.source(of: channel)
                        let talk = try WebSocketUpgrade.configure(channel, limits: Self.head, clock: Self.clock) { head in
                            await desk.answer(APIRequest(head, [], from: source))
                        }
                        let trust = ConnectionTrust()
                        try pipeline.addHandler(ConnectionClock(trust), name: Self.clock)
                        return Client(channel: channel, trust: trust, talk: talk)
                    }
                }
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    private static let clock = "clock"

    private static func source(of channel: any Channel) -> IPAddress {
        channel.remoteAddress?.ipAddress.flatMap { try? IPAddress($0) } ?? IPAddress(v4: 0)
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
        let channel = client.channel
        let source = Self.source(of: channel)
        let (number, leaving) = book.withLock { $0.enter(channel, from: source) }
        leaving?.close(promise: nil)
        defer { book.withLock { $0.leave(number) } }
        do {
            // Who says nothing must not hold up the end.
            let talk = try await withTaskCancellationHandler {
                try await client.talk.get()
            } onCancel: {
                channel.close(promise: nil)
            }
            switch talk {
            case .http(let connection): try await carry(connection, client, number, from: source)
            case .refused(let connection, let head, let response):
                try await connection.executeThenClose { _, outbound in
                    try await ResponseWriter(outbound, head).write(response, closes: true)
                }
            case .program(let socket, let visit):
                _ = book.withLock { $0.trust(number) }
                try await visit.run(socket)
            }
        } catch {
            logger.debug("an HTTP connection ended: \(error)")
        }
    }

    private func carry(_ connection: WebSocketUpgrade.Connection, _ client: Client, _ number: UInt64, from source: IPAddress)
        async throws
    {
        try await connection.executeThenClose { inbound, outbound in
            var reader = RequestReader(inbound.makeAsyncIterator())
            while let head = try await reader.head() {
                let writer = ResponseWriter(outbound, head)
                let body: [UInt8]?
                do { body = try await reader.body(of: head, writer) } catch is SlowBody {
                    return try await writer.write(Self.tooSlow.response, closes: true)
                }
                guard let body else {
                    try await writer.write(Self.tooLong.response, closes: true)
                    return await reader.discard()
                }
                let request = APIRequest(head, body, from: source)
                let isBearer = desk.isBearer(request)
                if isBearer { client.trust.grant() }
                let mayStay = !isBearer || book.withLock { $0.trust(number) }
                let response = await desk.answer(request)
                if case .events(let last) = response.body, head.method != .HEAD, let core {
                    let stream = core.stream(after: last, permit: desk.permit(of: request))
                    return try await send(stream, of: core, response, writer, connection.channel)
                }
                if case .file(let path) = response.body {
                    try await writer.write(response, file: path)
                    if !mayStay || !head.isKeepAlive { return }
                    continue
                }
                if case .program = response.body {
                    return try await writer.write(Self.noSocket.response, closes: true)
                }
                let closes = !mayStay || !head.isKeepAlive || (!isBearer && response.status == 429)
                try await writer.write(response, closes: closes)
                if closes { return }
            }
        }
    }

    /// Sends events until a side ends it. Whoever does not read holds up only this.
    private func send(
        _ stream: EventStream, of core: ServiceCore, _ response: APIResponse, _ writer: ResponseWriter,
        _ channel: any Channel
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
    private static let noSocket = Problem(
        400, "the upgrade cannot be understood",
        "send Connection: Upgrade, Sec-WebSocket-Version: 13 and a Sec-WebSocket-Key, as the first request of a connection")
    private static let tooSlow = Problem(
        408, "the body does not come",
        "a body is to be here \(ConnectionClock.bodyLimit.nanoseconds / 1_000_000_000) s after its head; send it at once")
    private static let tooManyStreams = Problem(
        503, "there are too many streams of events", "\(streamLimit) at once are served; close one, or try again later",
        retryAfterSeconds: 5)
}

extension APIRequest {
    fileprivate init(_ head: HTTPRequestHead, _ body: [UInt8], from source: IPAddress) {
        // Of a name that stands twice the first counts.
        let headers = Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
        self.init(head.method.rawValue, head.uri, headers: headers, body: body)
        self.source = source
    }
}
