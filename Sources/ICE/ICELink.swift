import Link
import Realtime

/// The layer that finds and keeps a way to the peer (RFC 8445): it takes STUN for itself, lets packets leave on the selected pair
/// only, directly or through a TURN server, and hands on only what comes from an address that has proven itself by a check.
///
/// ```
/// stream -> [SRTP, DTLS] -> ICELink -> UDPLink
/// ```
public final class ICELink: LinkLayer {
    public let lower: any PacketLink
    /// Change it through `update` only, so that what it wants to send leaves at once.
    public let agent: ICEAgent
    private var events: [LinkEvent] = []
    private var iceEvents: [ICEEvent] = []
    private var drops = LinkStatistics()
    /// What passed by connections, which the link below knows nothing of.
    private var streamed = LinkStatistics()
    private var held: [HeldPacket] = []
    private var told: SocketAddress?
    /// To TURN servers by TCP and TLS; nil: those are of no use here.
    private let connections: (any TURNConnections)?
    private var framers: [TURNConnectionID: TURNStreamFramer] = [:]
    /// Until media could pass for the first time.
    private var connectMilliseconds: Double?

    /// The beginning of a handshake that came before our own check was answered.
    private struct HeldPacket {
        var bytes: [UInt8]
        let arrival: HostTime
        let source: SocketAddress
        let trafficClass: UInt8?
    }

    /// A browser's first flight has two datagrams; the rest is for those who repeat.
    private static let maximumHeld = 8
    /// Where messages of connections come from: they are told apart by their connection.
    private static let nowhere = SocketAddress(IPAddress(v4: 0), port: 0)
    /// More events than anybody leaves untaken: the oldest go.
    private static let maximumEvents = 512

    /// - Parameter lower: one socket that hears everybody on all the addresses given to `ICEAgent.gather`.
    public init(over lower: any PacketLink, agent: ICEAgent, connections: (any TURNConnections)? = nil) {
        self.lower = lower
        self.connections = connections
        self.agent = agent
        lower.setPeer(nil)
        lower.admit(.anyone)
    }

    /// Has `body` use the agent, and carries out what follows.
    public func update<Result, Failure: Error>(now: HostTime, _ body: (ICEAgent) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        defer { flush(now: now) }
        return try body(agent)
    }

    /// What the agent told since the last call, oldest first; nil when there is nothing more.
    public func nextICEEvent() -> ICEEvent? { iceEvents.isEmpty ? nil : iceEvents.removeFirst() }

    /// The other end of the selected pair.
    public var peer: LinkPeer? { agent.route.map { LinkPeer(media: $0.address) } }

    /// Checks choose the peer, nobody else.
    public func setPeer(_ peer: LinkPeer?) {}

    /// Checks, consent and TURN servers must be heard, whoever sends media.
    public func admit(_ sources: AdmittedSources) {}

    /// RTP and RTCP share the pair.
    @discardableResult
    public func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool {
        guard let (path, address) = agent.route else {
            drops.sentToNobody += 1
            return false
        }
        switch path {
        case .direct:
            packet.destination = address
            return lower.send(&packet, now: now)
        case .relay(let index): return send(&packet, by: agent.relays[index], to: address, now: now)
        }
    }

    private func send(_ packet: inout OutgoingPacket, by relay: TURNClient, to peer: SocketAddress, now: HostTime) -> Bool {
        guard let number = relay.channel(to: peer) else {
            let indication = relay.indication(of: packet.bytes, to: peer)
            guard relay.server.transport.isStream else { return send(indication, to: relay.server.address, now: now) }
            return indication.withUnsafeBytes { send($0, on: relay.connection) }
        }
        let isStream = relay.server.transport.isStream
        guard packet.transform({ ChannelData.frame($0, count: $1, number: number, isPadded: isStream) }) else {
            drops.sendFailures += 1
            return false
        }
        if isStream { return send(packet.bytes, on: relay.connection) }
        packet.destination = relay.server.address
        return lower.send(&packet, now: now)
    }

    @discardableResult
    private func send(_ octets: UnsafeRawBufferPointer, on connection: TURNConnectionID?) -> Bool {
        guard let connection, connections?.send(octets, on: connection) ?? false else {
            drops.sendFailures += 1
            return false
        }
        streamed.sent += 1
        streamed.sentOctets += octets.count
        return true
    }

