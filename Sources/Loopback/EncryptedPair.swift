import Link
import LiveMedia
import Network
import Realtime
import SecureRTP

/// The links of two endpoints that encrypt what passes between them: each knows the other's fingerprint, as signalling would
/// have told it, and keys come of a real handshake over the sockets.
///
/// ```
/// call -> SRTPLink -> DTLSLink -> UDPLink
/// ```
struct EncryptedPair {
    /// In the order of the sockets.
    let links: [SRTPLink]
    /// Each side's, by SHA-256.
    let fingerprints: [String]
    private let handshakes: [DTLSLink]

    /// - `waiting`: the socket whose side waits for the other's handshake.
    /// - `calling`: the one that knows the other's address, and begins it.
    init(waiting: UDPLink, calling: UDPLink) throws(CallError) {
        do throws(DTLSFailure) {
            let identities = [try DTLSIdentity(), try DTLSIdentity()]
            handshakes = zip([waiting, calling], identities).map { DTLSLink(over: $0, identity: $1) }
            fingerprints = identities.map { "\($0.fingerprint)" }
            let now = HostTime.monotonicNow()
            try handshakes[0].start(.passive, trust: .fingerprints([identities[1].fingerprint]), now: now)
            try handshakes[1].start(.active, trust: .fingerprints([identities[0].fingerprint]), now: now)
        } catch {
            throw .encryption("\(error)")
        }
        links = handshakes.map { SRTPLink(over: $0) }
    }

    /// Why a side got no keys; nil when it has some. To be asked when the media have ended.
    func failure(of side: Int) -> String? {
        while let event = handshakes[side].nextDTLSEvent() {
            switch event {
            case .association(.failed(let reason)), .refused(let reason, _): return "\(reason)"
            default: break
            }
        }
        return links[side].error.map { "\($0)" }
    }
}
