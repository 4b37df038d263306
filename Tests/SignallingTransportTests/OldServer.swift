import NIOCore
import NIOPosix
import NIOSSL
import SIP
import SignallingTransport

/// A TLS server that knows no version above 1.2.
struct OldServer {
    let destination: SignallingDestination
    private let channel: any Channel

    static func start() async throws -> OldServer {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(fixture("server.pem")).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: fixture("key.pem"), format: .pem)))
        configuration.maximumTLSVersion = .tlsv12
        let context = try NIOSSLContext(configuration: configuration)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let address = SignallingAddress(host: "127.0.0.1", port: UInt16(channel.localAddress?.port ?? 0))
        return OldServer(
            destination: SignallingDestination(transport: .tls, address: address, serverName: "sip.example.test"),
            channel: channel)
    }

    func end() async throws { try await channel.close() }
}
