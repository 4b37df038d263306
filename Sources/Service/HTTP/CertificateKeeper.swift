import NIOCore
import NIOSSL
import Realtime

/// Where the certificate of HTTPS is.
struct CertificateFiles: Sendable, Equatable {
    /// PEM: the certificate, then its chain.
    var chain: String
    /// PEM: its key.
    var key: String
}

/// The certificate of HTTPS, taken anew when its files change. Files that are half written, or do not belong together, change nothing:
/// the old certificate stays, and that is told.
final class CertificateKeeper: Sendable {
    private struct State {
        var context: NIOSSLContext
        var stamps: [FileStamp?]
        var looked = HostTime.monotonicNow()
    }

    /// How often the files are looked at, at most.
    private static let lookMilliseconds = 1000.0

    private let files: CertificateFiles
    private let state: Lock<State>

    /// - Throws: what is wrong with the files.
    init(_ files: CertificateFiles) throws(CertificateFilesFailure) {
        self.files = files
        // What changes while they are read is seen at the next look.
        let stamps = Self.stamps(files)
        state = Lock(State(context: try Self.load(files), stamps: stamps))
    }

    private static func stamps(_ files: CertificateFiles) -> [FileStamp?] {
        [FileStamp(files.chain), FileStamp(files.key)]
    }

    private static func load(_ files: CertificateFiles) throws(CertificateFilesFailure) -> NIOSSLContext {
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(files.chain)
            guard !chain.isEmpty else { throw CertificateFilesFailure(text: "\(files.chain) holds no certificate") }
            let key = try NIOSSLPrivateKey(file: files.key, format: .pem)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = ["http/1.1"]
            return try NIOSSLContext(configuration: configuration)
        } catch let error as CertificateFilesFailure {
            throw error
        } catch {
            throw CertificateFilesFailure(
                text: "\(files.chain) and \(files.key) are no certificate with its key, in PEM (\(error))")
        }
    }

    /// What a new connection is encrypted with.
    func context() -> NIOSSLContext {
        let (context, failure) = state.withLock { state -> (NIOSSLContext, CertificateFilesFailure?) in
            let now = HostTime.monotonicNow()
            guard now.milliseconds(since: state.looked) >= Self.lookMilliseconds else { return (state.context, nil) }
            state.looked = now
            let stamps = Self.stamps(files)
            guard stamps != state.stamps else { return (state.context, nil) }
            state.stamps = stamps
            do throws(CertificateFilesFailure) {
                state.context = try Self.load(files)
                logger.notice("HTTPS has a new certificate, of \(files.chain)")
                return (state.context, nil)
            } catch {
                return (state.context, error)
            }
        }
        if let failure {
            logger.error("\(failure.text); the old certificate stays until the files change again")
        }
        return context
    }
}

/// What is wrong with a certificate's files.
struct CertificateFilesFailure: Error {
    var text: String
}
