import Link
import Realtime
import SecureRTP

/// An encrypted call whose datagrams are lost, doubled, changed, forged and sent again: only what the other side said is heard, and
/// nothing twice.
enum SecureFuzz {
    /// One for all inputs: a new key costs more than most inputs do. OpenSSL's random numbers differ from run to run.
    private static let identities = [try? DTLSIdentity(), try? DTLSIdentity()].compactMap(\.self)

    static func run(_ input: UnsafeRawBufferPointer) {
        var bytes = FuzzBytes(input)
        let choice = bytes.byte()
        guard let call = SecureCall(choice, identities) else { return }
        for _ in 0..<250 where !bytes.isEmpty { call.step(bytes.byte(), &bytes) }
        call.finish()
    }
}

/// Both ends, and the datagrams between them.
private final class SecureCall {
    private static let addresses = [
        SocketAddress(IPAddress(v4: 0xc000_0201), port: 5004), SocketAddress(IPAddress(v4: 0xc000_0202), port: 6004),
    ]
    private static let stranger = SocketAddress(IPAddress(v4: 0xcb00_7101), port: 7004)

    private let wires = [FuzzWire(), FuzzWire()]
    private var dtls: [DTLSLink] = []
    private var srtp: [SRTPLink] = []
    private var now = HostTime(milliseconds: 1000)
    /// What is on its way to each end, and what was ever sent to it.
    private var underWay: [[[UInt8]]] = [[], []]
    private var record: [[[UInt8]]] = [[], []]
    /// What may still be heard at each end: payloads, each told from all others.
    private var due: [Set<[UInt8]>] = [[], []]
    private var counter: UInt32 = 0
    private var sequence: [UInt16] = [65_530, 100]
    private var source: [UInt32] = [0x1111_1111, 0x2222_2222]
    private let identities: [DTLSIdentity]
    private let usesDTLS: Bool
    /// Of the first keys, where there is no handshake.
    private let suite: SRTPSuite

    init?(_ choice: UInt8, _ identities: [DTLSIdentity]) {
        usesDTLS = choice & 1 != 0
        self.identities = identities
        let suite = SRTPSuite.allCases[Int(choice >> 1) % SRTPSuite.allCases.count]
        self.suite = suite
        guard usesDTLS else {
            srtp = wires.map { SRTPLink(over: $0) }
            for end in 0...1 { wires[end].setPeer(LinkPeer(media: Self.addresses[1 - end])) }
            setKeys(0)
            return
        }
        guard identities.count == 2 else { return nil }
        let isPathChecked = choice & 0x40 != 0
        if isPathChecked { wires[1].setPeer(LinkPeer(media: Self.addresses[0])) }
        wires[0].setPeer(LinkPeer(media: Self.addresses[1]))
        for end in 0...1 {
            let link = DTLSLink(
                over: wires[end], identity: identities[end], suites: [suite, .aes128CM80], isPathChecked: isPathChecked)
            dtls.append(link)
            srtp.append(SRTPLink(over: link))
        }
        start(0)
        start(1)
        // Most inputs are for what comes after a handshake.
        if choice & 0x80 == 0 { for _ in 0..<6 { settle() } }
    }

    func step(_ operation: UInt8, _ bytes: inout FuzzBytes) {
        let end = Int(operation >> 3 & 1)
        switch operation & 7 {
        case 0: talk(end, operation, &bytes)
        case 1: deliver(end, Int(operation >> 4), changed: nil)
        case 2: deliver(end, Int(operation >> 4), changed: &bytes)
        case 3: inject(end, bytes.bytes(Int(bytes.word() & 0x7ff)), operation)
        case 4: again(end, operation, &bytes)
        case 5: pass(milliseconds: operation & 0x80 != 0 ? 250 * Double(bytes.byte()) : Double(bytes.byte()))
        case 6: command(end, operation, &bytes)
        default: settle()
        }
    }

    func finish() {
        for link in dtls { link.close(now: now) }
        pass(milliseconds: 30_000)
        for link in srtp { _ = (link.statistics, link.srtp) }
    }

    // MARK: - Packets

    private func talk(_ end: Int, _ operation: UInt8, _ bytes: inout FuzzBytes) {
        counter += 1
        let mark = (0..<4).map { UInt8(truncatingIfNeeded: counter >> UInt32(24 - 8 * $0)) }
        let isControl = operation & 0x10 != 0
        var packet: [UInt8]
        if isControl {
            packet = [0x80, 201, 0, 1] + word(source[end]) + [0x81, 204, 0, 3] + word(source[end]) + Array("fuzz".utf8) + mark
        } else {
            // Forwards only, as the owner of a key must: the same place in the stream twice would be a defect of the sender.
            sequence[end] &+= operation & 0x20 != 0 ? UInt16(bytes.byte()) + 1 : 1
            packet =
                [0x80, 0, UInt8(sequence[end] >> 8), UInt8(sequence[end] & 255)] + word(counter) + word(source[end]) + mark
        }
        if srtp[end].send(copying: packet, on: isControl ? .control : .media, now: now) { due[1 - end].insert(packet) }
        collect(end)
    }

