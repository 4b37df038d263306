import Glibc
import PacketCapture
import Realtime
import Testing

@Suite("A capture of others") struct CaptureReaderTests {
    private let payload: [UInt8] = [0x80, 0, 1, 2, 3]

    private func datagrams(_ file: [UInt8]) throws -> [CapturedDatagram] {
        let temporary = TemporaryFile(file)
        return try readAll(temporary.path).events.compactMap { if case .datagram(let found) = $0 { found } else { nil } }
    }

    @Test("in pcap is read in either byte order, with time in us or ns", arguments: [false, true], [false, true])
    func classic(isBigEndian: Bool, nanoseconds: Bool) throws {
        let frame = ethernet(0x0800, ipv4(udp(payload)))
        let found = try datagrams(
            pcap([frame, frame, frame], isBigEndian: isBigEndian, nanoseconds: nanoseconds))
        #expect(found.map(\.time) == [0, 20, 40].map { HostTime(milliseconds: $0) })
        #expect(found.allSatisfy { $0.bytes == payload && $0.direction == .unknown })
        #expect(found[0].source == UDPEndpoint(address: [192, 0, 2, 1], port: 5004))
        #expect(found[0].destination == UDPEndpoint(address: [192, 0, 2, 2], port: 6000))
    }

    @Test("in pcapng is read in either byte order", arguments: [false, true])
    func pcapng(isBigEndian: Bool) throws {
        func word(_ value: UInt32) -> [UInt8] {
            let bytes = (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
            return isBigEndian ? bytes.reversed() : bytes
        }
        func half(_ value: UInt16) -> [UInt8] {
            isBigEndian ? [UInt8(value >> 8), UInt8(value & 0xff)] : [UInt8(value & 0xff), UInt8(value >> 8)]
        }
        func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
            let length = word(UInt32(body.count + 12))
            return word(type) + length + body + length
        }
        let frame = ethernet(0x0800, ipv4(udp(payload + [4, 5, 6])))  // 50 bytes, to be padded
        var file = block(0x0a0d_0d0a, word(0x1a2b_3c4d) + half(1) + half(0) + word(.max) + word(.max))
        file += block(1, half(1) + half(0) + word(0))
        // A custom block of others, and an interface statistics block: passed over.
        file += block(0x0bad, word(12_345) + [1, 2, 3, 4])
        for number in UInt32(0)..<3 {
            let length = UInt32(frame.count)
            let padding = [UInt8](repeating: 0, count: (4 - frame.count % 4) % 4)
            let stamp = word(0) + word(1000 + 20_000 * number)
            file += block(6, word(0) + stamp + word(length) + word(length) + frame + padding)
        }
        file += block(5, word(0) + word(0) + word(0))
        let found = try datagrams(file)
        #expect(found.map(\.time) == [0, 20, 40].map { HostTime(milliseconds: $0) })
        #expect(found.allSatisfy { $0.bytes == payload + [4, 5, 6] })
    }

    @Test(
        "is read on every usual link",
        arguments: [
            "ethernet", "vlan", "two vlans", "cooked", "cooked 2", "raw", "raw ip4", "null", "loop", "ethernet 6", "raw 6",
            "null 6", "raw ip6", "extensions", "options",
        ])
    func links(name: String) throws {
        let v4 = ipv4(udp(payload))
        let v6 = ipv6(udp(payload))
        let cooked: [UInt8] = [UInt8](repeating: 0, count: 14)
        let cooked2: [UInt8] = big(0x0800) + [UInt8](repeating: 0, count: 18)
        let hop: [UInt8] = [60, 0, 1, 4, 0, 0, 0, 0] + [17, 1] + [UInt8](repeating: 0, count: 14)
        let (link, frame): (UInt32, [UInt8]) =
            switch name {
            case "ethernet": (1, ethernet(0x0800, v4))
            case "vlan": (1, ethernet(0x8100, big(7, 0x0800) + v4))
            case "two vlans": (1, ethernet(0x88a8, big(7, 0x8100, 9, 0x86dd) + v6))
            case "cooked": (113, cooked + big(0x0800) + v4)
            case "cooked 2": (276, cooked2 + v4)
            case "raw": (101, v4)
            case "raw ip4": (228, v4)
            case "null": (0, [2, 0, 0, 0] + v4)
            case "loop": (108, [0, 0, 0, 2] + v4)
            case "ethernet 6": (1, ethernet(0x86dd, v6))
            case "raw 6": (101, v6)
            case "null 6": (0, [10, 0, 0, 0] + v6)
            case "raw ip6": (229, v6)
            case "extensions": (101, ipv6(hop + udp(payload), next: 0))
            default: (101, ipv4(udp(payload), options: 3))
            }
        let found = try datagrams(pcap([frame], link: link))
        #expect(found.map(\.bytes) == [payload])
        #expect(found.first?.destination.port == 6000)
    }

