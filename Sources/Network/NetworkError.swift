import Glibc
import Realtime

/// What went wrong at the network's edge; each case says what to do.
public enum NetworkError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No address for this name: check the spelling and the resolver.
    case hostUnknown(String, reason: String)
    /// Another program has this UDP port: choose another, or 0 for any.
    case portTaken(UInt16)
    /// A port below 1024 without the privilege.
    case portForbidden(UInt16)
    /// The address to bind belongs to no interface of this machine.
    case addressNotHere(String)
    /// The machine has no IPv6 (or IPv4).
    case familyUnavailable(String)
    /// TLS cannot be had: why, and what to do.
    case tls(String)
    /// A system call failed in an unforeseen way.
    case system(call: String, errno: Int32)

    /// One line: what, where, what to do.
    public var description: String {
        switch self {
        case .hostUnknown(let host, let reason):
            "host \(host) is unknown (\(reason)); check its spelling and the name server"
        case .portTaken(let port): "UDP port \(port) is taken by another program; choose another one, or 0 for any"
        case .portForbidden(let port): "UDP port \(port) needs privileges; choose one above 1023"
        case .addressNotHere(let address):
            "\(address) is no address of this machine; bind to one that `ip address` lists"
        case .familyUnavailable(let family): "this machine has no \(family); use an address of the other family"
        case .tls(let reason): reason
        case .system(let call, let code) where code == EMFILE || code == ENFILE:
            "\(call) failed (\(systemMessage(code))); end other programs or raise the limits (ulimit)"
        case .system("bind", EINVAL):
            "bind failed (\(systemMessage(EINVAL))); no single interface has that link-local address: choose another one"
        case .system(let call, let code): "\(call) failed: error \(code) (\(systemMessage(code)))"
        }
    }
}
