import ICE
import Link
import Realtime

/// A STUN and TURN server (RFC 8489, RFC 8656) for the simulated network: enough of one that allocations, permissions, channels and
/// nonces run out as they do at a real one.
final class SimulatedServer: NetworkNode {
    private struct Allocation {
        let relayed: SocketAddress
        let transaction: TransactionID
        var expiry: HostTime
        var permissions: [IPAddress: HostTime] = [:]
        var channels: [UInt16: (peer: SocketAddress, expiry: HostTime)] = [:]
    }

    let address: SocketAddress
    var addresses: [IPAddress] { [address.address] }
    private let network: SimulatedNetwork
    private let realm = "example.org"
    private var key: STUNKey {
        STUNKey(
            username: "user", realm: "example.org", password: "pass", algorithm: offersAlgorithms ? .sha256 : .md5,
            integrity: offersAlgorithms ? .sha256 : .sha1)
    }
    private var nonceNumber = 1
    private var allocations: [SocketAddress: Allocation] = [:]
    private var nextRelayPort: UInt16 = 50_000
    private var now = HostTime.zero

    /// Seconds that an allocation is given.
    var lifetime: UInt32 = 600
    /// Answers nothing.
    var isDead = false
    /// Answers the next authenticated requests with these codes.
    var refusals: [Int] = []
    /// Where a 300 sends to.
    var alternate: SocketAddress?
    /// Asks for a key and integrity by SHA-256 (RFC 8489 section 9.2), and says so in its nonces.
    var offersAlgorithms = false
    /// PASSWORD-ALGORITHMS: SHA-256 before MD5.
    var algorithms: [UInt8] = [0, 2, 0, 0, 0, 1, 0, 0]
    /// Signs its answers with a wrong key.
    var isForging = false
    /// What was asked, by method, and how it was answered: 0 for success.
    private(set) var log: [(method: STUNMethod, code: Int)] = []
    private(set) var relayedByChannel = 0
    private(set) var relayedByIndication = 0

    init(_ address: SocketAddress, in network: SimulatedNetwork) {
        self.address = address
        self.network = network
        network.add(self)
    }

    /// Access data that it takes.
    var turn: TURNServer { TURNServer(address: address, username: "user", password: "pass") }
    var allocationCount: Int { allocations.values.count { $0.expiry > now } }
    /// Nonces given out so far are stale from now on.
    func changeNonce() { nonceNumber += 1 }
    /// As a server that was started anew: it knows nobody.
    func startAnew() {
        allocations.removeAll()
        changeNonce()
    }

    private var nonce: String { (offersAlgorithms ? "obMatJos2gAAA" : "") + "nonce\(nonceNumber)" }

    func count(_ method: STUNMethod, _ code: Int = 0) -> Int { log.count { $0.method == method && $0.code == code } }

    func take(_ datagram: [UInt8], from source: SocketAddress, to destination: SocketAddress, now: HostTime) {
        self.now = now
        guard !isDead else { return }
        guard destination.port == address.port else { return relay(datagram, from: source, to: destination) }
        guard datagram[0] < 64 else { return takeChannel(datagram, from: source) }
        guard let message = try? STUNMessage(datagram) else { return }
        switch (message.messageClass, message.method) {
        case (.request, .binding):
            var answer = STUNBuilder(.success, .binding, message.transaction)
            answer.add(.xorMappedAddress, source)
            send(answer.finished(fingerprint: true), to: source)
        case (.request, _): takeRequest(message, from: source)
        case (.indication, .send): takeIndication(message, from: source)
        default: break
        }
    }

    private func send(_ bytes: [UInt8], to client: SocketAddress) { network.send(bytes, from: address, of: self, to: client) }

