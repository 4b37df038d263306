import NIOCore
import NIOPosix
import NIOSSL
import SIP

extension TransportCore {
    func send(_ bytes: [UInt8], to destination: SignallingDestination) {
        guard destination.transport.isStream else { return sendDatagram(bytes, to: destination) }
        guard let stream = stream(for: destination) else { return }
        guard stream.opened != nil, let channel = stream.channel else {
            guard stream.queuedBytes + bytes.count <= configuration.queuedBytes else {
                return end(stream, .peerTooSlow)
            }
            stream.queue.append(bytes)
            stream.queuedBytes += bytes.count
            return
        }
        write(bytes, channel, stream)
    }

    func connect(to destination: SignallingDestination) {
        if destination.transport.isStream { _ = stream(for: destination) }
    }

    func close(_ id: SignallingConnectionID) {
        guard let stream = streams[id] else { return }
        end(stream, .closedByUs)
    }

    func closeStranded() {
        for stream in streams.values.sorted(by: { $0.id.number < $1.id.number }) {
            guard let local = stream.opened?.local ?? SignallingAddress(stream.channel?.localAddress),
                local.isStranded(
                    towards: stream.remote, way: { try? SignallingAddress.local(towards: $0) }, isOurs: { $0.isOurs })
            else { continue }
            end(stream, .unreachable("this machine has another address now"))
        }
    }

    func alias(_ id: SignallingConnectionID, to address: SignallingAddress) {
        guard let stream = streams[id], stream.opened != nil else { return }
        let key = StreamKey(transport: stream.transport, address: address, serverName: nil)
        if usable[key] == nil { usable[key] = id }
    }

    /// The stream that was named, one that leads there (RFC 5923), or a new one; nil: told as a failure.
    private func stream(for destination: SignallingDestination) -> Stream? {
        if let id = destination.connection, let stream = streams[id] { return stream }
        let key = StreamKey(
            transport: destination.transport, address: destination.address, serverName: destination.serverName)
        if let stream = usable[key].flatMap({ streams[$0] }) { return stream }
        return open(destination, key)
    }

    private func write(_ bytes: [UInt8], _ channel: any Channel, _ stream: Stream) {
        guard channel.isWritable else { return end(stream, .peerTooSlow) }
        channel.writeAndFlush(channel.allocator.buffer(bytes: bytes), promise: nil)
    }

    // MARK: Opening

    private func open(_ destination: SignallingDestination, _ key: StreamKey) -> Stream? {
        let address: SocketAddress
        let context: NIOSSLContext?
        do throws(SignallingFailure) {
            guard destination.address.port != 0 else { throw .noSuchConnection }
            address = try destination.address.socketAddress()
            context = destination.transport == .tls ? try tlsContext(.client) : nil
        } catch {
            tell(.failed(destination, error))
            return nil
        }
        let stream = Stream(
            id: nextID(), transport: destination.transport, remote: destination.address,
            serverName: destination.serverName, isInbound: false)
        streams[stream.id] = stream
        usable[key] = stream.id
        let bound = NIOLoopBound((core: self, stream: stream), eventLoop: loop)
        let timeout = TimeAmount.nanoseconds(Int64(configuration.connectTimeout * 1e9))
        ClientBootstrap(group: loop)
            .connectTimeout(timeout)
            .channelOption(.writeBufferWaterMark, value: waterMark)
            .channelOption(Self.userTimeout, value: Self.unacknowledgedMilliseconds)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let (core, stream) = bound.value
                    stream.channel = channel
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(core.clientHandler(context, stream))
                    }
                    try core.addHandlers(channel, stream)
                }
            }
            .connect(to: address)
            .whenComplete { result in
                let (core, stream) = bound.value
                switch result {
                case .success:
                    // The handshake has its own time.
                    if stream.transport == .tls {
                        core.limit(stream, seconds: core.configuration.connectTimeout, .timedOut)
                    }
                case .failure(let error):
                    stream.failure = stream.failure ?? SignallingFailure(error)
                    core.ended(stream)
                }
            }
        return stream
    }

    /// Takes a stream that a peer opened.
    func accept(_ channel: any Channel, _ transport: SignallingProtocol) throws {
        guard let remote = SignallingAddress(channel.remoteAddress) else { throw SignallingFailure.reset }
        let inbound = streams.values.lazy.filter(\.isInbound)
        guard inbound.count < configuration.maximumInbound,
            inbound.count(where: { $0.remote.host == remote.host }) < configuration.maximumInboundPerSource
        else { throw SignallingFailure.tooManyConnections }
        let stream = Stream(id: nextID(), transport: transport, remote: remote, serverName: nil, isInbound: true)
        stream.channel = channel
        if transport == .tls {
            let context = try tlsContext(.server)
            try channel.pipeline.syncOperations.addHandler(serverHandler(context, stream))
        }
        try addHandlers(channel, stream)
        streams[stream.id] = stream
        limit(stream, seconds: configuration.silentTime, .idle)
    }

    private func addHandlers(_ channel: any Channel, _ stream: Stream) throws {
        let idle = IdleStateHandler(allTimeout: .nanoseconds(Int64(configuration.idleTime * 1e9)))
        try channel.pipeline.syncOperations.addHandlers([idle, StreamHandler(self, stream)])
    }

    /// Ends the stream after a time, unless what is waited for comes first.
    private func limit(_ stream: Stream, seconds: Double, _ failure: SignallingFailure) {
        guard stream.isInbound || stream.opened == nil else { return }
        let bound = NIOLoopBound((core: self, stream: stream), eventLoop: loop)
        stream.deadline?.cancel()
        stream.deadline = loop.scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) {
            bound.value.core.end(bound.value.stream, failure)
        }
    }

    // MARK: What happens on a stream

    func opened(_ stream: Stream) {
        guard stream.opened == nil, let channel = stream.channel, streams[stream.id] != nil,
            let local = SignallingAddress(channel.localAddress)
        else { return }
        let connection = SignallingConnection(
            id: stream.id, transport: stream.transport, remote: stream.remote, local: local,
            isInbound: stream.isInbound, serverName: stream.serverName, certificate: stream.certificate)
        stream.opened = connection
        if !stream.isInbound {
            stream.deadline?.cancel()
            stream.deadline = nil
        }
        tell(.opened(connection))
        let queue = stream.queue
        stream.queue = []
        stream.queuedBytes = 0
        for bytes in queue { write(bytes, channel, stream) }
    }

    func received(_ bytes: [UInt8], on stream: Stream) {
        guard let connection = stream.opened, stream.failure == nil else { return }
        stream.deadline?.cancel()
        stream.deadline = nil
        tell(
            .received(
                bytes,
                SignallingSource(
                    transport: stream.transport, remote: stream.remote, local: connection.local,
                    connection: stream.id)))
    }

    /// Closes a stream for a reason of ours, or one that the socket told.
    func end(_ stream: Stream, _ failure: SignallingFailure) {
        stream.failure = stream.failure ?? failure
        stream.channel?.close(promise: nil)
        ended(stream)
    }

    /// The stream is over, however.
    func ended(_ stream: Stream) {
        guard streams.removeValue(forKey: stream.id) != nil else { return }
        stream.deadline?.cancel()
        stream.deadline = nil
        usable = usable.filter { $0.value != stream.id }
        let failure = stream.failure ?? .closedByPeer
        if let connection = stream.opened {
            tell(.closed(connection, failure))
        } else if !stream.isInbound {
            tell(.failed(stream.destination, failure))
        }
    }
}
