import Dispatch
import Glibc

/// A socket at a port of this machine's loopback, closed with its last owner.
public final class LoopbackSocket: Sendable {
    public enum Kind: Sendable {
        case datagrams
        /// Bound, and nothing more.
        case streams
        /// Streams that nobody accepts, so many at most.
        case listening(backlog: Int32)
    }

    public struct NotBound: Error {}

    public let descriptor: Int32
    public let port: UInt16

    /// - Parameters:
    ///   - kind: what comes there.
    ///   - wanted: port; 0: the system chooses.
    ///   - isNonBlocking: whether reading returns at once where nothing has come.
    public init(_ kind: Kind = .datagrams, at wanted: UInt16 = 0, isNonBlocking: Bool = false) throws {
        let type = if case .datagrams = kind { Int32(SOCK_DGRAM.rawValue) } else { Int32(SOCK_STREAM.rawValue) }
        let descriptor = socket(AF_INET, isNonBlocking ? type | Int32(SOCK_NONBLOCK.rawValue) : type, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = wanted.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        if isBound, case .listening(let backlog) = kind { isBound = listen(descriptor, backlog) == 0 }
        guard isBound else {
            close(descriptor)
            throw NotBound()
        }
        (self.descriptor, port) = (descriptor, UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }

    /// Answers datagrams as they come, until what is returned is cancelled; of a socket that is not blocking.
    /// - Parameter answer: what is sent back to a datagram from that port; nil: nothing.
    public func answerAlways(
        _ answer: @escaping @Sendable (_ bytes: ArraySlice<UInt8>, _ source: UInt16) -> [UInt8]?
    ) -> any DispatchSourceRead {
        let readiness = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
        readiness.setEventHandler { [self] in answerWaiting(answer) }
        readiness.activate()
        return readiness
    }

    /// Answers the datagrams that wait; of a socket that is not blocking.
    /// - Parameter answer: what is sent back to a datagram from that port; nil: nothing.
    public func answerWaiting(_ answer: (_ bytes: ArraySlice<UInt8>, _ source: UInt16) -> [UInt8]?) {
        var buffer = [UInt8](repeating: 0, count: 2048)
        var source = sockaddr_in()
        while true {
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let count = withUnsafeMutablePointer(to: &source) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(descriptor, &buffer, buffer.count, 0, $0, &length)
                }
            }
            guard count > 0 else { return }
            guard let bytes = answer(buffer[..<count], UInt16(bigEndian: source.sin_port)) else { continue }
            _ = withUnsafePointer(to: &source) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    sendto(descriptor, bytes, bytes.count, 0, $0, length)
                }
            }
        }
    }
}