    private func takeRequest(_ message: STUNMessage, from source: SocketAddress) {
        guard message.has(offersAlgorithms ? .messageIntegritySHA256 : .messageIntegrity) else {
            return refuse(message, 401, source)
        }
        if offersAlgorithms {
            guard message.value(.passwordAlgorithms)?.elementsEqual(algorithms) ?? false,
                message.value(.passwordAlgorithm)?.elementsEqual([0, 2, 0, 0]) ?? false
            else { return refuse(message, 400, source) }
        }
        guard message.text(.username) == "user", message.verify(key) == .valid else { return refuse(message, 401, source) }
        guard message.text(.nonce) == nonce else { return refuse(message, 438, source) }
        if !refusals.isEmpty { return refuse(message, refusals.removeFirst(), source) }
        let isHeld = allocations[source].map { $0.expiry > now } ?? false
        var answer = STUNBuilder(.success, message.method, message.transaction)
        switch message.method {
        case .allocate:
            // A request that is repeated gets the same answer again.
            let isRepeated = allocations[source]?.transaction == message.transaction
            guard !isHeld || isRepeated else { return refuse(message, 437, source) }
            if !isRepeated {
                let relayed = SocketAddress(address.address, port: nextRelayPort)
                nextRelayPort += 1
                allocations[source] = Allocation(relayed: relayed, transaction: message.transaction, expiry: after(lifetime))
            }
            answer.add(.xorRelayedAddress, allocations[source]?.relayed ?? address)
            answer.add(.xorMappedAddress, source)
            answer.add(.lifetime, number: lifetime)
        case .refresh:
            guard isHeld else { return refuse(message, 437, source) }
            let seconds = min(message.unsigned32(.lifetime) ?? lifetime, lifetime)
            allocations[source]?.expiry = after(seconds)
            answer.add(.lifetime, number: seconds)
        case .createPermission:
            guard isHeld else { return refuse(message, 437, source) }
            guard let peer = message.address(.xorPeerAddress) else { return refuse(message, 400, source) }
            allocations[source]?.permissions[peer.address] = after(300)
        case .channelBind:
            guard isHeld else { return refuse(message, 437, source) }
            guard let peer = message.address(.xorPeerAddress), let number = message.unsigned32(.channelNumber) else {
                return refuse(message, 400, source)
            }
            allocations[source]?.permissions[peer.address] = after(300)
            allocations[source]?.channels[UInt16(number >> 16)] = (peer, after(600))
        default: return refuse(message, 400, source)
        }
        log.append((message.method, 0))
        let signature = isForging ? STUNKey(shortTerm: "somebody else") : key
        send(answer.finished(signature, fingerprint: true), to: source)
    }

    private func after(_ seconds: UInt32) -> HostTime { now.advanced(byMilliseconds: Double(seconds) * 1000) }

    private func refuse(_ message: STUNMessage, _ code: Int, _ source: SocketAddress) {
        log.append((message.method, code))
        var answer = STUNBuilder(.error, message.method, message.transaction)
        answer.add(errorCode: code, "no")
        if code == 401 || code == 438 {
            answer.add(.realm, text: realm)
            answer.add(.nonce, text: nonce)
            if offersAlgorithms, !algorithms.isEmpty { answer.add(.passwordAlgorithms, algorithms) }
        }
        if code == 300, let alternate { answer.add(.alternateServer, plain: alternate) }
        send(answer.finished(fingerprint: true), to: source)
    }

    /// From a peer to the client whose relayed address that is.
    private func relay(_ datagram: [UInt8], from peer: SocketAddress, to relayed: SocketAddress) {
        guard let (client, allocation) = allocations.first(where: { $0.value.relayed == relayed }), allocation.expiry > now,
            let permission = allocation.permissions[peer.address], permission > now
        else { return }
        if let channel = allocation.channels.first(where: { $0.value.peer == peer && $0.value.expiry > now }) {
            let count = datagram.count
            let header = [UInt8(channel.key >> 8), UInt8(channel.key & 255), UInt8(count >> 8), UInt8(count & 255)]
            return send(header + datagram, to: client)
        }
        var indication = STUNBuilder(.indication, .data, TransactionID(bits: UInt128(network.now.nanoseconds)))
        indication.add(.xorPeerAddress, peer)
        indication.add(.data, datagram)
        send(indication.finished(), to: client)
    }

    private func takeChannel(_ datagram: [UInt8], from source: SocketAddress) {
        let number = UInt16(datagram[0]) << 8 | UInt16(datagram[1])
        guard let allocation = allocations[source], allocation.expiry > now, let channel = allocation.channels[number],
            channel.expiry > now
        else { return }
        relayedByChannel += 1
        let count = Int(datagram[2]) << 8 | Int(datagram[3])
        forward(Array(datagram.dropFirst(4).prefix(count)), of: allocation, to: channel.peer)
    }

    private func takeIndication(_ message: STUNMessage, from source: SocketAddress) {
        guard let allocation = allocations[source], allocation.expiry > now, let peer = message.address(.xorPeerAddress),
            let data = message.value(.data)
        else { return }
        relayedByIndication += 1
        forward(Array(data), of: allocation, to: peer)
    }

    private func forward(_ payload: [UInt8], of allocation: Allocation, to peer: SocketAddress) {
        guard let permission = allocation.permissions[peer.address], permission > now else { return }
        // Two clients of one server: the way is inside.
        if peer.address == address.address { return relay(payload, from: allocation.relayed, to: peer) }
        network.send(payload, from: allocation.relayed, of: self, to: peer)
    }
}
