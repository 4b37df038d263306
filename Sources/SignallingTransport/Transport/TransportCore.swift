import NIOCore
import NIOPosix
import Realtime
import SIP

/// The state of a `SignallingTransport`. Everything here happens on its event loop.
final class TransportCore {
    let configuration: TransportConfiguration
    let loop: any EventLoop
    private let handler: @Sendable (SignallingEvent) -> Void
    /// The UDP sockets that send, by family.
    var datagramSockets: [Bool: any Channel] = [:]
    /// While datagrams that waited together are read, what is sent waits for the end of the turn.
    var isReadingDatagrams = false
    private var hasUnsentDatagrams = false
    private var bound: [any Channel] = []
    /// Where each UDP socket is bound.
    private(set) var datagramPlaces: [(channel: any Channel, address: SignallingAddress)] = []
    /// Sockets of one address each beside one that hears at all addresses; nil: it is being bound, or cannot be.
    var answering: [SignallingAddress: (any Channel)?] = [:]
    /// The addresses of this machine that the routes take to peers, and until when they are believed.
    var routes: (hosts: [String: String], until: HostTime) = ([:], .zero)
    var streams: [SignallingConnectionID: Stream] = [:]
    /// Streams that requests may use: those this side opened, and aliases.
    var usable: [StreamKey: SignallingConnectionID] = [:]
    var contexts: TLSContexts
    var store = TrustStore()
    private var lastNumber: UInt64 = 0
    private var alarm: Scheduled<Void>?
    private(set) var isStopped = false

    init(
        _ configuration: TransportConfiguration, loop: any EventLoop,
        handler: @escaping @Sendable (SignallingEvent) -> Void
    ) {
        self.configuration = configuration
        self.loop = loop
        self.handler = handler
        contexts = TLSContexts(configuration.tls)
    }

    func tell(_ event: SignallingEvent) {
        if !isStopped { handler(event) }
    }

    func nextID() -> SignallingConnectionID {
        lastNumber += 1
        return SignallingConnectionID(number: lastNumber)
    }

    // MARK: Sockets that are bound

    func bind(_ listener: TransportConfiguration.Listener) -> EventLoopFuture<TransportConfiguration.Listener> {
        let address: SocketAddress
        do {
            address = try listener.address.socketAddress()
            // Found now, not with the first stranger.
            if listener.transport == .tls { _ = try tlsContext(.server) }
        } catch {
            return loop.makeFailedFuture(error)
        }
        let core = NIOLoopBound(self, eventLoop: loop)
        let channel =
            listener.transport == .udp
            ? datagramBootstrap(core, isV6: listener.address.isV6).bind(to: address)
            : serverBootstrap(core, listener.transport, isV6: listener.address.isV6).bind(to: address)
        return channel.map { channel in
            let real = SignallingAddress(channel.localAddress) ?? listener.address
            core.value.keep(channel)
            if listener.transport == .udp { core.value.noteDatagrams(channel, at: real) }
            return TransportConfiguration.Listener(listener.transport, real)
        }
    }

    /// Closes it at the end, at the latest.
    func keep(_ channel: any Channel) {
        guard !isStopped else { return channel.close(promise: nil) }
        bound.append(channel)
        let core = NIOLoopBound(self, eventLoop: loop)
        channel.closeFuture.whenComplete { _ in core.value.bound.removeAll { $0 === channel } }
    }

    private func noteDatagrams(_ channel: any Channel, at address: SignallingAddress) {
        datagramPlaces.append((channel, address))
        if datagramSockets[address.isV6] == nil { datagramSockets[address.isV6] = channel }
    }

    /// An IPv6 socket takes no IPv4: that has one of its own.
    private static let onlyV6 = ChannelOptions.Types.SocketOption(level: .ipv6, name: .ipv6_v6only)

    /// How long a peer may acknowledge nothing of what was sent before its stream is over (RFC 5482), in milliseconds. Where an
    /// address translator has forgotten the stream nobody answers, and the system would try for a quarter of an hour.
    static let unacknowledgedMilliseconds: ChannelOptions.Types.SocketOption.Value = 30_000
    static let userTimeout = ChannelOptions.Types.SocketOption(
        level: .tcp, name: NIOBSDSocket.Option(rawValue: 18))  // TCP_USER_TIMEOUT, linux/tcp.h

