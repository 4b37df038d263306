import PeerSignalling
import Realtime
import SDP
import SecureRTP

/// Two ends of a call from person to person: frames that are lost, doubled, changed and forged, wishes of both persons, and time. And the
/// file of known peers.
enum PeerFuzz {
    static func run(_ input: UnsafeRawBufferPointer) {
        var bytes = FuzzBytes(input)
        let choice = bytes.byte()
        if choice == 0xff { return knownPeers(String(decoding: input.dropFirst(), as: UTF8.self)) }
        guard let call = PeerFuzzCall(choice) else { return }
        for _ in 0..<400 where !bytes.isEmpty { call.step(bytes.byte(), &bytes) }
        call.finish()
    }

    /// What was read is written, and read again as the same.
    private static func knownPeers(_ text: String) {
        guard var peers = try? KnownPeers(parsing: text) else { return }
        precondition((try? KnownPeers(parsing: peers.text)) == peers, "the file is not read as it was written")
        for entry in peers.entries.prefix(8) {
            _ = (peers.judge(called: entry.name, entry.fingerprint), peers.judge(caller: entry.fingerprint))
            peers.remember(entry)
            _ = peers.forget(entry.name)
        }
    }
}

private final class PeerFuzzCall {
    private var ends: [PeerDialog] = []
    private var now = HostTime(milliseconds: 1000)
    /// On their way to each end.
    private var underWay: [[[UInt8]]] = [[], []]
    private var hasEnded = [false, false]
    private var number: [UInt32] = [1, 1]

    init?(_ choice: UInt8) {
        guard let one = DTLSFingerprint(.sha256, [UInt8](repeating: 1, count: 32)),
            let two = DTLSFingerprint(.sha256, [UInt8](repeating: 2, count: 32))
        else { return nil }
        let capabilities = AudioCapabilities(codecs: choice & 1 != 0 ? [.pcmu, .g722] : [.pcma, .pcmu])
        ends = [
            PeerDialog(.caller, capabilities: capabilities, own: one, peer: choice & 2 != 0 ? one : two, sessionID: 7),
            PeerDialog(.callee, capabilities: capabilities, own: two, peer: one, sessionID: 9),
        ]
        for end in 0...1 { ends[end].start(now: now) }
        drain()
    }

    func step(_ operation: UInt8, _ bytes: inout FuzzBytes) {
        let end = Int(operation >> 3 & 1)
        let detail = operation >> 4
        switch operation & 7 {
        case 0, 1: deliver(end, Int(detail), &bytes, isChanged: operation & 7 == 1)
        case 2: if let first = underWay[end].first { underWay[end].append(first) }
        case 3: forge(end, detail, &bytes)
        case 4: ends[end].receive(bytes.bytes(Int(bytes.word() & 0x7ff)), now: now)
        case 5: pass(milliseconds: detail < 12 ? 10 * Double(bytes.byte()) : 1000 * Double(bytes.byte()))
        case 6: act(end, detail)
        default: settle()
        }
        drain()
    }

    func finish() {
        for end in 0...1 { ends[end].hangUp(now: now) }
        for _ in 0..<8 {
            settle()
            pass(milliseconds: 2000)
        }
        pass(milliseconds: 120_000)
        precondition(ends.allSatisfy(\.isOver), "a call without an end")
    }

    private func deliver(_ end: Int, _ place: Int, _ bytes: inout FuzzBytes, isChanged: Bool) {
        guard !underWay[end].isEmpty else { return }
        var frame = underWay[end].remove(at: place % underWay[end].count)
        if isChanged, !frame.isEmpty { frame[Int(bytes.word()) % frame.count] = bytes.byte() }
        ends[end].receive(frame, now: now)
    }

    /// A part of a message that nobody said, with the number that is expected next or another one.
    private func forge(_ end: Int, _ detail: UInt8, _ bytes: inout FuzzBytes) {
        if detail & 1 != 0 { number[end] &+= 1 }
        let shown = detail & 2 != 0 ? UInt32(bytes.byte()) : number[end]
        let parts = detail & 4 != 0 ? bytes.bytes(2) : [0, 1]
        let words = ["offer\n", "answer\n", "refusal busy x\n", "bye\n"]
        let text = detail & 8 != 0 ? Array(words[Int(bytes.byte() & 3)].utf8) : []
        let frame = [1, 1] + (0..<4).map { UInt8(truncatingIfNeeded: shown >> UInt32(24 - 8 * $0)) } + parts
        ends[end].receive(frame + text + bytes.bytes(Int(bytes.word() & 0x3ff)), now: now)
    }

    private func act(_ end: Int, _ detail: UInt8) {
        switch detail & 7 {
        case 0, 1: ends[end].answer(now: now)
        case 2, 3: ends[end].hold(detail & 8 != 0, now: now)
        case 4: ends[end].hangUp(now: now)
        case 5: ends[end].refuse(.declined, "no\nroom", now: now)
        default: ends[end].start(now: now)
        }
    }

    private func pass(milliseconds: Double) {
        let stop = now.advanced(byMilliseconds: milliseconds)
        for _ in 0..<2000 {
            guard let next = ends.compactMap(\.nextDeadline).min(), next <= stop else { break }
            now = max(now, next)
            for end in 0...1 { ends[end].advance(to: now) }
            precondition(
                (ends.compactMap(\.nextDeadline).min() ?? stop.advanced(byMilliseconds: 1)) > now,
                "a deadline that does not go by")
            drain()
        }
        now = stop
        for end in 0...1 { ends[end].advance(to: now) }
        drain()
    }

    private func settle() {
        for end in 0...1 {
            let waiting = underWay[end]
            underWay[end] = []
            for frame in waiting { ends[end].receive(frame, now: now) }
        }
        drain()
    }

    private func drain() {
        for end in 0...1 {
            for datagram in ends[end].takeDatagrams() where underWay[1 - end].count < 64 {
                precondition(datagram.count <= DTLSAssociation.longestMessage, "a message of \(datagram.count) bytes")
                underWay[1 - end].append(datagram)
            }
            while let event = ends[end].nextEvent() {
                precondition(!hasEnded[end], "\(event) after the end")
                if case .ended = event { hasEnded[end] = true }
            }
        }
    }
}