    @discardableResult
    private func send(_ bytes: [UInt8], to address: SocketAddress, now: HostTime) -> Bool {
        var copy = bytes
        return copy.withUnsafeMutableBytes {
            var packet = OutgoingPacket(.media, in: $0, count: $0.count, to: address)
            return lower.send(&packet, now: now)
        }
    }

    public func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        lower.receive(now: now) { packet in
            switch packet.kind {
            case .stun: take(packet, now: now, deliver)
            case .turnChannel: take(channel: packet, now: now, deliver)
            case .rtp, .rtcp, .dtls: hand(on: &packet, by: .direct, deliver)
            case .other: drops[.garbage] += 1
            }
        }
        connections?.receive(now: now) { take($0, $1, now: now, deliver) }
        // Only now: the link below is not to be sent by while it hands out.
        flush(now: now)
        deliverHeld(deliver)
    }

    private func take(_ packet: ReceivedPacket, now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        let receipt = agent.receive(UnsafeRawBufferPointer(packet.bytes), from: packet.source, now: now)
        take(receipt, packet, deliver)
    }

    private func take(_ receipt: ICEReceipt, _ packet: ReceivedPacket, _ deliver: (inout ReceivedPacket) -> Void) {
        switch receipt {
        case .taken: drops.received += 1
        case .dropped: drops[.stranger] += 1
        case .media(var bytes, let peer):
            bytes.withUnsafeMutableBytes {
                var inner = ReceivedPacket($0, arrival: packet.arrival, source: peer, trafficClass: packet.trafficClass)
                handOn(&inner, deliver)
            }
        }
    }

    /// What a TURN server's connection brought.
    private func take(
        _ connection: TURNConnectionID, _ news: TURNConnectionNews, now: HostTime, _ deliver: (inout ReceivedPacket) -> Void
    ) {
        switch news {
        case .octets(let octets):
            var framer = framers.removeValue(forKey: connection) ?? TURNStreamFramer()
            do throws(TURNStreamFramer.Broken) {
                try framer.receive(octets) { message in
                    streamed.received += 1
                    streamed.receivedOctets += message.count
                    let packet = ReceivedPacket(message, arrival: now, source: Self.nowhere)
                    if packet.kind == .turnChannel {
                        let found = agent.channelPayload(UnsafeRawBufferPointer(message), on: connection)
                        take(channel: packet, found, now: now, deliver)
                    } else {
                        take(agent.receive(UnsafeRawBufferPointer(message), on: connection, now: now), packet, deliver)
                    }
                }
                framers[connection] = framer
            } catch {
                ended(connection, "it sends what is no TURN", now: now)
                connections?.close(connection)
            }
        case .ended(let reason): ended(connection, reason, now: now)
        }
    }

    private func ended(_ connection: TURNConnectionID, _ reason: String, now: HostTime) {
        framers[connection] = nil
        agent.connectionEnded(connection, reason, now: now)
    }

    private func take(channel packet: ReceivedPacket, now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        let found = agent.channelPayload(UnsafeRawBufferPointer(packet.bytes), from: packet.source)
        take(channel: packet, found, now: now, deliver)
    }

    private func take(
        channel packet: ReceivedPacket, _ found: (Range<Int>, SocketAddress, ICEPath)?, now: HostTime,
        _ deliver: (inout ReceivedPacket) -> Void
    ) {
        guard let (payload, peer, path) = found else {
            drops[.stranger] += 1
            return
        }
        var inner = ReceivedPacket(
            UnsafeMutableRawBufferPointer(rebasing: packet.bytes[payload]), arrival: packet.arrival, source: peer,
            trafficClass: packet.trafficClass)
        guard inner.kind != .stun else {
            let receipt = agent.receive(UnsafeRawBufferPointer(inner.bytes), from: peer, by: path, now: now)
            if receipt == .taken { drops.received += 1 } else { drops[.stranger] += 1 }
            return
        }
        hand(on: &inner, by: path, deliver)
    }

    private func hand(on packet: inout ReceivedPacket, by path: ICEPath, _ deliver: (inout ReceivedPacket) -> Void) {
        guard !packet.isOnControlPort, agent.admits(packet.source, by: path) else {
            drops[.stranger] += 1
            return
        }
        handOn(&packet, deliver)
    }

    /// The peer's check is answered, so it may begin its handshake; ours is not, so nothing could be answered yet. It waits for
    /// the answer, which is on its way, and need not be repeated a second later.
    private func handOn(_ packet: inout ReceivedPacket, _ deliver: (inout ReceivedPacket) -> Void) {
        guard packet.kind == .dtls, agent.route == nil else { return deliver(&packet) }
        guard held.count < Self.maximumHeld else {
            drops[.stranger] += 1
            return
        }
        held.append(
            HeldPacket(
                bytes: Array(packet.bytes), arrival: packet.arrival, source: packet.source, trafficClass: packet.trafficClass))
    }

    private func deliverHeld(_ deliver: (inout ReceivedPacket) -> Void) {
        guard !held.isEmpty, agent.route != nil else { return }
        let waiting = held
        held.removeAll()
        for var packet in waiting {
            packet.bytes.withUnsafeMutableBytes {
                var inner = ReceivedPacket(
                    $0, arrival: packet.arrival, source: packet.source, trafficClass: packet.trafficClass)
                deliver(&inner)
            }
        }
    }

    public func advance(to now: HostTime) {
        agent.advance(to: now)
        flush(now: now)
        lower.advance(to: now)
    }

    public var nextDeadline: HostTime? {
        guard let own = agent.nextDeadline else { return lower.nextDeadline }
        return lower.nextDeadline.map { min($0, own) } ?? own
    }

    /// While checks run, an answer that waits for the next packet's turn costs set-up time.
    public var wantsWakeup: Bool { agent.isChecking || lower.wantsWakeup }

    public func nextEvent() -> LinkEvent? { events.isEmpty ? lower.nextEvent() : events.removeFirst() }

    private func flush(now: HostTime) {
        var outputs = agent.takeOutputs()
        while !outputs.isEmpty {
            for output in outputs { carryOut(output, now: now) }
            // A connection that cannot be had changes what is to be done.
            outputs = agent.takeOutputs()
        }
        tellPeer()
    }

    private func carryOut(_ output: ICEOutput, now: HostTime) {
        switch output {
        case .send(let bytes, let address): send(bytes, to: address, now: now)
        case .connect(let connection, let server): connect(connection, server, now: now)
        case .sendOn(let connection, let bytes): _ = bytes.withUnsafeBytes { send($0, on: connection) }
        case .disconnect(let connection):
            framers[connection] = nil
            connections?.close(connection)
        case .event(let event):
            if iceEvents.count >= Self.maximumEvents { iceEvents.removeFirst() }
            iceEvents.append(event)
        }
    }

    private func connect(_ connection: TURNConnectionID, _ server: TURNServer, now: HostTime) {
        if let connections { return connections.open(connection, to: server, now: now) }
        agent.connectionEnded(connection, "there are no connections here", now: now)
    }

    /// The peer's address for those who know nothing of ICE.
    private func tellPeer() {
        connectMilliseconds = connectMilliseconds ?? agent.milestones.firstPair
        let address = agent.route?.address
        guard address != told else { return }
        // The links below send nothing by it, for each packet has its destination; they tell it to those who look, and know by it
        // that RTCP shares the pair.
        lower.setPeer(address.map { LinkPeer(media: $0, control: $0) })
        if events.count >= Self.maximumEvents { events.removeFirst() }
        switch (told, address) {
        case (nil, let new?): events.append(.peerLearnt(new))
        case (let old?, let new?): events.append(.peerMoved(from: old, to: new))
        case (let old?, nil): events.append(.peerLost(old))
        case (nil, nil): break
        }
        told = address
    }

    /// STUN is not counted as received.
    public var statistics: LinkStatistics {
        var result = lower.statistics
        result.deduct(dropsOf: drops)
        result.received += streamed.received - drops.received
        result.receivedOctets += streamed.receivedOctets
        result.sent += streamed.sent
        result.sentOctets += streamed.sentOctets
        if let pair = agent.selected {
            result.path = LinkPath(
                kind: pair.kind.rawValue, local: pair.local.kind.rawValue, remote: pair.remote.kind.rawValue,
                connectMilliseconds: connectMilliseconds, roundTripMilliseconds: pair.roundTrip)
        }
        result.sentToNobody += drops.sentToNobody
        result.sendFailures += drops.sendFailures
        return result
    }
}
