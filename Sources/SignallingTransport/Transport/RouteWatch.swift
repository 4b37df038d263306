import CNetwork
import NIOCore
import NIOPosix

/// Tells when this machine's addresses or routes change, by the kernel's word (rtnetlink), on the sockets' event loop.
final class RouteWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// A change comes in several messages; and what is told of is not in force at the first of them.
    static let settlingMilliseconds: Int64 = 300
    private let core: TransportCore
    private var isSettling = false

    init(_ core: TransportCore) { self.core = core }

    /// Begins to watch. Nothing happens where the kernel does not tell.
    static func start(_ core: TransportCore) {
        let descriptor = cnetwork_watch_addresses()
        guard descriptor >= 0 else { return }
        let bound = NIOLoopBound(core, eventLoop: core.loop)
        NIOPipeBootstrap(group: core.loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(RouteWatch(bound.value))
                }
            }
            // Its owner from here on, also when that fails.
            .takingOwnershipOfDescriptor(input: descriptor)
            .whenSuccess { bound.value.keep($0) }
    }

    /// What the messages say does not matter: whoever is told looks for itself.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isSettling else { return }
        isSettling = true
        let bound = NIOLoopBound(self, eventLoop: core.loop)
        core.loop.scheduleTask(in: .milliseconds(Self.settlingMilliseconds)) {
            bound.value.isSettling = false
            bound.value.core.tell(.routesChanged)
        }
    }

    /// Too much at once (ENOBUFS): something has changed, and there may be more.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        core.tell(.routesChanged)
        context.close(promise: nil)
        if !core.isStopped { Self.start(core) }
    }
}
