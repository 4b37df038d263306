import Link
import LiveMedia
import Media
import Network
import Realtime
import SDP
import SecureRTP
import Signalling

/// The encryption of one call by SIP: our certificate, and the links that stand under its stream.
///
/// ```
/// call -> SRTPLink -> DTLSLink -> UDPLink        keys by DTLS
/// call -> SRTPLink -> UDPLink                    keys that SDP carried
/// ```
/// With ICE, `PathLink` stands in place of `UDPLink`.
struct CallEncryption {
    /// How long a handshake may take, in milliseconds; and before the answer, when the other side may still wait for somebody.
    static let patienceMilliseconds = 20_000.0
    static let earlyPatienceMilliseconds = 200_000.0

    let mode: MediaSecurity.Mode
    /// A new one for each call, so that nobody knows us again by it (RFC 8826 section 4.3.2); nil: media are not to be encrypted, or
    /// the library for it is missing.
    let identity: DTLSIdentity?
    /// Why there is none though one was wanted.
    let failure: DTLSFailure?

    init(_ mode: MediaSecurity.Mode) {
        self.mode = mode
        guard mode != .off else {
            (identity, failure) = (nil, nil)
            return
        }
        do throws(DTLSFailure) {
            identity = try DTLSIdentity()
            failure = nil
        } catch {
            (identity, failure) = (nil, error)
        }
    }

    /// What carries the packets of a call. The handshake runs as the media thread steps it.
    /// - Parameter lower: a socket that knows its peer, or a path that finds it.
    func link(
        over lower: any PacketLink, _ agreed: MediaEncryption, patienceMilliseconds: Double
    ) throws(SoftphoneError) -> SRTPLink {
        do {
            switch agreed {
            case .sdes(let keys):
                let link = SRTPLink(over: lower)
                try link.setKeys(keys)
                return link
            case .dtls(let role, let peer):
                guard let identity else { throw DTLSFailure.badIdentity }
                let dtls = DTLSLink(over: lower, identity: identity, isPathChecked: lower is PathLink)
                try dtls.start(
                    role, trust: .fingerprints(peer), patienceMilliseconds: patienceMilliseconds, now: .monotonicNow())
                return SRTPLink(over: dtls)
            }
        } catch {
            throw .encryption("\(error)")
        }
    }
}

extension MediaEncryption {
    /// How the keys came, as events and reports name it.
    var kind: String {
        switch self {
        case .dtls: "dtls_srtp"
        case .sdes: "sdes"
        }
    }
}
