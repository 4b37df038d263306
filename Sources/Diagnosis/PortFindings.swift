import Glibc
import Link
import Network

/// Whether ports that are to be listened on are free.
package enum PortFindings {
    /// - Parameters:
    ///   - port: 0 is whatever is free, and fine.
    ///   - key: where it is configured.
    package static func tcp(_ address: IPAddress, _ port: UInt16, key: String) -> Finding {
        let place = address.family == .v6 ? "[\(address)]:\(port)" : "\(address):\(port)"
        let subject = "port \(place)"
        let number = listening(at: SocketAddress(address, port: port))
        guard number == 0 else { return judge(subject, number, key: key) }
        return .fine(subject, .network, "free")
    }

    package static func judge(_ subject: String, _ number: Int32, key: String) -> Finding {
        let (detail, remedy) =
            switch number {
            case EADDRINUSE: ("taken by another program", "end it (`ss -ltnp` names it), or choose another in \(key)")
            case EADDRNOTAVAIL: ("the address is not this machine's", "choose one of its own in \(key)")
            case EACCES: ("this user may not listen there", "choose a port from 1024 on in \(key)")
            default: (String(cString: strerror(number)), "choose another in \(key)")
            }
        return Finding(subject, .configuration, .trouble, detail, remedy)
    }
}
