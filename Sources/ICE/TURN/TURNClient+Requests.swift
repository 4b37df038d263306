import Link
import Realtime

extension TURNClient {
    /// UDP's protocol number, in the first octet of REQUESTED-TRANSPORT.
    private static let overUDP: UInt32 = 17 << 24

    mutating func request(_ purpose: Purpose, staleNonces: Int = 0, now: HostTime) {
        let id = TransactionID(random)
        let (bytes, isAuthenticated) = message(purpose, id)
        requests[id] = Request(
            purpose: purpose, bytes: bytes, isAuthenticated: isAuthenticated,
            retransmission: server.transport.isStream
                ? Retransmission(timeout: Retransmission.streamMilliseconds, .once, now: now)
                : Retransmission(timeout: timeout, now: now), staleNonces: staleNonces)
        outputs.append(bytes)
    }

    func message(_ purpose: Purpose, _ id: TransactionID) -> (bytes: [UInt8], isAuthenticated: Bool) {
        var builder: STUNBuilder
        switch purpose {
        case .allocate:
            builder = STUNBuilder(.request, .allocate, id)
            builder.add(.requestedTransport, number: Self.overUDP)
            // The default is one address of IPv4.
            if server.wantsIPv6 { builder.add(.additionalAddressFamily, number: UInt32(2) << 24) }
        case .refresh(let seconds):
            builder = STUNBuilder(.request, .refresh, id)
            builder.add(.lifetime, number: seconds)
        case .permission(let address):
            builder = STUNBuilder(.request, .createPermission, id)
            builder.add(.xorPeerAddress, SocketAddress(address, port: 0))
        case .channel(let number, let peer):
            builder = STUNBuilder(.request, .channelBind, id)
            builder.add(.channelNumber, number: UInt32(number) << 16)
            builder.add(.xorPeerAddress, peer)
        }
        authentication?.add(to: &builder)
        return (builder.finished(authentication?.key, fingerprint: true), authentication != nil)
    }

    /// When `advance` next has something to do.
    public var nextDeadline: HostTime? {
        var next = nextRefresh
        let consider = { (time: HostTime?) in
            if let time, time < next ?? time.advanced(byMilliseconds: 1) { next = time }
        }
        for request in requests.values { consider(request.retransmission.next) }
        for permission in permissions.values { consider(permission.refresh) }
        for channel in channels { consider(channel.refresh) }
        if phase == .allocated { consider(expiry) }
        consider(reconnection)
        return next
    }

    /// Time passes: requests are repeated or given up, what runs out is renewed.
    public mutating func advance(to now: HostTime) {
        guard let nextDeadline, now >= nextDeadline else { return }
        // In a fixed order: the same seed gives the same datagrams. One that is given up may take others along.
        for (id, request) in requests.sorted(by: { $0.key.bits < $1.key.bits })
        where now >= request.retransmission.next && requests[id] != nil {
            var retransmission = request.retransmission
            switch retransmission.advance(to: now) {
            case .wait: break
            case .again:
                requests[id]?.retransmission = retransmission
                outputs.append(request.bytes)
            case .giveUp:
                requests[id] = nil
                gaveUp(request.purpose, now: now)
            }
        }
        if let time = reconnection, now >= time {
            reconnection = nil
            authentication = nil
            wantsConnection = true
            request(.allocate, now: now)
        }
        guard phase == .allocated else { return }
        guard now < expiry else { return fail(.lost) }
        if let time = nextRefresh, now >= time { refresh(now: now) }
        for (address, permission) in permissions.sorted(by: { $0.key.bits < $1.key.bits }) {
            guard let time = permission.refresh, now >= time else { continue }
            permissions[address]?.refresh = nil
            request(.permission(address), now: now)
        }
        for index in channels.indices {
            guard let time = channels[index].refresh, now >= time else { continue }
            channels[index].refresh = nil
            request(.channel(channels[index].number, channels[index].peer), now: now)
        }
    }

    /// Asks for the allocation to last on, unless that is under way; a server that does not have it any more tells.
    mutating func refresh(now: HostTime) {
        guard phase == .allocated else { return }
        nextRefresh = nil
        let isUnderWay = requests.values.contains { if case .refresh = $0.purpose { true } else { false } }
        guard !isUnderWay else { return }
        request(.refresh(600), now: now)
    }

    /// A network that was away for a while must not cost the allocation: what is held already is asked for again until it has run out.
    private mutating func gaveUp(_ purpose: Purpose, now: HostTime) {
        switch purpose {
        case .allocate: fail(.noAnswer)
        case .refresh(0): if phase == .allocating { fail(.noAnswer) }
        case .permission(let address) where permissions[address]?.isGranted != true: refuse(address)
        // A connection repeats by itself: one that brings no answer for so long is dead.
        case .refresh where server.transport.isStream, .permission where server.transport.isStream:
            fail(.connection("it does not answer"))
        case .refresh: nextRefresh = now
        case .permission(let address): permissions[address]?.refresh = now
        case .channel(let number, _): unbind(number, now: now)
        }
    }

    /// Indications carry the peer's packets until the channel is bound again.
    mutating func unbind(_ number: UInt16, now: HostTime) {
        guard let index = channels.firstIndex(where: { $0.number == number }) else { return }
        channels[index].isBound = false
        channels[index].refresh = now.advanced(byMilliseconds: Self.renewalMilliseconds)
    }

    mutating func refuse(_ address: IPAddress) {
        permissions[address] = nil
        events.append(.refused(address))
    }

    mutating func fail(_ reason: ServerFailure) {
        phase = .failed
        requests.removeAll()
        permissions.removeAll()
        channels.removeAll()
        relayed.removeAll()
        nextRefresh = nil
        events.append(.failed(reason))
    }
}
