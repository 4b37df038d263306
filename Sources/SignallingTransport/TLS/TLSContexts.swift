import Realtime
import NIOSSL

/// The contexts of NIOSSL for connections made and taken, made anew when a file has changed.
struct TLSContexts {
    private let settings: TLSSettings
    private var client: (stamps: [FileStamp?], context: NIOSSLContext)?
    private var server: (stamps: [FileStamp?], context: NIOSSLContext)?

    init(_ settings: TLSSettings) { self.settings = settings }

    private var stamps: [FileStamp?] {
        [settings.certificateFile, settings.keyFile].map { $0.flatMap { FileStamp($0) } }
    }

    mutating func clientContext() throws(SignallingFailure) -> NIOSSLContext {
        let stamps = stamps
        if let client, client.stamps == stamps { return client.context }
        var configuration = TLSConfiguration.makeClientConfiguration()
        if settings.certificateFile != nil {
            let credentials = try credentials()
            configuration.certificateChain = credentials.chain
            configuration.privateKey = credentials.key
        }
        configuration.minimumTLSVersion = minimum
        // The verification callback of each connection checks chain and name; nothing is trusted beside it.
        configuration.trustRoots = .certificates([])
        configuration.certificateVerification = .noHostnameVerification
        let context = try make(configuration)
        client = (stamps, context)
        return context
    }

    mutating func serverContext() throws(SignallingFailure) -> NIOSSLContext {
        let stamps = stamps
        if let server, server.stamps == stamps { return server.context }
        let credentials = try credentials()
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: credentials.chain, privateKey: credentials.key)
        configuration.minimumTLSVersion = minimum
        configuration.trustRoots = .certificates([])
        configuration.certificateVerification = settings.requiresClientCertificate ? .noHostnameVerification : .none
        let context = try make(configuration)
        server = (stamps, context)
        return context
    }

    private var minimum: TLSVersion { settings.minimumVersion == .tls13 ? .tlsv13 : .tlsv12 }

    private func make(_ configuration: TLSConfiguration) throws(SignallingFailure) -> NIOSSLContext {
        do { return try NIOSSLContext(configuration: configuration) } catch {
            throw .credentials("TLS cannot be set up: \(error)")
        }
    }

    private func credentials() throws(SignallingFailure) -> (
        chain: [NIOSSLCertificateSource], key: NIOSSLPrivateKeySource
    ) {
        guard let file = settings.certificateFile, let keyFile = settings.keyFile else {
            throw .credentials("TLS needs a certificate file and a key file")
        }
        let chain: [NIOSSLCertificate]
        do { chain = try NIOSSLCertificate.fromPEMFile(file) } catch {
            throw .credentials("no certificate can be read from \(file): a PEM file is needed")
        }
        do {
            let key = try NIOSSLPrivateKey(file: keyFile, format: .pem)
            return (chain.map { .certificate($0) }, .privateKey(key))
        } catch {
            throw .credentials("no key can be read from \(keyFile): a PEM file without a passphrase is needed")
        }
    }
}
