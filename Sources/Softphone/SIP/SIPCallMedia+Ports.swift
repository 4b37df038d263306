import LiveMedia
import Media
import Network
import SecureRTP
import Signalling

/// The ports of a call, and the keys of its media.
extension SIPCallMedia {
    /// Binds the call's ports: `takePorts` has what signalling tells the other side.
    /// - Throws: `network`; `encryption` where a call that must be encrypted cannot be.
    func openPorts() throws(SoftphoneError) {
        let socket: UDPLink
        do { socket = try UDPLink(bind: request.media.bind, rtcp: .separate()) } catch { throw .network(error) }
        let encryption = CallEncryption(request.effectiveEncryption)
        if let missing = encryption.failure {
            guard encryption.mode != .required else { throw .encryption("\(missing)") }
            // Without the library a call is plain, and says so.
            pending.append(.warning("voices are not encrypted: \(missing)"))
        }
        self.socket = socket
        self.encryption = encryption
        let own = OwnAddresses(bind: request.media.bind)
        self.own = own
        try openPath(socket, own.all)
    }

    /// - Returns: the ports; `nil` while the servers are asked how others see them, which may take a second or two.
    /// - Throws: there is no relay where nothing else may be told.
    func takePorts() throws(SoftphoneError) -> LocalPorts? {
        guard let socket, path?.gathered(now: .monotonicNow()) ?? true else { return nil }
        return try localPorts(socket)
    }

    /// What signalling tells the other side.
    /// - Throws: there is no relay where nothing else may be told.
    func localPorts(_ socket: UDPLink) throws(SoftphoneError) -> LocalPorts {
        var ports = LocalPorts(
            address: socket.local.address.isUnspecified ? nil : "\(socket.local.address)", port: socket.local.port,
            controlPort: socket.localControlPort, fingerprint: encryption?.identity?.fingerprint, ice: path?.local,
            reflexive: path?.reflexive, mixes: bridge?.hasDevice == false)
        guard request.traversal.mode == .relay else { return ports }
        guard let relay = path?.relayed else {
            throw .request("no TURN server gave an address, and ice is relay; look at turn, turn_user and turn_password_file")
        }
        (ports.address, ports.port, ports.controlPort) = ("\(relay.address)", relay.port, relay.port)
        return ports
    }

    func makeParty(
        _ configuration: CallConfiguration, _ socket: UDPLink, _ agreed: MediaAgreement
    ) throws(SoftphoneError) -> CallParty {
        guard let encrypted = agreed.encryption, let encryption else {
            guard let path else { return CallParty(configuration: configuration, socket: socket) }
            return CallParty(configuration: configuration, socket: socket, link: path.link)
        }
        if let link, let running, agreed.keepsKeys(of: running) {
            // ICE may have come or gone, and its link with it.
            if case .sdes = encrypted { link.setLower(path?.link ?? socket) }
            return CallParty(configuration: configuration, socket: socket, link: link)
        }
        let patience = isAnswered ? CallEncryption.patienceMilliseconds : CallEncryption.earlyPatienceMilliseconds
        let new = try encryption.link(
            over: path?.link ?? socket, encrypted, patienceMilliseconds: patience)
        link = new
        return CallParty(configuration: configuration, socket: socket, link: new)
    }

    /// Keys that SDP carried are there at once; a handshake tells by itself.
    func tellKeys(_ agreed: MediaAgreement) {
        guard case .sdes(let keys) = agreed.encryption else { return }
        pending.append(.secured(suite: keys.outbound.suite.rawValue, kind: "sdes", fingerprint: nil))
    }
}
