import AudioDevices
import Link
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import Realtime

/// The WebSocket to a program (RFC 6455), as its client: made, and made again when it is lost, until it is ended. Meanwhile the call
/// goes on, and hears silence.
final class ProgramConnection: Sendable {
    private typealias Socket = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>
    private struct Refused: Error, CustomStringConvertible { let description: String }
    private struct State {
        var hasEnded = false
        /// Wakes whoever writes to the program; `nil`: there is no connection.
        var bell: AsyncStream<Void>.Continuation?
        var lastHeard = HostTime.monotonicNow()
        /// Whether there was sound from it over the present connection.
        var hasSpoken = false
    }

    private let program: ProgramEnd
    private let exchange: SoundExchange
    private let state = Lock(State())

    /// Seconds after which a lost connection is made again: at first, and at most.
    private static let pause = (first: 0.25, longest: 5.0)
    /// For connection and upgrade.
    private static let patience = TimeAmount.seconds(5)
    /// A program that sent nothing, not even a pong, for so long is gone, ms.
    private static let silenceMilliseconds = 15_000.0
    /// Packets between two pings: 5 s.
    private static let packetsPerPing = 250
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    init(_ program: ProgramEnd, _ exchange: SoundExchange) {
        (self.program, self.exchange) = (program, exchange)
    }

    /// Begins; it lives until `end`.
    func start() { Task { [self] in await keep() } }

    /// Says goodbye, in the background.
    func end() {
        exchange.setBell(nil)
        state.withLock { state in
            state.hasEnded = true
            state.bell?.finish()
        }
    }

    private var hasEnded: Bool { state.withLock { $0.hasEnded } }

    private func takeHasSpoken() -> Bool {
        state.withLock { state in
            defer { state.hasSpoken = false }
            return state.hasSpoken
        }
    }

    private func keep() async {
        var pause = Self.pause.first
        while !hasEnded {
            do {
                let socket = try await connect()
                logger.info("a call talks to \(program.host):\(program.port)")
                try await talk(socket)
                guard !hasEnded else { return }
                logger.notice("the program at \(program.host):\(program.port) has left a call; it is asked again")
            } catch {
                guard !hasEnded else { return }
                logger.warning("the program at \(program.host):\(program.port) is not there: \(error); it is asked again")
            }
            exchange.setBell(nil)
            exchange.clear()
            // Who takes connections only to break them is asked ever less often.
            if takeHasSpoken() { pause = Self.pause.first }
            try? await Task.sleep(for: .seconds(pause))
            pause = min(pause * 2, Self.pause.longest)
        }
    }

    // MARK: The connection

