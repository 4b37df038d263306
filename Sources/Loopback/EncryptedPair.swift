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

    /// - Parameters:
    ///   - waiting: the socket whose side waits for the other's handshake.
    ///   - calling: the one that knows the other's address, and begins it.
    init(waiting: UDPLink, calling: UDPLink) throws(CallError) {
        do throws(DTLSFailure) {
            let identities = [try DTLSIdentity(), try DTLSIdentity()]
            let handshakes = zip([waiting, calling], identities).map { DTLSLink(over: $0, identity: $1) }
            let now = HostTime.monotonicNow()
            try handshakes[0].start(.passive, trust: .fingerprints([identities[1].fingerprint]), now: now)
            try handshakes[1].start(.active, trust: .fingerprints([identities[0].fingerprint]), now: now)
            links = handshakes.map { SRTPLink(over: $0) }
        } catch {
            throw .encryption("\(error)")
        }
    }
}