    private func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * $0)) } }

    /// Takes what an end has sent.
    private func collect(_ end: Int) {
        for datagram in wires[end].takeSent() {
            if underWay[1 - end].count < 64 { underWay[1 - end].append(datagram) }
            if record[1 - end].count < 64 { record[1 - end].append(datagram) }
        }
    }

    private func hear(_ end: Int, _ datagram: [UInt8], from source: SocketAddress) {
        wires[end].waiting.append((datagram, source))
        srtp[end].receive(now: now) { packet in
            let heard = Array(packet.bytes)
            precondition(due[end].remove(heard) != nil, "heard what nobody said, or twice: \(heard)")
        }
        drain(end)
    }

    private func drain(_ end: Int) {
        while srtp[end].nextEvent() != nil {}
        if usesDTLS { while dtls[end].nextDTLSEvent() != nil {} }
        collect(end)
    }

    private func deliver(_ end: Int, _ place: Int, changed bytes: UnsafeMutablePointer<FuzzBytes>?) {
        guard !underWay[end].isEmpty else { return }
        var datagram = underWay[end].remove(at: place % underWay[end].count)
        if let bytes, !datagram.isEmpty {
            switch bytes.pointee.byte() & 3 {
            case 0: datagram[Int(bytes.pointee.word()) % datagram.count] ^= max(1, bytes.pointee.byte())
            case 1: datagram.removeLast(Int(bytes.pointee.byte()) % datagram.count)
            case 2: datagram += bytes.pointee.bytes(Int(bytes.pointee.byte()))
            default: return  // lost
            }
        }
        hear(end, datagram, from: Self.addresses[1 - end])
    }

    private func inject(_ end: Int, _ datagram: [UInt8], _ operation: UInt8) {
        hear(end, datagram, from: operation & 0x10 != 0 ? Self.stranger : Self.addresses[1 - end])
    }

    /// Something that was on the wire before, as it was or with another head.
    private func again(_ end: Int, _ operation: UInt8, _ bytes: inout FuzzBytes) {
        guard !record[end].isEmpty else { return }
        var datagram = record[end][Int(bytes.byte()) % record[end].count]
        if operation & 0x20 != 0 {
            let head = bytes.bytes(Int(bytes.byte() & 15))
            datagram.replaceSubrange(0..<min(head.count, datagram.count), with: head.prefix(datagram.count))
        }
        // The original may not have been heard yet: then this is it.
        inject(end, datagram, operation)
    }

    // MARK: - Time and commands

    private func pass(milliseconds: Double) {
        let stop = now.advanced(byMilliseconds: milliseconds)
        for _ in 0..<400 {
            guard let next = srtp.compactMap(\.nextDeadline).min(), next <= stop, next > now else { break }
            now = next
            for end in 0...1 { advance(end) }
        }
        now = stop
        for end in 0...1 { advance(end) }
    }

    private func advance(_ end: Int) {
        srtp[end].advance(to: now)
        drain(end)
    }

    private func settle() {
        for end in 0...1 {
            let waiting = underWay[end]
            underWay[end] = []
            for datagram in waiting { hear(end, datagram, from: Self.addresses[1 - end]) }
        }
    }

    private func start(_ end: Int) {
        try? dtls[end].start(
            end == 0 ? .active : .passive, trust: .fingerprints([identities[1 - end].fingerprint]), now: now)
        drain(end)
    }

    /// Each number has its keys, and a suite.
    private func setKeys(_ number: Int) {
        let suites = SRTPSuite.allCases
        let suite = suites[((suites.firstIndex(of: suite) ?? 0) + number) % suites.count]
        var random = SplitMix64(seed: UInt64(number) + 1)
        let first = SRTPMasterKey(suite: suite, random: &random)
        let second = SRTPMasterKey(suite: suite, random: &random)
        try? srtp[0].setKeys(SRTPKeys(outbound: first, inbound: second))
        try? srtp[1].setKeys(SRTPKeys(outbound: second, inbound: first))
    }

    private func command(_ end: Int, _ operation: UInt8, _ bytes: inout FuzzBytes) {
        switch operation >> 4 & 7 {
        case 0: source[end] ^= UInt32(bytes.byte() & 3)
        case 1:
            guard !usesDTLS else { break }
            // The same keys again, other ones, or those of before: as many as are remembered.
            setKeys(Int(bytes.byte()) % SRTPLink.rememberedKeys)
        case 2: if usesDTLS { start(end) }
        case 3: if usesDTLS { dtls[end].close(now: now) }
        case 4: if usesDTLS { _ = dtls[end].send(message: bytes.bytes(Int(bytes.byte()) * 5), now: now) }
        case 5: underWay[end].removeAll()
        case 6: underWay[end].reverse()
        default: if usesDTLS { dtls[end].accept(now: now) }
        }
        drain(end)
    }
}
