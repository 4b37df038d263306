import Link
import SDP
import SIP
import SignallingTransport

/// Where media are told to be received: behind a NAT another address than the one from which packets leave.
extension SIPSignalling {
    /// With the address that leads here from `peer`: where that is on the other side of a NAT, what a STUN server saw; else, by
    /// the registrar's word, what it saw; else the one that packets leave from, unless a call that offers ICE leaves by loopback. ICE is
    /// told only where that address is one of its candidates, or else the other side would take somebody to have changed it (RFC 8839
    /// section 4.2.5).
    func toldPorts(_ ports: LocalPorts, of call: SignalledCall, towards peer: String?) -> LocalPorts {
        var told = ports
        if told.address == nil {
            let route = localHost(towards: peer)
            told.address = route
            if let seen = seenAddress(ports, of: call, route: route, peer: peer) {
                (told.address, told.port) = ("\(seen.address)", seen.port)
                told.controlPort = seen.port == .max ? seen.port : seen.port + 1
            } else if let candidate = networkCandidate(ports, route: route) {
                told.address = candidate.address
            }
        }
        let isCandidate = told.ice?.description.candidates.contains { $0.address == told.address && $0.port == told.port }
        if let isCandidate, !isCandidate { told.ice = nil }
        return told
    }

    /// A server on this machine does not tell where the other side is: ICE looks for it by networks. nil: ICE is not offered, has
    /// loopback among its candidates, or knows no network.
    private func networkCandidate(_ ports: LocalPorts, route: String) -> ICECandidate? {
        guard let ice = ports.ice, ice.isOffered, let own = try? IPAddress(route), own.isLoopback else { return nil }
        let hosts = ice.description.candidates.filter { candidate in
            candidate.type == "host" && candidate.port == ports.port
                && (try? IPAddress(candidate.address))?.family == own.family
        }
        return hosts.contains { $0.address == route } ? nil : hosts.first
    }

    /// Says so where what is told is an address that the other side cannot reach. With ICE there are others.
    func warnOfNAT(_ id: SignalledCallID, _ told: LocalMedia, peer: String?) {
        guard told.ice == nil, let own = try? IPAddress(told.address), own.isPrivate, !own.isLoopback,
            let other = peer.flatMap({ try? IPAddress($0) }), !other.isPrivate, own.family == other.family
        else { return }
        tell(
            .warning(
                id,
                "the other side is told to send to \(own), where it does not reach us through a NAT; name a STUN server with "
                    + "network.stun, register the account, or set ice: on"))
    }

    /// nil: nobody on the other side of a NAT is called, or nothing is known of how we look there.
    private func seenAddress(_ ports: LocalPorts, of call: SignalledCall, route: String, peer: String?) -> SocketAddress? {
        guard let own = try? IPAddress(route), own.isPrivate, let other = peer.flatMap({ try? IPAddress($0) }),
            !other.isPrivate, own.family == other.family
        else { return nil }
        if let reflexive = ports.reflexive, reflexive.address.family == own.family { return reflexive }
        // Most NATs of homes keep the port.
        guard let account = call.account, let seen = agent.seenAddress(of: account).flatMap({ try? IPAddress($0) }),
            seen.family == own.family, seen != own
        else { return nil }
        return SocketAddress(seen, port: ports.port)
    }
}

extension Negotiation {
    /// Who we are after the next restart, once the last one has used up what there was.
    mutating func renewNextICE() {
        guard local.ice != nil, local.ice?.next == nil else { return }
        var random = SystemRandomNumberGenerator()
        local.ice?.next = .random(using: &random)
    }
}

extension ICEIdentity {
    /// A new one: 48 and 144 random bits.
    static func random(using random: inout some RandomNumberGenerator) -> ICEIdentity {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        func text(_ count: Int) -> String {
            String((0..<count).map { _ in letters[Int.random(in: 0..<64, using: &random)] })
        }
        return ICEIdentity(userFragment: text(8), password: MediaSecret(text(24)))
    }
}
