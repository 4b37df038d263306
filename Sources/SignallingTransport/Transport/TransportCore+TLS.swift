import NIOCore
import NIOSSL

extension TransportCore {
    /// What a new connection is encrypted with.
    func tlsContext(_ side: TLSContexts.Side) throws(SignallingFailure) -> NIOSSLContext {
        defer { if let warning = contexts.takeWarning() { tell(.warning(warning)) } }
        return try contexts.context(side)
    }

    func clientHandler(_ context: NIOSSLContext, _ stream: Stream) throws -> NIOSSLClientHandler {
        // A numeric address is no name for SNI (RFC 6066 section 3).
        let name = stream.serverName.flatMap { ServerLocator.isNumeric($0) ? nil : $0 }
        let check: NIOSSLCustomVerificationCallback = { [unowned self, unowned stream] chain, promise in
            let expected = stream.serverName ?? stream.remote.host
            let isFine = self.verify(
                chain, stream, expecting: .server(name: expected), pinned: self.configuration.tls.pinnedFingerprint)
            promise.succeed(isFine ? .certificateVerified : .failed)
        }
        return try NIOSSLClientHandler(context: context, serverHostname: name, customVerificationCallback: check)
    }

    func serverHandler(_ context: NIOSSLContext, _ stream: Stream) -> NIOSSLServerHandler {
        guard configuration.tls.requiresClientCertificate else { return NIOSSLServerHandler(context: context) }
        let check: NIOSSLCustomVerificationCallback = { [unowned self, unowned stream] chain, promise in
            let isFine = self.verify(chain, stream, expecting: .client, pinned: nil)
            promise.succeed(isFine ? .certificateVerified : .failed)
        }
        return NIOSSLServerHandler(context: context, customVerificationCallback: check)
    }

    /// Called while the handshake waits; a reason is kept for when it fails.
    private func verify(
        _ chain: [NIOSSLCertificate], _ stream: Stream, expecting: CertificateVerifier.Expectation, pinned: [UInt8]?
    ) -> Bool {
        do throws(SignallingFailure) {
            let trusted = try store.handle(path: configuration.tls.authorityFile)
            let (summary, failure) = CertificateVerifier().verify(
                chain: chain.map { (try? $0.toDERBytes()) ?? [] }, store: trusted, expecting: expecting, pinned: pinned)
            stream.certificate = summary
            if let failure { stream.failure = .certificate(failure, summary) }
            return failure == nil
        } catch {
            stream.failure = error
            return false
        }
    }
}