    func datagramBootstrap(_ core: NIOLoopBound<TransportCore>, isV6: Bool) -> DatagramBootstrap {
        let bootstrap = DatagramBootstrap(group: loop)
            .channelOption(.receivePacketInfo, value: true)
            .channelOption(.maxMessagesPerRead, value: 16)
            // A whole datagram: what does not fit would be cut off.
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 65_536))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(DatagramHandler(core.value))
                }
            }
        return isV6 ? bootstrap.channelOption(Self.onlyV6, value: 1) : bootstrap
    }

    private func serverBootstrap(
        _ core: NIOLoopBound<TransportCore>, _ transport: SignallingProtocol, isV6: Bool
    ) -> ServerBootstrap {
        let bootstrap = ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.writeBufferWaterMark, value: waterMark)
            .childChannelOption(Self.userTimeout, value: Self.unacknowledgedMilliseconds)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try core.value.accept(channel, transport) }
            }
        return isV6 ? bootstrap.serverChannelOption(Self.onlyV6, value: 1) : bootstrap
    }

    var waterMark: ChannelOptions.Types.WriteBufferWaterMark {
        .init(low: configuration.queuedBytes / 2, high: configuration.queuedBytes)
    }

    // MARK: Datagrams

    /// NIO closes a socket for most of what one datagram may run into (no route, a firewall, an address that is none): its port is
    /// bound again, however often and long that lasts.
    func datagramSocketClosed(_ channel: any Channel) {
        guard !isStopped else { return }
        if let own = answering.first(where: { $0.value === channel }) { answering.removeValue(forKey: own.key) }
        guard let place = datagramPlaces.first(where: { $0.channel === channel }) else { return }
        datagramPlaces.removeAll { $0.channel === channel }
        // They have the port that is bound again.
        closeAnswering()
        datagramSockets = datagramSockets.filter { $0.value !== channel }
        bindAgain(place.address)
    }

    private func bindAgain(_ address: SignallingAddress) {
        guard !isStopped else { return }
        let core = NIOLoopBound(self, eventLoop: loop)
        bind(.init(.udp, address)).whenFailure { _ in
            _ = core.value.loop.scheduleTask(in: .seconds(1)) { core.value.bindAgain(address) }
        }
    }

    func sendDatagram(_ bytes: [UInt8], to destination: SignallingDestination) {
        guard let socket = datagramSockets[destination.address.isV6] else {
            tell(.failed(destination, .noSocket(.udp, isV6: destination.address.isV6)))
            return
        }
        let address: SocketAddress
        do throws(SignallingFailure) {
            guard destination.address.takesDatagrams else { throw .unsendable(destination.address) }
            address = try destination.address.socketAddress()
        } catch {
            tell(.failed(destination, error))
            return
        }
        sendDatagram(bytes, to: address, destination, beside: socket)
    }

    func write(_ bytes: [UInt8], to address: SocketAddress, _ destination: SignallingDestination, by socket: any Channel) {
        let envelope = AddressedEnvelope(remoteAddress: address, data: socket.allocator.buffer(bytes: bytes))
        let core = NIOLoopBound(self, eventLoop: loop)
        let sent = isReadingDatagrams ? socket.write(envelope) : socket.writeAndFlush(envelope)
        hasUnsentDatagrams = hasUnsentDatagrams || isReadingDatagrams
        sent.whenFailure { error in
            // Whoever hears of it may send at once, by the socket that takes the place of a closed one.
            if !socket.isActive { core.value.datagramSocketClosed(socket) }
            core.value.tell(.failed(destination, SignallingFailure(error)))
        }
    }

    func flushDatagrams() {
        guard hasUnsentDatagrams else { return }
        hasUnsentDatagrams = false
        for place in datagramPlaces { place.channel.flush() }
        for socket in answering.values { socket?.flush() }
    }

    // MARK: Time

    func wake(at deadline: HostTime?) {
        alarm?.cancel()
        alarm = nil
        guard let deadline, !isStopped else { return }
        let core = NIOLoopBound(self, eventLoop: loop)
        // Both count CLOCK_MONOTONIC.
        alarm = loop.scheduleTask(deadline: .uptimeNanoseconds(UInt64(max(0, deadline.nanoseconds)))) {
            core.value.tell(.awake(HostTime.monotonicNow()))
        }
    }

    func stop() {
        isStopped = true
        wake(at: nil)
        for channel in bound { channel.close(promise: nil) }
        closeAnswering()
        for stream in streams.values { stream.channel?.close(promise: nil) }
        bound = []
        streams = [:]
        usable = [:]
        (datagramSockets, datagramPlaces) = ([:], [])
    }
}
