import Codecs
import Link
import Realtime
import SDP
import SIP
import SecureRTP
import SignallingTransport

/// Offers and answers of a call.
extension SIPSignalling {
    /// Begins a negotiation whose media meets the other side at `peer`.
    func newNegotiation(_ call: SignalledCall, _ ports: LocalPorts, towards peer: String?) -> Negotiation {
        let ports = toldPorts(ports, of: call, towards: peer)
        let address = ports.address ?? localHost(towards: peer)
        var policy = MediaAddressPolicy()
        policy.allowsLoopback = isLoopback(of: peer)
        for listener in listeners { policy.ownServices.insert(MediaEndpoint(address: address, port: listener.port)) }
        var media = configuration.media
        if let codecs = call.codecs { media.codecs = codecs }
        var capabilities = media.described
        capabilities.security = wantedSecurity(of: call, ports).narrowed(to: call.attempt)
        calls[call.id]?.mediaPeer = peer
        return Negotiation(
            capabilities: capabilities, local: localMedia(ports, address: address), policy: policy,
            sessionID: .random(in: .min ... .max))
    }

    /// A call of ours is under way by the family of addresses that it did not begin with: what was offered there counts.
    func noteFamily(_ id: SignalledCallID) {
        guard let call = calls[id], let other = call.otherOffer, let first = call.negotiation, let peer = call.mediaPeer,
            let way = call.handle.flatMap({ agent.way(of: $0) }),
            way.isV6 == SignallingAddress(host: other.peer, port: way.port).isV6
        else { return }
        calls[id]?.negotiation = other.negotiation
        calls[id]?.mediaPeer = other.peer
        calls[id]?.otherOffer = (first, peer)
    }

    /// What is wanted for a call, whatever was refused of it. Keys are put into SDP only where TLS carries it.
    func wantedSecurity(of call: SignalledCall, _ ports: LocalPorts) -> MediaSecurity {
        let account = settings(of: call.account)
        let mode = call.encryption ?? account?.encryption ?? configuration.encryption
        guard mode != .off else { return MediaSecurity() }
        var random = SystemRandomNumberGenerator()
        var keys: [CryptoAttribute] = []
        if call.isSignalledByTLS {
            for (index, suite) in SRTPSuite.allCases.enumerated() {
                keys.append(CryptoAttribute(tag: UInt32(index + 1), suite: suite, random: &random))
            }
        }
        return MediaSecurity(mode: mode, fingerprint: ports.fingerprint.map { Fingerprint($0) }, keys: keys)
    }

    func localMedia(_ ports: LocalPorts, address: String, direction: MediaDirection = .sendReceive) -> LocalMedia {
        var ice = ports.ice
        if ice != nil {
            var random = SystemRandomNumberGenerator()
            ice?.next = .random(using: &random)
        }
        return LocalMedia(
            address: ports.address ?? address, port: ports.port, controlPort: ports.controlPort, ssrc: ports.ssrc,
            cname: ports.canonicalName, direction: direction, ice: ice, mixes: ports.mixes)
    }

    /// The address of ours from which packets leave towards `peer`.
    func localHost(towards peer: String?) -> String {
        if let peer, let local = try? SignallingAddress.local(towards: SignallingAddress(host: peer, port: 9)) {
            return local.host
        }
        return peer?.contains(":") == true ? "::1" : "127.0.0.1"
    }

    /// Whether packets can leave towards `peer`; nobody in particular: they can.
    func hasRoute(towards peer: String?) -> Bool {
        guard let peer else { return true }
        return (try? SignallingAddress.local(towards: SignallingAddress(host: peer, port: 9))) != nil
    }

    /// What a negotiation has come to, as it is told.
    func media(of negotiation: Negotiation) -> NegotiatedMedia? {
        guard let receipt = negotiation.receipt else { return nil }
        return NegotiatedMedia(agreement: negotiation.inForce.flatMap { MediaAgreement($0) }, receipt: receipt)
    }

    /// Tells what is agreed on, and who holds, where that is new.
    /// - Parameter answeredAt: when the answer came that brought it; nil: it was no answer to a call of ours.
    func tellMedia(_ id: SignalledCallID, answeredAt: HostTime? = nil) {
        guard let call = calls[id], let negotiation = call.negotiation, var media = media(of: negotiation) else { return }
        media.answeredAt = answeredAt
        tell(.negotiated(id, media))
        let isHeld = !negotiation.local.direction.receives
        // Without media nobody holds, and nobody resumes.
        let isHeldByPeer = negotiation.inForce?.isHeldByPeer ?? call.isHeldByPeer
        guard isHeld != call.isHeld || isHeldByPeer != call.isHeldByPeer else { return }
        calls[id]?.isHeld = isHeld
        calls[id]?.isHeldByPeer = isHeldByPeer
        tell(.held(id, byUs: isHeld, byPeer: isHeldByPeer))
    }

    /// The SDP of a body; nil when there is none.
    func description(in body: Body?) throws(SDPParseError) -> SessionDescription? {
        guard let sdp = body?.sdp else { return nil }
        return try SessionDescription(parsing: sdp.bytes).withUsableKeys
    }

    static func body(_ description: SessionDescription) -> Body { .sdp(description.bytes) }

    static func warning(_ error: NegotiationError) -> Warning? {
        error.warning.map { Warning(code: $0.code, agent: "yodel", phrase: $0.text) }
    }

    static func receipt(_ error: NegotiationError) -> NegotiationReceipt? {
        switch error {
        case .offerRefused(_, let receipt), .answerUnusable(_, let receipt): receipt
        default: nil
        }
    }
}
