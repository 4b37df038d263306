import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import Realtime
import WebClient

/// The WebSocket to a program (RFC 6455), as its client: made, and made again when it is lost, until it is ended.
final class ProgramConnection: Sendable {
    private typealias Upgraded = (socket: ProgramSession.Socket, dialect: ProgramDialect)
    private struct State {
        var isOver = false
        var session: ProgramSession?
    }

    private let program: ProgramEnd
    private let place: ProgramPlace
    private let onNews: @Sendable (ProgramCall.News) -> Void
    private let makeSession: @Sendable (ProgramDialect) -> ProgramSession?
    private let state = Lock(State())

    /// Seconds after which a lost connection is made again: at first, and at most.
    private static let pause = (first: 0.25, longest: 5.0)
    /// For connection and upgrade.
    private static let patience = TimeAmount.seconds(5)
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// - Parameters:
    ///   - onNews: is told when it is there and when it is lost.
    ///   - makeSession: what is talked over a connection; `nil`: nothing any more.
    init(
        _ program: ProgramEnd, _ place: ProgramPlace, onNews: @escaping @Sendable (ProgramCall.News) -> Void,
        makeSession: @escaping @Sendable (ProgramDialect) -> ProgramSession?
    ) {
        (self.program, self.place, self.onNews, self.makeSession) = (program, place, onNews, makeSession)
    }

    /// Begins; it lives until `end`.
    func start() { Task { [self] in await keep() } }

    /// Says goodbye, in the background.
    func end() {
        state.withLock { state in
            state.isOver = true
            return state.session
        }?.end()
    }

    /// A key of the other side's.
    func hear(digit: Character) { state.withLock { $0.session }?.hear(digit: digit) }

    private var isOver: Bool { state.withLock { $0.isOver } }

    private func keep() async {
        var pause = Self.pause.first
        while !isOver {
            do {
                let (socket, dialect) = try await connect()
                guard let session = begin(dialect) else { return try await ProgramSession.refuse(socket, masks: true) }
                logger.info("a call talks to \(program.name)")
                onNews(.connected)
                defer {
                    onNews(.lost)
                    // Who takes connections only to break them is asked ever less often.
                    if session.hasSpoken { pause = Self.pause.first }
                }
                try await session.run(socket)
                guard !isOver else { return }
                logger.notice("the program at \(program.name) has left a call; it is asked again")
            } catch {
                guard !isOver else { return }
                logger.warning("the program at \(program.name) is not there: \(error); it is asked again")
            }
            try? await Task.sleep(for: .seconds(pause))
            pause = min(pause * 2, Self.pause.longest)
        }
    }

    private func begin(_ dialect: ProgramDialect) -> ProgramSession? {
        guard let session = makeSession(dialect) else { return nil }
        return state.withLock { state in
            guard !state.isOver else { return nil }
            state.session = session
            return session
        }
    }

    // MARK: The connection

    private func connect() async throws -> (ProgramSession.Socket, ProgramDialect) {
        let (program, place) = (program, place)
        let tls = place.isEncrypted ? try NIOSSLContext(configuration: .makeClientConfiguration()) : nil
        let (channel, upgrade) = try await ClientBootstrap(group: Self.group)
            .connectTimeout(Self.patience)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: place.host, port: place.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls {
                        let name = WebAddress.serverName(of: place.host)
                        try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name))
                    }
                    return (channel, try Self.upgrade(channel, program, place))
                }
            }
        let limit = channel.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
        defer { limit.cancel() }
        do {
            guard let upgraded = try await upgrade.get() else {
                throw ProgramSession.Refused(description: "it takes no WebSocket, or with a protocol that is not ours")
            }
            return (upgraded.socket, upgraded.dialect)
        } catch {
            // NIO leaves it open where the answer is no HTTP.
            channel.close(promise: nil)
            throw error
        }
    }

    /// Asks for the WebSocket. The future holds `nil` when the other side wants none.
    private static func upgrade(
        _ channel: any Channel, _ program: ProgramEnd, _ place: ProgramPlace
    ) throws -> EventLoopFuture<Upgraded?> {
        let offered = ProgramDialect.offered(for: program.format).map(\.rawValue)
        let upgrader = NIOTypedWebSocketClientUpgrader<Upgraded?>(
            maxFrameSize: ProgramDialect.longestMessage,
            upgradePipelineHandler: { channel, response in
                channel.eventLoop.makeCompletedFuture {
                    // Programs of media-stream services choose none.
                    let chosen = response.headers["Sec-WebSocket-Protocol"]
                    guard let dialect = chosen.isEmpty ? .mediaStream : ProgramDialect(rawValue: chosen[0]),
                        chosen.count <= 1, chosen.isEmpty || offered.contains(dialect.rawValue)
                    else { return nil }
                    return (try channel.webSocket(peerMasks: false), dialect)
                }
            })
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: place.path)
        let host = place.host.contains(":") ? "[\(place.host)]" : place.host
        head.headers = ["Host": "\(host):\(place.port)", "Sec-WebSocket-Protocol": offered.joined(separator: ", ")]
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: .init(
                upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
                    upgradeRequestHead: head, upgraders: [upgrader],
                    notUpgradingCompletionHandler: { channel in
                        channel.close(promise: nil)
                        return channel.eventLoop.makeSucceededFuture(nil)
                    })))
    }
}
