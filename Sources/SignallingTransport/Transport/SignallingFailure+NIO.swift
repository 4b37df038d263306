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
            if case .uncleanShutdown = error { self = .closedByPeer } else { self = .handshake("\(error)") }
        case is NIOSSLExtraError, is BoringSSLError: self = .handshake("\(error)")
        default: self = .system("\(error)")
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
