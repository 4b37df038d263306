import Link
import Realtime

/// TURN servers that are reached by TCP or TLS.
extension ICEAgent {
    /// Takes a message of a server's connection: STUN or channel data, whole and without padding (`TURNStreamFramer`).
    public func receive(_ message: UnsafeRawBufferPointer, on connection: TURNConnectionID, now: HostTime) -> ICEReceipt {
        guard !isClosed, let index = relays.firstIndex(where: { $0.connection == connection }) else { return .dropped }
        if DatagramKind(message) == .turnChannel {
            guard let (payload, peer, path) = channelPayload(message, on: connection) else {
                counters.malformed += 1
                return .dropped
            }
            return take(UnsafeRawBufferPointer(rebasing: message[payload]), of: peer, by: path, now: now)
        }
        guard let message = try? STUNMessage(parsing: message) else {
            counters.malformed += 1
            return .dropped
        }
        switch message.messageClass {
        case .success, .error:
            guard relays[index].receive(message, from: relays[index].server.address, now: now) else {
                counters.strayResponses += 1
                return .dropped
            }
            takeRelayEvents(index, now: now)
            runChecks(now: now)
        case .indication:
            if message.method == .binding { return .taken }
            guard let (peer, payload) = relays[index].data(in: message) else {
                counters.malformed += 1
                return .dropped
            }
            return payload.withUnsafeBytes { take($0, of: peer, by: .relay(index), now: now) }
        case .request: return .dropped
        }
        return .taken
    }

    /// Where a channel's packet lies in a connection's message, whose it is, and by which relay it came.
    func channelPayload(
        _ message: UnsafeRawBufferPointer, on connection: TURNConnectionID
    ) -> (Range<Int>, SocketAddress, ICEPath)? {
        guard let (number, payload) = ChannelData.parse(message),
            let index = relays.firstIndex(where: { $0.connection == connection && $0.phase == .allocated }),
            let peer = relays[index].peer(ofChannel: number)
        else { return nil }
        return (payload, peer, .relay(index))
    }

    /// The connection could not be opened, or has ended: the server is of no use any more, unless it is waited for.
    public func connectionEnded(_ connection: TURNConnectionID, _ reason: String, now: HostTime) {
        guard !isClosed, let index = relays.firstIndex(where: { $0.connection == connection }) else { return }
        relays[index].connectionEnded(reason, now: now)
        takeRelayEvents(index, now: now)
    }

    func connect(_ index: Int) {
        disconnect(index)
        relays[index].wantsConnection = false
        lastConnection += 1
        let connection = TURNConnectionID(number: lastConnection)
        relays[index].connection = connection
        outputs.append(.connect(connection, to: relays[index].server))
    }

    func disconnect(_ index: Int) {
        guard let connection = relays[index].connection else { return }
        relays[index].connection = nil
        outputs.append(.disconnect(connection))
    }

    func send(_ bytes: [UInt8], toServerOf relay: TURNClient) {
        guard relay.server.transport.isStream else { return outputs.append(.send(bytes, to: relay.server.address)) }
        if let connection = relay.connection { outputs.append(.sendOn(connection, bytes)) }
    }

    /// Of relayed candidates: what travels by UDP all the way is late the least.
    func relayPreference(_ index: Int) -> UInt16 {
        let cost: UInt16 =
            switch relays[index].server.transport {
            case .udp: 0
            case .tcp: 1
            case .tls: 2
            }
        return UInt16.max - 256 * cost - UInt16(index)
    }
}
