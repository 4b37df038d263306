import Link
import Network

/// Whether addresses that are configured are ours, and as whom registrars and STUN servers see us.
package enum AddressFindings {
    /// Of an address that is configured as one of the machine's.
    /// - Parameters:
    ///   - key: where it is configured.
    ///   - own: the machine's addresses.
    package static func bound(_ address: IPAddress, key: String, own: [IPAddress]) -> Finding {
        let subject = "address \(address)"
        if own.contains(address) || address.isUnspecified { return .fine(subject, .network, "this machine's") }
        let others = own.filter { !$0.isLoopback }.map { "\($0)" }.joined(separator: ", ")
        return Finding(
            subject, .configuration, .trouble, "it is not this machine's",
            others.isEmpty ? "leave \(key) out" : "leave \(key) out, or choose \(others)")
    }

    /// What servers saw.
    package struct Views {
        /// Who saw us, and as whom.
        package var seen: [(by: String, address: IPAddress)] = []

        package init() {}

        /// - Parameter place: ADDRESS:PORT.
        package mutating func note(_ place: String, by server: String) {
            if let address = (try? SocketAddress(parsing: place))?.address { seen.append((server, address)) }
        }
    }

    /// - Parameters:
    ///   - own: the machine's addresses.
    ///   - findsWays: calls find a way through NATs: ICE is not off, and a STUN or TURN server is configured.
    /// - Returns: nil: nobody saw us.
    package static func judge(_ views: Views, own: [IPAddress], findsWays: Bool) -> Finding? {
        let subject = "our address"
        guard let first = views.seen.first else { return nil }
        let family = views.seen.filter { $0.address.family == first.address.family }
        let told = family.map { "\($0.by) sees us as \($0.address)" }.joined(separator: ", ")
        // What is on this machine sees us as we are.
        let outside = family.filter { !$0.address.isLoopback }
        if let one = outside.first, let other = outside.first(where: { $0.address != one.address }) {
            return Finding(
                subject, .network, .advice, told,
                "two ways lead out (\(one.by) and \(other.by)): choose one by network.bind, or mend the machine's routes")
        }
        if family.allSatisfy({ own.contains($0.address) }) { return .fine(subject, .network, "\(told); no NAT is between") }
        if findsWays { return .fine(subject, .network, "\(told): behind a NAT, through which ICE finds ways") }
        return Finding(
            subject, .network, .advice, "\(told), which is no address of this machine: a NAT is between",
            "name a STUN server in network.stun, and a TURN server in network.turn, else there may be no sound; network.ice must not "
                + "be off")
    }
}
