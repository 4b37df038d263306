import ICE
import Link
import Realtime

/// One end of ICE, driven by the bytes of an input: candidates, checks of the peer, answers of peer and servers, true and forged ones,
/// time and restarts, in any order.
enum ICEFuzz {
    static func run(_ input: UnsafeRawBufferPointer) {
        var bytes = FuzzBytes(input)
        let driver = ICEDriver(choice: bytes.byte())
        for _ in 0..<300 where !bytes.isEmpty {
            driver.step(bytes.byte(), &bytes)
            driver.check()
        }
        driver.finish()
    }
}

/// The agent in its link, and everybody who talks to it.
private final class ICEDriver {
    private static let stun = SocketAddress(IPAddress(v4: 0xc000_0201), port: 3478)
    private static let turn = SocketAddress(IPAddress(v4: 0xc000_0202), port: 3478)
    private static let places = [
        stun, turn, SocketAddress(IPAddress(v4: 0xc000_0203), port: 40_000), SocketAddress(IPAddress(v4: 0x0a00_0007), port: 7),
        SocketAddress(IPAddress(v6: 0x2001_0db8 << 96 | 9), port: 40_000), SocketAddress(IPAddress(v4: 0xe000_0001), port: 9),
        SocketAddress(IPAddress(v4: 0x0a00_0001), port: 5000), SocketAddress(IPAddress(v4: 0x7f00_0001), port: 5000),
    ]
    private static let hosts = [IPAddress(v4: 0x0a00_0001), IPAddress(v6: 0x2001_0db8 << 96 | 1)]
    private static let realm = "rig"
    private static let longTerm = STUNKey(username: "user", realm: realm, password: "password")

    private let wire = FuzzWire()
    private let connections = FuzzConnections()
    /// The TURN server is reached by a connection.
    private let usesStream: Bool
    private let link: ICELink
    private var agent: ICEAgent { link.agent }
    private var now = HostTime(milliseconds: 1000)
    private let peers = [
        ICECredentials(userFragment: "abcd", password: "abcdabcdabcdabcdabcdab"),
        ICECredentials(userFragment: "efgh", password: "efghefghefghefghefghef"),
    ].compactMap(\.self)

    init(choice: UInt8) {
        var configuration = ICEConfiguration()
        if choice & 1 != 0 { configuration.stunServers = [Self.stun] }
        usesStream = choice & 64 != 0
        if choice & 2 != 0 {
            configuration.turnServers = [
                TURNServer(address: Self.turn, transport: usesStream ? .tcp : .udp, username: "user", password: "password")
            ]
        }
        configuration.relayOnly = choice & 4 != 0
        configuration.protectedPorts = [5060]
        link = ICELink(
            over: wire,
            agent: ICEAgent(
                choice & 8 != 0 ? .controlling : .controlled, configuration: configuration, random: SplitMix64(seed: 7)),
            connections: connections)
        let time = now
        if choice & 16 != 0 { link.update(now: time) { $0.gather(Self.hosts, port: 5000, now: time) } }
        if choice & 32 != 0 { setRemote(0) }
    }

    func step(_ operation: UInt8, _ bytes: inout FuzzBytes) {
        let choice = operation >> 3
        switch operation & 7 {
        case 0: hear(bytes.bytes(Int(bytes.word() & 0x7ff)), from: choice)
        case 1: hear(check(choice, &bytes), from: bytes.byte())
        case 2: answer(choice, &bytes)
        case 3: candidate(choice, &bytes)
        case 4: pass(milliseconds: choice < 16 ? Double(bytes.byte()) : 500 * Double(bytes.byte()))
        case 5: command(choice, &bytes)
        case 6: hear(relayed(choice, &bytes), from: 1)
        default: _ = link.send(copying: bytes.bytes(Int(choice) * 8), on: .media, now: now)
        }
    }

    /// What must hold whatever comes.
    func check() {
        precondition(agent.localCandidates.count <= ICEConfiguration.maximumLocalCandidates, "candidates of ours without end")
        precondition(
            agent.remoteCandidates.count <= ICEConfiguration.maximumRemoteCandidates, "candidates of the peer without end")
        precondition(wire.takeCount() <= 2000, "datagrams without end")
        while link.nextICEEvent() != nil {}
        while link.nextEvent() != nil {}
    }

    func finish() {
        let time = now
        link.update(now: time) { $0.close(now: time) }
        pass(milliseconds: 600)
        precondition(agent.nextDeadline == nil && agent.selected == nil, "closed, and not at rest")
    }

    private func hear(_ datagram: [UInt8], from place: UInt8) { hear(datagram, from: Self.places[Int(place & 7)]) }

    private func hear(_ datagram: [UInt8], from source: SocketAddress) {
        if usesStream, source == Self.turn {
            connections.waiting.append(datagram)
        } else {
            wire.waiting.append((datagram, source))
        }
        let time = now
        link.receive(now: time) { _ in }
    }

    /// Stops at each deadline; one that never goes by would keep a thread busy for ever.
    private func pass(milliseconds: Double) {
        let end = now.advanced(byMilliseconds: milliseconds)
        for _ in 0..<4000 {
            guard let next = link.nextDeadline, next <= end else { break }
            now = max(now, next)
            link.advance(to: now)
            if let after = link.nextDeadline, after <= now {
                // What it sends at once may be due again at once, but not for ever.
                for _ in 0..<200 where (link.nextDeadline ?? end) <= now { link.advance(to: now) }
                precondition((link.nextDeadline ?? end) > now || now >= end, "a deadline that does not go by")
            }
        }
        now = max(now, end)
        link.advance(to: now)
    }

    // MARK: - The peer

