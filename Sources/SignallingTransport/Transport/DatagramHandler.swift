import NIOCore
import SIP

/// Hands each datagram to the core, with where it came from and which address it was sent to.
final class DatagramHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let core: TransportCore
    private var local: SignallingAddress?

    init(_ core: TransportCore) { self.core = core }

    func channelActive(context: ChannelHandlerContext) { local = SignallingAddress(context.channel.localAddress) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        // Nobody can be answered at port 0.
        guard let remote = SignallingAddress(envelope.remoteAddress), remote.port != 0 else { return }
        if local == nil { local = SignallingAddress(context.channel.localAddress) }
        guard let local else { return }
        let sentTo = SignallingAddress(envelope.metadata?.packetInfo?.destinationAddress)
        let source = SignallingSource(
            transport: .udp, remote: remote,
            local: SignallingAddress(host: sentTo?.host ?? local.host, port: local.port), connection: nil)
        core.isReadingDatagrams = true
        core.tell(.received(Array(envelope.data.readableBytesView), source))
    }

    /// What was sent meanwhile goes out together: under load, one system call for many answers.
    func channelReadComplete(context: ChannelHandlerContext) {
        core.isReadingDatagrams = false
        core.flushDatagrams()
    }

    func channelInactive(context: ChannelHandlerContext) {
        core.isReadingDatagrams = false
        core.datagramSocketClosed(context.channel)
        context.fireChannelInactive()
    }

    /// An unreachable peer's ICMP message reaches an unconnected socket only as an error without an address: what was
    /// sent there runs into its time-out.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
