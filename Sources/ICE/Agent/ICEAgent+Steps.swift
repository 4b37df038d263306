import Link
import Realtime

/// What became of a datagram.
public enum ICEReceipt: Hashable, Sendable {
    /// It was the agent's own.
    case taken
    /// Nothing that the agent knows; counted.
    case dropped
    /// A TURN server handed on what is none of the agent's: media of this peer.
    case media([UInt8], from: SocketAddress)
}

extension ICEAgent {
    /// Takes a datagram that looks like STUN (`DatagramKind.stun`) or TURN channel data.
    public func receive(_ datagram: UnsafeRawBufferPointer, from source: SocketAddress, now: HostTime) -> ICEReceipt {
        guard !isClosed else { return .dropped }
        if DatagramKind(datagram) == .turnChannel {
            guard let (payload, peer, path) = channelPayload(datagram, from: source) else {
                counters.malformed += 1
                return .dropped
            }
            return take(UnsafeRawBufferPointer(rebasing: datagram[payload]), of: peer, by: path, now: now)
        }
        return receive(datagram, from: source, by: .direct, now: now)
    }

    /// Where a channel's packet lies in `datagram`, whose it is, and by which relay it came.
    func channelPayload(_ datagram: UnsafeRawBufferPointer, from source: SocketAddress) -> (Range<Int>, SocketAddress, ICEPath)?
    {
        guard let (number, payload) = ChannelData.parse(datagram),
            let index = relays.firstIndex(where: { $0.server.id == ServerID(source) && $0.phase == .allocated }),
            let peer = relays[index].peer(ofChannel: number)
        else { return nil }
        return (payload, peer, .relay(index))
    }

    /// What a relay handed on: a check, or media.
    func take(_ payload: UnsafeRawBufferPointer, of peer: SocketAddress, by path: ICEPath, now: HostTime) -> ICEReceipt {
        if DatagramKind(payload) == .stun { return receive(payload, from: peer, by: path, now: now) }
        guard admits(peer, by: path) else { return .dropped }
        return .media(Array(payload), from: peer)
    }

    func receive(_ datagram: UnsafeRawBufferPointer, from source: SocketAddress, by path: ICEPath, now: HostTime) -> ICEReceipt
    {
        let message: STUNMessage
        do {
            message = try STUNMessage(parsing: datagram)
        } catch {
            counters.malformed += 1
            return .dropped
        }
        switch message.messageClass {
        case .request:
            // Who hides his address does not answer at it.
            guard path != .direct || !configuration.relayOnly else { return .dropped }
            takeRequest(message, from: source, by: path, now: now)
        case .success, .error:
            guard
                takeAnswer(message, from: source, by: path, now: now)
                    || path == .direct
                        && (takeProbe(message, from: source, now: now) || takeRelayed(message, from: source, now: now))
            else {
                counters.strayResponses += 1
                return .dropped
            }
        case .indication:
            // A Binding indication keeps a NAT open, and needs nothing.
            if message.method == .binding { return .taken }
            guard path == .direct, let index = relays.firstIndex(where: { $0.server.id == ServerID(source) }),
                let (peer, payload) = relays[index].data(in: message)
            else {
                counters.malformed += 1
                return .dropped
            }
            return payload.withUnsafeBytes { take($0, of: peer, by: .relay(index), now: now) }
        }
        runChecks(now: now)
        forgetPrevious()
        return .taken
    }

    private func takeRelayed(_ message: STUNMessage, from source: SocketAddress, now: HostTime) -> Bool {
        for index in relays.indices
        where !relays[index].server.transport.isStream && relays[index].receive(message, from: source, now: now) {
            takeRelayEvents(index, now: now)
            return true
        }
        return false
    }

    /// Time passes: checks leave or are given up, consent and allocations are renewed.
    public func advance(to now: HostTime) {
        guard !isClosed else { return }
        for index in relays.indices {
            relays[index].advance(to: now)
            takeRelayEvents(index, now: now)
        }
        keepRelaysOpen(now: now)
        advanceProbes(to: now)
        advanceChecks(to: now)
        runChecks(now: now)
        advanceConsent(to: now)
        considerNomination(now: now)
        considerFailure(now: now)
        forgetPrevious()
    }

    /// When `advance` next has something to do; nil when it has not.
    public var nextDeadline: HostTime? {
        guard !isClosed else { return nil }
        var next: HostTime?
        let consider = { (time: HostTime?) in
            if let time, time < next ?? time.advanced(byMilliseconds: 1) { next = time }
        }
        for relay in relays { consider(relay.nextDeadline) }
        if selected == nil { consider(relayKeepAlive) }
        for probe in probes { consider(probe.client.nextDeadline ?? (selected == nil ? probe.renewal : nil)) }
        for check in checks { consider(check.retransmission?.next ?? check.expiry) }
        for pair in pairs where pair.isUsable {
            consider(pair.nextConsent)
            consider(pair.lastSuccess.advanced(byMilliseconds: configuration.consentLimit))
        }
        if current.remote != nil, nextWaiting() != nil { consider(nextCheck) }
        consider(nominationDue)
        consider(gatheringDeadline)
        consider(connectDeadline)
        return next
    }
}
