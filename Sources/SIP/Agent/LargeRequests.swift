import Realtime

/// Requests that are too long for a datagram (RFC 3261 section 18.1.1): IP would cut them into fragments, which many NATs and
/// firewalls drop. They go by TCP to the same server, and by UDP after all where that takes no TCP.
extension UserAgent {
    /// How the request travels that would go to `hop`: its top Via says so afterwards.
    /// - Returns: whether it goes by TCP because of its length.
    func chooseWay(_ request: inout Request, of exchange: Exchange, to hop: ServerHop, branch: String, now: HostTime) -> Bool {
        setVia(&request, of: exchange, to: hop, branch: branch)
        guard hop.transport == .udp, !exchange.staysInDatagrams, !streamRefusals.contains(hop.address, now: now),
            request.bytes.count > configuration.longestDatagram
        else { return false }
        setVia(&request, of: exchange, to: streamHop(hop), branch: branch)
        return true
    }

    private func setVia(_ request: inout Request, of exchange: Exchange, to hop: ServerHop, branch: String) {
        let local = localAddress(for: hop)
        var parameters = Parameters([Parameters.Item("branch", branch), Parameters.Item("rport", nil)])
        // RFC 6223: the registrar may promise to answer keep-alives.
        if case .register = exchange.purpose { parameters.set("keep", nil) }
        let via = Via(transport: hop.transport.viaName, host: local.host, port: local.port, parameters: parameters)
        request.headers.remove(.via)
        request.headers.prepend(.via, via.text)
    }

    /// The same server by TCP.
    func streamHop(_ hop: ServerHop) -> ServerHop {
        let local = hop.local.map { local in
            SignallingAddress(host: local.host, port: configuration.localAddresses[.tcp]?.port ?? local.port)
        }
        return ServerHop(transport: .tcp, address: hop.address, local: local)
    }

    /// The server takes no TCP, or the way there does not: the request goes as a datagram after all.
    /// - Returns: false when it had not been moved to TCP.
    func returnToDatagrams(_ exchange: Exchange, now: HostTime) -> Bool {
        guard exchange.isMovedToStream, !exchange.isFinished, let hop = exchange.hop else { return false }
        streamRefusals.note(hop.address, now: now)
        exchange.staysInDatagrams = true
        launch(exchange, on: hop, now: now)
        return true
    }

    /// ACKs have no transaction that would notice.
    func returnAcknowledgements(_ destination: SignallingDestination, now: HostTime) {
        guard destination.transport == .tcp else { return }
        for call in calls.values.sorted(by: { $0.handle.number < $1.handle.number }) {
            for (tag, sent) in call.acknowledgements.sorted(by: { $0.key < $1.key }) {
                guard let moved = sent.moved, now < moved.until, sent.destination.address == destination.address
                else { continue }
                let exchange = Exchange(moved.request, .acknowledge(call, tag: tag), account: call.account)
                exchange.hop = moved.hop
                exchange.isMovedToStream = true
                _ = returnToDatagrams(exchange, now: now)
            }
        }
    }
}
