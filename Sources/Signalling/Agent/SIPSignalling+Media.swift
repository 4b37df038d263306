import Codecs
import Link
import SDP
import SIP
import SignallingTransport

/// Offers and answers of a call.
extension SIPSignalling {
    /// Begins a negotiation whose media meets the other side at `peer`.
    func newNegotiation(_ ports: LocalPorts, towards peer: String?) -> Negotiation {
        let address = ports.address ?? localHost(towards: peer)
        var policy = MediaAddressPolicy()
        policy.allowsLoopback = isLoopback(of: peer)
        for listener in listeners { policy.ownServices.insert(MediaEndpoint(address: address, port: listener.port)) }
        return Negotiation(
            capabilities: configuration.media.described, local: localMedia(ports, address: address), policy: policy,
            sessionID: .random(in: .min ... .max))
    }

    func localMedia(_ ports: LocalPorts, address: String, direction: MediaDirection = .sendrecv) -> LocalMedia {
        LocalMedia(
            address: ports.address ?? address, port: ports.port, controlPort: ports.controlPort, ssrc: ports.ssrc,
            cname: ports.canonicalName, direction: direction)
    }

    /// The address of ours from which packets leave towards `peer`.
    private func localHost(towards peer: String?) -> String {
        if let peer, let local = try? SignallingAddress.local(towards: SignallingAddress(host: peer, port: 9)) {
            return local.host
        }
        return peer?.contains(":") == true ? "::1" : "127.0.0.1"
    }

    /// What a negotiation has come to, as it is told.
    func media(of negotiation: Negotiation) -> NegotiatedMedia? {
        guard let receipt = negotiation.receipt else { return nil }
        return NegotiatedMedia(agreement: negotiation.inForce.flatMap { MediaAgreement($0) }, receipt: receipt)
    }

    /// Tells what is agreed on, and who holds, where that is new.
    func tellMedia(_ id: SignalledCallID) {
        guard let call = calls[id], let negotiation = call.negotiation, let media = media(of: negotiation) else { return }
        tell(.negotiated(id, media))
        let isHeld = !negotiation.local.direction.receives
        let isHeldByPeer = negotiation.inForce?.isHeldByPeer ?? false
        guard isHeld != call.isHeld || isHeldByPeer != call.isHeldByPeer else { return }
        calls[id]?.isHeld = isHeld
        calls[id]?.isHeldByPeer = isHeldByPeer
        tell(.held(id, byUs: isHeld, byPeer: isHeldByPeer))
    }

    /// The SDP of a body; nil when there is none.
    func description(in body: Body?) throws(SDPParseError) -> SessionDescription? {
        guard let sdp = body?.sdp else { return nil }
        return try SessionDescription(parsing: sdp.bytes)
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
