import Glibc
import NIOCore
import NIOPosix
import NIOSSL

extension SignallingFailure {
    /// What an error of NIO means here.
    init(_ error: any Error) {
        switch error {
        case let failure as SignallingFailure: self = failure
        case let error as IOError: self = .init(errno: error.errnoCode)
        case let error as NIOConnectionError:
            // Numeric addresses: there is one attempt.
            self = error.connectionErrors.first.map { SignallingFailure($0.error) } ?? .timedOut
        case ChannelError.connectTimeout: self = .timedOut
        case ChannelError.eof, ChannelError.ioOnClosedChannel, ChannelError.alreadyClosed: self = .closedByPeer
        case let error as NIOSSLError:
            if case .uncleanShutdown = error { self = .closedByPeer } else { self = .init(handshake: "\(error)") }
        case is NIOSSLExtraError, is BoringSSLError: self = .init(handshake: "\(error)")
        default: self = .system("\(error)")
        }
    }

    /// - Parameter words: NIOSSL's, which name files of its own beside BoringSSL's `OPENSSL_internal:REASON at FILE:LINE`.
    private init(handshake words: String) {
        let marker = "OPENSSL_internal:"
        var reasons: [String] = []
        for part in words.indices where words[part...].hasPrefix(marker) {
            let reason = words[words.index(part, offsetBy: marker.count)...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            reasons.append(reason.replacing("_", with: " ").lowercased())
        }
        if reasons.contains(where: { $0.hasSuffix("certificate required") }) {
            self = .handshake("the other side wants a certificate of ours: name it with tls.certificate and tls.key")
        } else {
            self = .handshake(reasons.isEmpty ? words : reasons.joined(separator: ", "))
        }
    }

    init(errno code: CInt) {
        let words = String(cString: strerror(code))
        switch code {
        case ECONNREFUSED: self = .refused
        case ETIMEDOUT: self = .timedOut
        case ECONNRESET, EPIPE: self = .reset
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL, EACCES, EPERM: self = .unreachable(words)
        default: self = .system(words)
        }
    }
}
