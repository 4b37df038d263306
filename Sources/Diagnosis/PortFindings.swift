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
        return judge(subject, number, key: key)
    }

    /// For requests by SIP: streams and datagrams.
    /// - Parameters:
    ///   - port: 0 is whatever is free, and fine.
    ///   - key: where it is configured.
    package static func sip(_ address: IPAddress, _ port: UInt16, key: String) -> Finding {
        let streams = tcp(address, port, key: key)
        guard streams.grade == .fine, port != 0 else { return streams }
        return judge("\(streams.subject) (UDP)", listening(at: SocketAddress(address, port: port), datagrams: true), key: key)
    }

    /// For requests by SIP over TLS: streams, at the port behind that of the others.
    /// - Parameters:
    ///   - port: for requests by SIP without TLS.
    ///   - key: where that is configured.
    package static func tls(_ address: IPAddress, behind port: UInt16, key: String) -> Finding {
        guard port < .max else {
            return Finding(
                "port of SIP by TLS", .configuration, .trouble, "it is the one behind \(port), and there is none",
                "choose a lower \(key)")
        }
        return tcp(address, port + 1, key: key)
    }

    package static func judge(_ subject: String, _ number: Int32, key: String) -> Finding {
        guard number != 0 else { return .fine(subject, .network, "free") }
        let (detail, remedy) =
            switch number {
            case EADDRINUSE: ("taken by another program", "end it (`ss -lntup` names it), or choose another in \(key)")
            case EADDRNOTAVAIL: ("the address is not this machine's", "choose one of its own in \(key)")
            case EACCES: ("this user may not listen there", "choose a port from 1024 on in \(key)")
            default: (String(cString: strerror(number)), "choose another in \(key)")
            }
        return Finding(subject, .configuration, .trouble, detail, remedy)
    }
}
