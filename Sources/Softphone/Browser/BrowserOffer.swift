import Codecs
import ICE
import Link
import SDP
import SecureRTP
import Signalling

/// A browser's offer, read and answered: what the call runs with, and the text that goes back (RFC 8829, 8839, 8842). It has neither
/// socket nor clock.
///
/// One audio line is taken, Opus first; RED, transport-wide feedback and header extensions but for levels are left out. The browser
/// begins the handshake, so that its first flight waits at ICE and not ours.
package struct BrowserOffer {
    package let agreement: MediaAgreement
    package let receipt: NegotiationReceipt
    package let credentials: ICECredentials
    package let isLite: Bool
    package let candidates: [TrickledCandidate]
    private let draft: SessionDescription
    private let line: Int

    /// - Parameters:
    ///   - address: of ours, for those who do not know ICE.
    ///   - mixes: whether the browser is heard with others: levels are asked for and told.
    /// - Throws: what the offer lacks.
    package init(
        _ body: [UInt8], capabilities: MediaCapabilities, fingerprint: DTLSFingerprint, address: SocketAddress,
        sessionID: UInt64, mixes: Bool = false
    ) throws(SoftphoneError) {
        var offer: SessionDescription
        do throws(SDPParseError) { offer = try SessionDescription(parsing: body) } catch {
            throw .request("the offer is no session description: \(error)")
        }
        let (ice, session) = (offer, offer.attributes)
        Self.prepare(&offer, address)
        var described = capabilities.described
        described.preference = .own
        described.security = MediaSecurity(
            mode: .required, fingerprint: Fingerprint(hashFunction: fingerprint.hash.rawValue, bytes: fingerprint.bytes))
        var negotiation = Negotiation(
            capabilities: described,
            local: LocalMedia(address: "\(address.address)", port: address.port, controlPort: address.port, mixes: mixes),
            policy: MediaAddressPolicy(allowsLoopback: true), sessionID: sessionID)
        do throws(NegotiationError) { draft = try negotiation.answer(offer) } catch { throw .request("\(error)") }
        guard let audio = negotiation.inForce, let receipt = negotiation.receipt, let agreed = MediaAgreement(audio) else {
            throw .request("the offer has no audio that can be used")
        }
        guard audio.rtcpMux else { throw .request("the offer lacks a=rtcp-mux; RTP and RTCP share a port here (RFC 5761)") }
        (agreement, self.receipt, line) = (agreed, receipt, audio.line)
        let attributes = ice.media[audio.line].attributes + session
        guard let credentials = Self.credentials(attributes) else {
            throw .request("the offer lacks a=ice-ufrag and a=ice-pwd, or they are too short (RFC 8839 section 5.4)")
        }
        self.credentials = credentials
        isLite = attributes.contains(.iceLite)
        candidates = ice.media[audio.line].attributes.compactMap { attribute in
            switch attribute {
            case .candidate(let candidate): .line(candidate.text)
            case .endOfCandidates: .end
            default: nil
            }
        }
    }

    /// With ICE nobody sends to the addresses of `c=`, `m=` and `a=rtcp` (RFC 8839 section 4.3.1): they are not judged.
    private static func prepare(_ offer: inout SessionDescription, _ address: SocketAddress) {
        let connection = Connection(address: "\(address.address)")
        offer.connection = connection
        offer.attributes = offer.attributes.map(began)
        for index in offer.media.indices {
            offer.media[index].connections = []
            offer.media[index].attributes = offer.media[index].attributes.map(began)
            offer.media[index].attributes.removeAll { if case .rtcp = $0 { true } else { false } }
        }
    }

    /// Who leaves it to us who begins, begins.
    private static func began(_ attribute: Attribute) -> Attribute {
        if case .setup(.actpass) = attribute { .setup(.active) } else { attribute }
    }

    private static func credentials(_ attributes: [Attribute]) -> ICECredentials? {
        var fragment: String?
        var password: String?
        for attribute in attributes {
            switch attribute {
            case .iceUsername(let text): fragment = fragment ?? text
            case .icePassword(let secret): password = password ?? secret.value
            default: break
            }
        }
        guard let fragment, let password else { return nil }
        return ICECredentials(userFragment: fragment, password: password)
    }

    /// The answer.
    /// - Parameter areComplete: whether no candidate comes later.
    package func answer(_ credentials: ICECredentials, _ candidates: [Candidate], areComplete: Bool) -> String {
        var answer = draft
        answer.attributes.removeAll { if case .fingerprint = $0 { true } else { false } }
        answer.media[line].attributes.removeAll { if case .rtcp = $0 { true } else { false } }
        answer.media[line].attributes += [
            .iceUsername(credentials.userFragment), .icePassword(MediaSecret(credentials.password)),
        ]
        answer.media[line].attributes += candidates.map { .other(name: "candidate", value: $0.text) }
        answer.media[line].attributes.append(areComplete ? .endOfCandidates : .iceOptions(["trickle"]))
        return answer.text
    }
}
