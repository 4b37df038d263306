import Link
import Realtime

extension TURNClient {
    /// Takes a response of the server; false when it is none of a request under way.
    public mutating func receive(_ message: STUNMessage, from source: SocketAddress, now: HostTime) -> Bool {
        guard source == server.address, let request = requests[message.transaction] else { return false }
        guard message.method == Self.method(of: request.purpose) else { return false }
        if request.isAuthenticated, let key = authentication?.key {
            switch message.verify(key) {
            case .valid: break
            // A server that does not know our key, or no longer our nonce, cannot sign.
            case .absent where message.messageClass == .error: break
            case .absent, .wrong:
                forged += 1
                return true
            }
        }
        switch message.messageClass {
        case .success:
            requests[message.transaction] = nil
            succeeded(request, message, now: now)
        case .error:
            requests[message.transaction] = nil
            refused(request, message, now: now)
        case .request, .indication: return false
        }
        return true
    }

    /// The datagram inside a Data indication, if its sender is one that we permitted.
    public func data(in message: STUNMessage) -> (peer: SocketAddress, payload: ArraySlice<UInt8>)? {
        guard message.messageClass == .indication, message.method == .data, let peer = message.address(.xorPeerAddress),
            permissions[peer.address] != nil, let payload = message.value(.data)
        else { return nil }
        return (peer, payload)
    }

    private static func method(of purpose: Purpose) -> STUNMethod {
        switch purpose {
        case .allocate: .allocate
        case .refresh: .refresh
        case .permission: .createPermission
        case .channel: .channelBind
        }
    }

    private mutating func succeeded(_ request: Request, _ message: STUNMessage, now: HostTime) {
        switch request.purpose {
        case .allocate: allocated(message, now: now)
        case .refresh(0):
            // What stood in the way of an allocation is gone.
            if phase == .allocating { self.request(.allocate, now: now) }
        case .refresh:
            renew(message, now: now)
            if isBeingConfirmed { tellAllocated() }
        case .permission(let address):
            let wasGranted = permissions[address]?.isGranted ?? false
            permissions[address] = Permission(isGranted: true, refresh: now.advanced(byMilliseconds: Self.renewalMilliseconds))
            if !wasGranted { events.append(.permitted(address)) }
        case .channel(let number, _):
            guard let index = channels.firstIndex(where: { $0.number == number }) else { return }
            channels[index].isBound = true
            channels[index].refresh = now.advanced(byMilliseconds: Self.renewalMilliseconds)
        }
    }

    private mutating func allocated(_ message: STUNMessage, now: HostTime) {
        let addresses = message.addresses(.xorRelayedAddress).filter {
            !$0.address.isNowhere && $0.port != 0 && (!$0.address.isLoopback || server.address.address.isLoopback)
        }
        guard !addresses.isEmpty, message.unsigned32(.lifetime) != 0 else { return fail(.nonsense) }
        phase = .allocated
        // One of each family is all that was asked for.
        relayed = IPAddress.Family.allCases.compactMap { family in addresses.first { $0.address.family == family } }
        mapped = message.address(.xorMappedAddress)
        renew(message, now: now)
        tellAllocated()
    }

    private mutating func tellAllocated() {
        isBeingConfirmed = false
        events.append(.allocated(relayed, mapped: mapped))
    }

    private mutating func renew(_ message: STUNMessage, now: HostTime) {
        // A server that says little is asked again in 5 s at the soonest.
        let seconds = Double(min(max(message.unsigned32(.lifetime) ?? 600, 10), 3600))
        expiry = now.advanced(byMilliseconds: seconds * 1000)
        nextRefresh = now.advanced(byMilliseconds: max(seconds - 60, seconds / 2) * 1000)
    }

    private mutating func refused(_ request: Request, _ message: STUNMessage, now: HostTime) {
        switch (message.errorCode ?? 500, request.purpose) {
        case (401, _):
            // A second challenge means that user name or password is wrong: they are not tried again.
            guard !request.isAuthenticated,
                let answer = TURNAuthentication(challenge: message, username: server.username, password: server.password)
            else { return fail(.unauthorized) }
            authentication = answer
            self.request(request.purpose, now: now)
        case (438, _):
            guard request.staleNonces < 3 else { return fail(.unauthorized) }
            // Several requests may have been under way with the old nonce.
            _ = authentication?.renew(message)
            self.request(request.purpose, staleNonces: request.staleNonces + 1, now: now)
        case (441, _): fail(.unauthorized)
        case (300, .allocate): redirect(message, now: now)
        case (437, let purpose): mismatch(purpose, now: now)
        case (486, .allocate): fail(.quotaReached)
        case (let code, .allocate): fail(.refused(code))
        // Trouble of the server's own (RFC 8489 section 14.8): what there is stays until it is asked again.
        case (500..., .refresh(1...)) where phase == .allocated:
            nextRefresh = now.advanced(byMilliseconds: Self.troubleMilliseconds)
        case (500..., .permission(let address)) where permissions[address]?.isGranted == true:
            permissions[address]?.refresh = now.advanced(byMilliseconds: Self.troubleMilliseconds)
        case (_, .permission(let address)): refuse(address)
        case (_, .channel(let number, _)): unbind(number, now: now)
        case (let code, .refresh): if phase == .allocating { fail(.refused(code)) }
        }
    }

    /// The server knows an allocation of this port that we do not (one of an earlier run), or none where we have one.
    private mutating func mismatch(_ purpose: Purpose, now: HostTime) {
        guard reallocations < 3 else { return fail(.refused(437)) }
        reallocations += 1
        if purpose == .allocate {
            request(.refresh(0), now: now)
        } else if phase == .allocating {
            // Nothing to give back after all.
            request(.allocate, now: now)
        } else {
            fail(.lost)
        }
    }

    private mutating func redirect(_ message: STUNMessage, now: HostTime) {
        guard let other = message.plainAddress(.alternateServer), !other.address.isNowhere, other.port != 0,
            other.address.family == server.address.address.family,
            !other.address.isLoopback || server.address.address.isLoopback
        else { return fail(.nonsense) }
        guard redirections.count < 4, redirections.insert(other).inserted else { return fail(.redirectedTooOften) }
        server.address = other
        authentication = nil
        wantsConnection = server.transport.isStream
        request(.allocate, now: now)
    }
}

extension IPAddress.Family {
    static let allCases: [IPAddress.Family] = [.v4, .v6]
}
