import Link
import LiveMedia
import Network
import PeerSignalling
import Realtime
import SDP
import SecureRTP

/// The links of a call from person to person, and on top of them the layer that carries its signalling: what the dialog says leaves
/// as DTLS application data, what it and DTLS tell goes to the call's owner.
///
/// ```
/// call -> PeerLink -> SRTPLink -> DTLSLink -> UDPLink
/// ```
/// Confined to whoever steps it: the owner until media start and after they have ended, between them the media thread. The
/// owner's wishes wait in `mail`.
final class PeerLink: LinkLayer {
    let lower: any PacketLink
    let role: PeerDialog.Role
    private let dtls: DTLSLink
    private let identity: DTLSIdentity
    private let capabilities: AudioCapabilities
    private let mail: PeerMail
    private var dialog: PeerDialog?

    /// How long a caller waits for the other side's handshake, in milliseconds.
    static let patienceMilliseconds = 20_000.0

    /// Begins the handshake: the caller sends, the callee waits for as long as it takes.
    /// - Parameter patienceMilliseconds: the caller's.
    init(
        _ role: PeerDialog.Role, over socket: any PacketLink, identity: DTLSIdentity, trust: DTLSTrust,
        capabilities: AudioCapabilities, mail: PeerMail, patienceMilliseconds: Double = PeerLink.patienceMilliseconds,
        now: HostTime
    ) throws(SoftphoneError) {
        (self.role, self.identity, self.capabilities, self.mail) = (role, identity, capabilities, mail)
        dtls = DTLSLink(over: socket, identity: identity)
        lower = SRTPLink(over: dtls)
        do throws(DTLSFailure) {
            switch role {
            case .caller: try dtls.start(.active, trust: trust, patienceMilliseconds: patienceMilliseconds, now: now)
            case .callee: try dtls.start(.passive, trust: trust, patienceMilliseconds: nil, now: now)
            }
        } catch {
            throw .encryption("\(error)")
        }
    }

    /// Where the other side is; nil: nobody knows yet.
    var peerAddress: SocketAddress? { dtls.peerAddress }

    /// Whether anything of a handshake came from there.
    var hasHeardPeer: Bool { dtls.hasHeardPeer }

    /// Who passes the handshake from now on, where callers are waited for.
    func setTrust(_ trust: DTLSTrust) { dtls.setTrust(trust) }

    /// The undecided other side is whom we want.
    func accept(now: HostTime) {
        dtls.accept(now: now)
        tell(now)
    }

    // MARK: - Packets and time

    func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        carryOut(now)
        lower.receive(now: now, deliver)
        tell(now)
    }

    func advance(to now: HostTime) {
        carryOut(now)
        lower.advance(to: now)
        dialog?.advance(to: now)
        tell(now)
    }

    var nextDeadline: HostTime? { [lower.nextDeadline, dialog?.nextDeadline].compactMap(\.self).min() }

    private func carryOut(_ now: HostTime) {
        for wish in mail.takeWishes() {
            switch wish {
            case .answer: dialog?.answer(now: now)
            case .refuse(let refusal, let reason): dialog?.refuse(refusal, reason, now: now)
            case .hold(let held): dialog?.hold(held, now: now)
            case .hangUp: dialog?.hangUp(now: now)
            }
        }
    }

    private func tell(_ now: HostTime) {
        while let event = dtls.nextDTLSEvent() {
            switch event {
            case .association(.undecided(let fingerprint)): mail.news.post(.undecided(fingerprint))
            case .association(.connected(let session)): begin(session, now)
            case .association(.message(let datagram)): dialog?.receive(datagram, now: now)
            case .association(.closed):
                // Where the call ended before the goodbye, that says why.
                if dialog?.isOver == true { tellDialog() }
                mail.news.post(.closed)
            case .association(.failed(let failure)): mail.news.post(.failed(failure))
            case .refused(let failure, let source): mail.news.post(.turnedAway(failure, source))
            }
        }
        tellDialog()
        for datagram in dialog?.takeDatagrams() ?? [] { _ = dtls.send(message: datagram, now: now) }
    }

    private func tellDialog() {
        while let event = dialog?.nextEvent() { mail.news.post(.dialog(event)) }
    }

    private func begin(_ session: DTLSSession, _ now: HostTime) {
        mail.news.post(.connected(session))
        var dialog = PeerDialog(
            role, capabilities: capabilities, own: identity.fingerprint, peer: session.peer,
            sessionID: .random(in: .min ... .max))
        dialog.start(now: now)
        self.dialog = dialog
    }

    // MARK: - The end

    /// Whether the other side has all that was said.
    var isSettled: Bool { dialog?.isSettled ?? true }

    /// Says goodbye, and hears nobody any more; for whoever has the link alone.
    func close(now: HostTime) {
        if let dropped = dialog?.dropped, dropped > 0 { logger.debug("\(dropped) messages of the other side's made no sense") }
        dtls.close(now: now)
    }
}