    private func setRemote(_ choice: UInt8) {
        let (peer, time) = (peers[Int(choice & 1)], now)
        link.update(now: time) { try? $0.setRemote(peer, isLite: choice & 2 != 0, now: time) }
    }

    private func check(_ choice: UInt8, _ bytes: inout FuzzBytes) -> [UInt8] {
        let (own, peer) = (agent.localCredentials, peers[Int(choice & 1)])
        var builder = STUNBuilder(.request, .binding, TransactionID(bits: UInt128(bytes.byte())))
        builder.add(.username, text: "\(own.userFragment):\(peer.userFragment)")
        builder.add(.priority, number: choice & 2 != 0 ? bytes.long() : 1_845_501_695)
        builder.add(choice & 4 != 0 ? .iceControlling : .iceControlled, number: UInt64(bytes.byte()) << 56)
        if choice & 8 != 0 { builder.add(.useCandidate, [UInt8]()) }
        let key = STUNKey(shortTerm: choice & 16 != 0 ? peer.password : own.password)
        return builder.finished(key, fingerprint: true)
    }

    // MARK: - Answers to what was asked

    /// One of the last requests is answered, by whom it went to or by somebody else.
    private func answer(_ choice: UInt8, _ bytes: inout FuzzBytes) {
        let age = Int(bytes.byte())
        let isOnStream = usesStream && age & 1 != 0
        guard let (request, destination) = isOnStream ? connections.recent(age >> 1) : wire.recent(age),
            let asked = request.withUnsafeBytes({ try? STUNMessage(parsing: $0) }), asked.messageClass == .request
        else { return }
        let isBinding = asked.method == .binding
        let code = choice & 1 == 0 ? 0 : [401, 438, 437, 441, 486, 300, 487, 403][Int(bytes.byte() & 7)]
        var builder = STUNBuilder(code == 0 ? .success : .error, asked.method, asked.transaction)
        if code == 0 {
            let mapped = Self.places[Int(bytes.byte() & 7)]
            builder.add(.xorMappedAddress, SocketAddress(mapped.address, port: mapped.port &+ UInt16(choice)))
            if asked.method == .allocate {
                builder.add(.xorRelayedAddress, SocketAddress(IPAddress(v4: 0xc000_0202), port: 50_000 &+ UInt16(bytes.byte())))
            }
            if !isBinding { builder.add(.lifetime, number: choice & 2 != 0 ? bytes.long() : 600) }
        } else {
            builder.add(errorCode: code, "no")
            builder.add(.realm, text: Self.realm)
            builder.add(.nonce, bytes.bytes(Int(choice)))
            if code == 300 { builder.add(.alternateServer, plain: Self.places[Int(bytes.byte() & 7)]) }
        }
        var key: STUNKey?
        if isBinding, asked.has(.messageIntegrity) {
            key = STUNKey(shortTerm: agent.remoteCredentials?.password ?? "")
        } else if asked.has(.messageIntegrity) {
            key = Self.longTerm
        }
        let made = builder.finished(choice & 4 != 0 ? nil : key, fingerprint: choice & 8 == 0)
        hear(made, from: choice & 16 != 0 ? Self.places[Int(bytes.byte() & 7)] : destination)
    }

    /// What comes by the TURN server: channel data or an indication, with a check, a handshake or anything inside.
    private func relayed(_ choice: UInt8, _ bytes: inout FuzzBytes) -> [UInt8] {
        let inner = choice & 1 != 0 ? check(choice >> 1 | 16, &bytes) : bytes.bytes(Int(bytes.byte()))
        let peer = Self.places[Int(bytes.byte() & 7)]
        guard choice & 2 != 0 else {
            let number = 0x4000 + UInt16(bytes.byte() & 3)
            let length = inner.count + (choice & 4 != 0 ? Int(bytes.byte()) : 0)
            return [UInt8(number >> 8), UInt8(truncatingIfNeeded: number), UInt8(length >> 8 & 255), UInt8(length & 255)]
                + inner
        }
        var builder = STUNBuilder(.indication, .data, TransactionID(bits: 1))
        builder.add(.xorPeerAddress, peer)
        builder.add(.data, inner)
        return builder.finished()
    }

    // MARK: - Signalling

    private func candidate(_ choice: UInt8, _ bytes: inout FuzzBytes) {
        let kinds = CandidateKind.allCases
        let place = Self.places[Int(bytes.byte() & 7)]
        let made = Candidate(
            foundation: "\(choice)", priority: bytes.long(),
            address: SocketAddress(place.address, port: place.port &+ UInt16(bytes.byte())),
            kind: kinds[Int(choice) % kinds.count])
        let text = choice & 1 != 0 ? made.text : String(decoding: bytes.bytes(Int(bytes.byte())), as: UTF8.self)
        let time = now
        link.update(now: time) { $0.add(candidateLine: text, now: time) }
    }

    private func command(_ choice: UInt8, _ bytes: inout FuzzBytes) {
        let time = now
        switch choice & 7 {
        case 0: link.update(now: time) { $0.restart(now: time) }
        case 1: link.update(now: time) { $0.gather(Self.hosts, port: 5000, now: time) }
        case 2: link.update(now: time) { $0.endOfRemoteCandidates(now: time) }
        case 3: link.update(now: time) { $0.gather([Self.places[Int(bytes.byte() & 7)].address], port: 5000, now: time) }
        case 4:
            let own = peers[Int(choice >> 3 & 1)]
            link.update(now: time) { $0.restart(as: own, now: time) }
        case 5:
            connections.hasEnded = true
            hear([], from: Self.places[0])
        default: setRemote(choice >> 3)
        }
    }
}
