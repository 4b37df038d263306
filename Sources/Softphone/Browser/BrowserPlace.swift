import Link
import Network
import Realtime
import SecureRTP

/// Where a browser is to reach us: a socket, a certificate, and the candidates that are found before its offer is answered.
final class BrowserPlace {
    let mail: PathMail
    let socket: UDPLink
    let fingerprint: DTLSFingerprint
    let link: BrowserLink
    /// Of this machine.
    let addresses: OwnAddresses

    /// Begins to find candidates.
    init(_ request: BrowserRequest) throws(SoftphoneError) {
        let media = request.media
        let identity: DTLSIdentity
        do { mail = try PathMail() } catch { throw .resources("\(error)") }
        do { socket = try UDPLink(bind: media.bind, rtcp: .mux) } catch { throw .network(error) }
        // A new one for each call, so that nobody knows us again by it (RFC 8826 section 4.3.2).
        do { identity = try DTLSIdentity() } catch { throw .encryption("\(error)") }
        fingerprint = identity.fingerprint
        addresses = OwnAddresses(bind: media.bind)
        link = BrowserLink(
            over: socket, identity: identity, addresses: addresses.all, traversal: media.traversal, isLocal: request.isLocal,
            mail: mail)
    }

    /// How often it is looked whether servers have answered, in milliseconds.
    private static let lookMilliseconds = 3.0

    /// Returns when there are candidates enough for an answer: at once, where no server is asked. Holds no thread.
    /// - Throws: who asked is gone.
    func gather() async throws(SoftphoneError) {
        while !link.gathered(now: .monotonicNow()) {
            do { try await Task.sleep(for: .milliseconds(Self.lookMilliseconds)) } catch {
                link.close(now: .monotonicNow())
                throw .request("the browser is gone")
            }
        }
    }
}
