import ICE
import Link
import Network
import Realtime
import Reporting
import Signalling

/// The way to the other side: ICE, and addresses of this machine that change.
extension SIPCallMedia {
    /// Finds candidates, unless nobody wants any.
    func openPath(_ socket: UDPLink, _ addresses: [IPAddress]) throws(SoftphoneError) {
        let traversal = request.traversal
        // Who offers controls; where that is the one who is called, the agents find it out.
        let role: ICERole = if case .call = request.purpose { .controlling } else { .controlled }
        guard traversal.mode != .off else { return }
        do { path = try CallPath(over: socket, role, traversal, addresses: addresses) } catch { throw .resources("\(error)") }
    }

    /// Goes the way that was agreed on: by checks, or to the address in SDP.
    func choosePath(_ agreed: MediaAgreement, _ remote: SocketAddress, _ socket: UDPLink) throws(SoftphoneError) {
        if path == nil, let idlePath, agreed.ice != nil {
            (path, self.idlePath) = (idlePath, nil)
            socket.setPeer(nil)
        }
        guard let ice = agreed.ice, let path else {
            guard request.traversal.mode != .relay else {
                throw .request("the other side knows no ICE, and ice is relay, which hides our address; choose another ice")
            }
            // Of several telephones that ring, another one may answer, with ICE.
            if isAnswered { closePath() } else if let path { (idlePath, self.path) = (path, nil) }
            return socket.setPeer(LinkPeer(media: remote, control: agreed.remoteControl))
        }
        // An agreement that follows another one has told the path already.
        guard !isPathConnected else { return path.follow(ice) }
        isPathConnected = true
        do throws(ICEError) { try path.connect(ice, now: .monotonicNow()) } catch { throw .defect("ICE: \(error)") }
    }

    /// The thread of the media has ended, or has not begun: the link is ours.
    func closePath() {
        for path in [path, idlePath] { path?.link.close(now: .monotonicNow()) }
        (path, idlePath) = (nil, nil)
    }

    /// Before there are media, the path is kept open here.
    func takePathNews() {
        guard let path else { return }
        if session == nil {
            let now = HostTime.monotonicNow()
            path.link.receive(now: now) { _ in }
            path.link.advance(to: now)
        }
        for news in path.mail.news.takeAll() {
            switch news {
            case .selected(let pair):
                lostPath = nil
                pending.append(EventBody(pair))
            case .consentLost: lostPath = "the other side does not answer any more; a network is gone"
            case .failed(.noCandidates): lostPath = "the other side gave no address that could be tried"
            case .failed(.noAnswer): lostPath = "no way to the other side was found: none of its addresses answers"
            case .failed(.relayLost): renewRelay()
            case .moved(let credentials, let candidates):
                path.moved(credentials, candidates)
                if let socket { newPorts = try? localPorts(socket) }
            case .closed: break
            }
        }
    }

    /// A TURN server that was started anew does not know us any more: candidates are found anew, and the other side is told.
    private func renewRelay() {
        guard let path, let own, session != nil, isAnswered, relayRenewal.isDue(now: .monotonicNow()) else {
            lostPath = "the relay to the other side is gone"
            return
        }
        logger.warning("the relay to the other side is gone; another one is asked for")
        path.move(to: own.all)
    }

    /// Another network, or another address in it: candidates are found anew, and the other side is told, as soon as it can be reached
    /// from here.
    func followAddresses() {
        let addresses = own?.takeChange {
            session != nil && isAnswered && running?.remote.map { !reachable([$0]).isEmpty } ?? false
        }
        guard let addresses else { return }
        logger.debug("the addresses of this machine have changed")
        if let path { return path.move(to: addresses) }
        if let socket { newPorts = try? localPorts(socket) }
    }

    /// The ports after a change of address, once, for the other side.
    func takeNewPorts() -> LocalPorts? {
        defer { newPorts = nil }
        return newPorts
    }
}
