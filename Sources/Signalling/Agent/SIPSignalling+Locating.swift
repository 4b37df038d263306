import SIP
import SignallingTransport

/// Where requests go: the servers of a URI, and the addresses of ours that lead to them.
extension SIPSignalling {
    /// Answers the user agent's question.
    func resolve(_ id: ResolutionID, _ uri: SIPURI) {
        if let hops = found.removeValue(forKey: uri) {
            agent.resolved(id, hops, now: .monotonicNow())
            return
        }
        locate(uri) { signalling, result in
            switch result {
            case .success(let hops): signalling.agent.resolved(id, hops, now: .monotonicNow())
            case .failure(let failure):
                signalling.failure = .location(failure)
                signalling.agent.resolved(id, [], now: .monotonicNow())
                signalling.carryOut()
                signalling.failure = nil
            }
        }
    }

    /// Finds the hops of a URI, numeric ones at once, others by name servers; `then` runs here, with the outputs carried
    /// out after it.
    func locate(
        _ uri: SIPURI,
        then: @escaping @Sendable (isolated SIPSignalling, Result<[ServerHop], LocationFailure>) -> Void
    ) {
        var wanted: SignallingProtocol?
        if let text = uri.parameters["transport"] {
            wanted = SignallingProtocol(rawValue: text.lowercased())
            guard wanted != nil else { return then(self, .failure(.unsupported(uri.host))) }
        }
        let query = ServerQuery(host: uri.placeHost, port: uri.port, transport: wanted, isSecure: uri.isSecure)
        let bound = transport.listeners
        // A stream needs no listener to be opened; a datagram leaves from the socket that is bound.
        let transports: [SignallingProtocol] = bound.contains { $0.transport == .udp } ? [.udp, .tcp, .tls] : [.tcp, .tls]
        let usesV6 = bound.contains { $0.address.isV6 }
        let usesV4 = bound.contains { !$0.address.isV6 }
        var locator = ServerLocator(query, transports: transports, usesV4: usesV4, usesV6: usesV6)
        var random = SystemRandomNumberGenerator()
        switch locator.start(random: &random) {
        case .found(let hops): then(self, .success(withLocalAddresses(hops)))
        case .failed(let failure): then(self, .failure(failure))
        case .ask:
            Task {
                do throws(LocationFailure) {
                    let hops = try await resolver.locate(
                        query, transports: transports, usesV4: usesV4, usesV6: usesV6)
                    then(self, .success(withLocalAddresses(hops)))
                } catch {
                    then(self, .failure(error))
                }
                carryOut()
            }
        }
    }

    /// What Via and Contact say to each hop.
    private func withLocalAddresses(_ hops: [ServerHop]) -> [ServerHop] {
        hops.map { hop in
            var hop = hop
            guard let local = try? transport.localAddress(hop.transport, towards: hop.address) else { return hop }
            // Without a listener the peer can only answer on the stream it was called on.
            hop.local = local.port != 0 ? local : SignallingAddress(host: local.host, port: hop.transport.defaultPort)
            return hop
        }
    }
}