    private func connect() async throws -> Socket {
        let program = program
        let tls = program.isEncrypted ? try NIOSSLContext(configuration: .makeClientConfiguration()) : nil
        let (channel, upgrade) = try await ClientBootstrap(group: Self.group)
            .connectTimeout(Self.patience)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: program.host, port: program.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls {
                        // No address is a name that a certificate is asked for by (RFC 6066 section 3).
                        let name = (try? IPAddress(program.host)) == nil ? program.host : nil
                        try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name))
                    }
                    return (channel, try Self.upgrade(channel, program))
                }
            }
        let limit = channel.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
        defer { limit.cancel() }
        guard let socket = try await upgrade.get() else {
            throw Refused(description: "it takes no WebSocket with the protocol \(ProgramProtocol.name)")
        }
        return socket
    }

    /// Asks for the WebSocket. The future holds `nil` when the other side wants none.
    private static func upgrade(_ channel: any Channel, _ program: ProgramEnd) throws -> EventLoopFuture<Socket?> {
        let upgrader = NIOTypedWebSocketClientUpgrader<Socket?>(
            maxFrameSize: ProgramProtocol.longestFrame,
            upgradePipelineHandler: { channel, response in
                channel.eventLoop.makeCompletedFuture {
                    guard response.headers["Sec-WebSocket-Protocol"] == [ProgramProtocol.name] else { return nil }
                    try channel.pipeline.syncOperations.addHandler(
                        NIOWebSocketFrameAggregator(
                            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1024,
                            maxAccumulatedFrameSize: ProgramProtocol.longestFrame))
                    return try Socket(wrappingChannelSynchronously: channel)
                }
            })
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: program.path)
        let host = program.host.contains(":") ? "[\(program.host)]" : program.host
        head.headers = ["Host": "\(host):\(program.port)", "Sec-WebSocket-Protocol": ProgramProtocol.name]
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: .init(
                upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
                    upgradeRequestHead: head, upgraders: [upgrader],
                    notUpgradingCompletionHandler: { channel in
                        channel.close(promise: nil)
                        return channel.eventLoop.makeSucceededFuture(nil)
                    })))
    }

    // MARK: Both directions

    private func talk(_ socket: Socket) async throws {
        let (rings, bell) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let goesOn = state.withLock { state in
            (state.bell, state.lastHeard) = (bell, .monotonicNow())
            return !state.hasEnded
        }
        guard goesOn else { return }
        exchange.setBell { bell.yield() }
        try await socket.executeThenClose { inbound, outbound in
            try await outbound.write(Self.text(ProgramProtocol.start(sampleRate: exchange.sampleRate, frame: exchange.frame)))
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { [self] in
                    for try await frame in inbound {
                        state.withLock { $0.lastHeard = .monotonicNow() }
                        guard try await take(frame, outbound, bell) else { return }
                    }
                }
                tasks.addTask { [self] in try await send(rings, outbound) }
                // Whichever ends first ends both.
                defer { tasks.cancelAll() }
                try await tasks.next()
            }
        }
    }

    /// - Returns: whether the program stays.
    private func take(
        _ frame: WebSocketFrame, _ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>,
        _ bell: AsyncStream<Void>.Continuation
    ) async throws -> Bool {
        let data = frame.unmaskedData
        switch frame.opcode {
        case .binary:
            exchange.say(ProgramProtocol.samples(data.readableBytesView))
            state.withLock { $0.hasSpoken = true }
        case .text:
            switch ProgramProtocol.wish(Array(data.readableBytesView)) {
            case .clear: exchange.clear()
            case .mark(let name):
                guard exchange.mark(name) else { throw Refused(description: "it has too many marks on the way") }
            case .stop: return false
            case nil: logger.debug("a program says what cannot be understood")
            }
            // Marks that were cleared come back at once.
            bell.yield()
        case .ping: try await outbound.write(WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: data))
        case .connectionClose: return false
        default: break
        }
        return true
    }

    /// Sends what is heard, and marks that were reached, until the call is over.
    private func send(
        _ rings: AsyncStream<Void>, _ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>
    ) async throws {
        var packets = 0
        for await _ in rings {
            for name in exchange.takeReached() { try await outbound.write(Self.text(ProgramProtocol.mark(name))) }
            while let samples = exchange.takeHeard() {
                packets += 1
                try await outbound.write(
                    WebSocketFrame(
                        fin: true, opcode: .binary, maskKey: .random(), data: ByteBuffer(bytes: ProgramProtocol.bytes(samples)))
                )
            }
            guard packets >= Self.packetsPerPing else { continue }
            packets = 0
            let silence = state.withLock { HostTime.monotonicNow().milliseconds(since: $0.lastHeard) }
            guard silence < Self.silenceMilliseconds else { throw Refused(description: "it has been silent for 15 s") }
            try await outbound.write(WebSocketFrame(fin: true, opcode: .ping, maskKey: .random(), data: ByteBuffer()))
        }
        try await outbound.write(Self.text(ProgramProtocol.stop))
        var code = ByteBuffer()
        code.write(webSocketErrorCode: .normalClosure)
        try await outbound.write(WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: code))
    }

    private static func text(_ text: String) -> WebSocketFrame {
        WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: ByteBuffer(string: text))
    }
}