    @Test("counts what holds no datagram by the reason")
    func skipped() throws {
        let frames = [
            ethernet(0x0806, [UInt8](repeating: 0, count: 28)), ethernet(0x0800, ipv4(udp(payload), proto: 6)),
            ethernet(0x0800, ipv4(udp(payload), fragment: 0x2000)), ethernet(0x0800, ipv4(udp(payload), fragment: 7)),
            ethernet(0x86dd, ipv6([17, 0, 0, 1, 0, 0, 0, 0] + udp(payload), next: 44)),
            ethernet(0x0800, ipv4(udp(payload), total: 200)), ethernet(0x0800, Array(ipv4(udp(payload))[..<24])),
            ethernet(0x86dd, ipv6([0xff, 0xff, 0, 0, 0, 0, 0, 0], next: 60)), ethernet(0x0800, []), [1, 2, 3],
            ethernet(0x0800, ipv4(big(1, 2, 4, 0))), ethernet(0x0800, ipv4(udp(payload))),
        ]
        let file = TemporaryFile(pcap(frames))
        let (events, end, reader) = try readAll(file.path)
        #expect(events.count == 1 && end == nil)
        #expect(reader.skipped.other == 2 && reader.skipped.fragments == 3 && reader.skipped.cut == 6)
        #expect(!reader.isOurs && reader.settings.isEmpty)
    }

    @Test("on a link that nobody here knows is refused by its name")
    func unknownLink() {
        let file = TemporaryFile(pcap([[1, 2, 3]], link: 105))
        #expect(throws: CaptureError.unknownLink(path: file.path, name: "IEEE802_11")) { try CaptureReader(path: file.path) }
    }

    @Test(
        "that is none says so",
        arguments: [
            [], [0], Array("RIFF....WAVEfmt ".utf8), [UInt8](repeating: 0, count: 5000), [UInt8](repeating: 0xff, count: 5000),
            [0x0a, 0x0d, 0x0d, 0x0a], [0xd4, 0xc3, 0xb2, 0xa1],
        ] as [[UInt8]])
    func garbage(bytes: [UInt8]) {
        let file = TemporaryFile(bytes)
        do {
            _ = try CaptureReader(path: file.path)
            Issue.record("it was taken for a capture")
        } catch {
            guard case .unreadable(file.path, let reason) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(reason.count > 5)
        }
    }

    @Test("that is not there, or a folder, says so")
    func nothing() {
        for path in ["/nowhere/call.pcapng", "/tmp"] {
            do {
                _ = try CaptureReader(path: path)
                Issue.record("\(path)")
            } catch {
                guard case .unreadable(path, _) = error else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
    }

    @Test("that comes by a pipe is refused, and not called damaged")
    func pipe() {
        let path = "/tmp/yodel-capture-pipe-\(getpid())"
        defer { unlink(path) }
        #expect(mkfifo(path, 0o600) == 0)
        let reason = "a pipe cannot be read twice, which a capture must be"
        #expect(throws: CaptureError.unreadable(path: path, reason: reason)) { try CaptureReader(path: path) }
    }

    @Test("cut anywhere gives the packets before the cut, and says that it breaks off")
    func truncated() throws {
        let whole = pcap([[UInt8]](repeating: ethernet(0x0800, ipv4(udp(payload))), count: 4))
        let record = (whole.count - 24) / 4
        for length in 24...whole.count {
            let file = TemporaryFile(Array(whole[..<length]))
            let (events, end, _) = try readAll(file.path)
            #expect(events.count == (length - 24) / record, "\(length)")
            if (length - 24) % record == 0 {
                #expect(end == nil, "\(length)")
            } else {
                guard case .damaged(file.path, packets: events.count, let reason)? = end else {
                    Issue.record("\(length): \(String(describing: end))")
                    continue
                }
                #expect(reason.contains("truncated"), "\(reason)")
            }
        }
    }

    @Test("with any bytes changed neither traps nor hangs", arguments: [1, 2] as [UInt64])
    func mutated(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let frames = [ethernet(0x0800, ipv4(udp(payload))), ethernet(0x86dd, ipv6(udp(payload)))]
        let whole = pcap((0..<20).map { frames[$0 % 2] })
        var read = 0
        for _ in 0..<3000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            bytes.removeLast(Int.random(in: 0..<40, using: &random))
            let file = TemporaryFile(bytes)
            if let result = try? readAll(file.path) { read += result.events.count }
        }
        #expect(read > 3000, "seed \(seed)")
    }
}
