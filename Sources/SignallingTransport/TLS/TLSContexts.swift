import Realtime
import NIOSSL

/// The contexts of NIOSSL for connections made and taken, made anew when a file has changed. Files that are half written, or
/// do not belong together, change nothing: the former context stays, and that is told.
struct TLSContexts {
    /// Which side of a handshake is ours.
    enum Side: Hashable {
        case client, server
    }

    private let settings: TLSSettings
    private var made: [Side: (stamps: [FileStamp?], context: NIOSSLContext)] = [:]
    /// Files that could not be used, and what is to be told of them, once for each change.
    private var useless: (stamps: [FileStamp?], warning: String?)?

    init(_ settings: TLSSettings) { self.settings = settings }

    private var stamps: [FileStamp?] {
        [settings.certificateFile, settings.keyFile].map { $0.flatMap { FileStamp($0) } }
    }

    /// - Throws: the files cannot be used, and never could.
    mutating func context(_ side: Side) throws(SignallingFailure) -> NIOSSLContext {
        // What changes while they are read is seen the next time.
        let stamps = stamps
        let former = made[side]
        if let former, former.stamps == stamps { return former.context }
        do throws(SignallingFailure) {
            let context = try make(side == .client ? clientConfiguration() : serverConfiguration())
            made[side] = (stamps, context)
            return context
        } catch {
            guard let former else { throw error }
            made[side] = (stamps, former.context)
            if useless?.stamps != stamps {
                useless = (stamps, "\(error); the former certificate stays until the files change again")
            }
            return former.context
        }
    }

    /// What is to be told of files that changed and cannot be used, once; nil: nothing.
    mutating func takeWarning() -> String? {
        defer { useless?.warning = nil }
        return useless?.warning
    }

    private func clientConfiguration() throws(SignallingFailure) -> TLSConfiguration {
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
        return configuration
    }

    private func serverConfiguration() throws(SignallingFailure) -> TLSConfiguration {
        let credentials = try credentials()
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: credentials.chain, privateKey: credentials.key)
        configuration.minimumTLSVersion = minimum
        configuration.trustRoots = .certificates([])
        configuration.certificateVerification = settings.requiresClientCertificate ? .noHostnameVerification : .none
        return configuration
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
