import Codecs
import Glibc
import JitterBuffer
import Media
import PacketCapture
import RTP
import Simulation
import Testing

@Suite("A capture of others, replayed") struct CaptureReplayTests {
    /// A pcap file as tcpdump writes it, of bare IPv4 (link type 101): little-endian, microseconds.
    private struct Pcap {
        private(set) var bytes: [UInt8] =
            [0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 101, 0, 0, 0]

        /// - Parameters:
        ///   - isFragment: whether more of the packet follows, as IP says.
        ///   - most: bytes of it that are kept.
        mutating func add(_ payload: [UInt8], milliseconds: Int, isFragment: Bool = false, most: Int = .max) {
            let length = 28 + payload.count
            let kept = min(length, most)
            for word in [1_700_000_000 + milliseconds / 1000, milliseconds % 1000 * 1000, kept, length] {
                bytes += (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
            }
            var packet: [UInt8] = [
                0x45, 0, UInt8(length >> 8), UInt8(length & 255), 0, 0, isFragment ? 0x20 : 0, 0, 64, 17, 0, 0, 192, 0, 2, 2,
                192, 0, 2, 1,
            ]
            let datagram = 8 + payload.count
            packet += [0x13, 0x88, 0x0f, 0xa0, UInt8(datagram >> 8), UInt8(datagram & 255), 0, 0] + payload
            bytes += packet.prefix(kept)
        }

        /// Writes the file, whose path has `name` in it.
        func write(_ name: String) throws -> String {
            let path = "/tmp/yodel-replay-\(getpid())-\(name).pcap"
            let file = try #require(fopen(path, "w"))
            defer { fclose(file) }
            try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
            return path
        }
    }

    /// A pcapng file of bare IPv4 whose times are nanoseconds: 64 bits of anything.
    private struct Pcapng {
        private var bytes: [UInt8] = []

        init() {
            block(0x0a0d_0d0a, [0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0] + [UInt8](repeating: 0xff, count: 8))
            // Link type 101, no limit, if_tsresol 9, the end of the options.
            block(1, [101, 0, 0, 0, 0, 0, 0, 0, 9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0])
        }

        mutating func add(_ payload: [UInt8], nanoseconds: UInt64) {
            let length = 28 + payload.count
            let datagram = 8 + payload.count
            var packet: [UInt8] = [
                0x45, 0, UInt8(length >> 8), UInt8(length & 255), 0, 0, 0, 0, 64, 17, 0, 0, 192, 0, 2, 2, 192, 0, 2, 1,
            ]
            packet += [0x13, 0x88, 0x0f, 0xa0, UInt8(datagram >> 8), UInt8(datagram & 255), 0, 0] + payload
            let words = [0, UInt32(nanoseconds >> 32), UInt32(truncatingIfNeeded: nanoseconds), UInt32(length), UInt32(length)]
            block(6, words.flatMap(Self.word) + packet)
        }

        func write(to path: String) throws {
            let file = try #require(fopen(path, "w"))
            defer { fclose(file) }
            try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
        }

        private mutating func block(_ type: UInt32, _ body: [UInt8]) {
            let padding = [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
            let length = Self.word(UInt32(12 + body.count + padding.count))
            bytes += Self.word(type) + length + body + padding + length
        }

        private static func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    }

    private func capture(
        packets: Int, every interval: Int = 20, after start: Int? = nil, lost: (Int) -> Bool = { _ in false }
    ) throws -> String {
        var pcap = Pcap()
        let encoder = try makeEncoder(.pcmu)
        let header = [UInt8](repeating: 0, count: 12)
        if let start { pcap.add([0x80, 8] + header.dropFirst(2), milliseconds: start) }
        for number in 0..<packets {
            let samples = (0..<160).map { Float(0.3 * sin(2 * .pi * 500 * Double(number * 160 + $0) / 8000)) }
            var payload = [UInt8](repeating: 0, count: 160)
            _ = try samples.withUnsafeBufferPointer { samples in
                try payload.withUnsafeMutableBytes { try encoder.encode(samples, into: $0) }
            }
            for (ssrc, isNoise) in [(UInt32(7), false), (9, true)] {
                // The other source speaks half as often, in another type.
                if isNoise ? number % 2 == 0 : lost(number) { continue }
                var bytes = [UInt8](repeating: 0, count: 12)
                let header = RTPHeader(
                    payloadType: isNoise ? 8 : 0, sequence: UInt16(isNoise ? number / 2 : number),
                    timestamp: UInt32(number * 160), ssrc: ssrc)
                _ = bytes.withUnsafeMutableBytes { header.write(into: $0) }
                pcap.add(bytes + payload, milliseconds: interval * number)
            }
            // Something that is no RTP.
            pcap.add(Array("NOTIFY sip:x SIP/2.0".utf8), milliseconds: interval * number)
        }
        return try pcap.write("\(packets)-\(interval)")
    }

    /// A capture of PCMU of 20 ms, of which `change` makes something else.
    private func capture(
        _ name: String, packets: Int, change: (_ number: Int, inout RTPHeader, _ milliseconds: inout Int) -> Void
    ) throws -> String {
        var pcap = Pcap()
        for number in 0..<packets {
            var bytes = [UInt8](repeating: 0, count: 12)
            var header = RTPHeader(
                payloadType: 0, sequence: UInt16(number), timestamp: UInt32(number * 160), ssrc: 7)
            var milliseconds = 20 * number
            change(number, &header, &milliseconds)
            _ = bytes.withUnsafeMutableBytes { header.write(into: $0) }
            // Of a telephone event what RFC 4733 says: key 1, its end, its length.
            let payload = header.payloadType == 101 ? [1, 0x8a, 3, 0x20] : [UInt8](repeating: 0x35, count: 160)
            pcap.add(bytes + payload, milliseconds: milliseconds)
        }
        return try pcap.write(name)
    }

    /// Packet `number` of a stream of PCMU.
    private func packet(_ number: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 12)
        let header = RTPHeader(payloadType: 0, sequence: UInt16(number), timestamp: UInt32(number * 160), ssrc: 7)
        _ = bytes.withUnsafeMutableBytes { header.write(into: $0) }
        return bytes + [UInt8](repeating: 0x35, count: 160)
    }

    @Test("tells which packets are no whole ones, also where there is no stream for that")
    func parts() throws {
        var (pieces, cut) = (Pcap(), Pcap())
        for number in 0..<200 {
            pieces.add(packet(number), milliseconds: 20 * number, isFragment: number % 10 == 5)
            cut.add(packet(number), milliseconds: 20 * number, most: 96)
        }
        let paths = (pieces: try pieces.write("pieces"), cut: try cut.write("cut"))
        defer { for path in [paths.pieces, paths.cut] { unlink(path) } }
        #expect(try CaptureStreams(path: paths.pieces).streams.map(\.packets) == [180])
        let replay = try CaptureReplay(
            try CaptureReader(path: paths.pieces), ssrc: 7, configuration: CallConfiguration(codec: .pcmu, seed: 1))
        try replay.run()
        #expect(replay.leftOut?.text() == "20 parts of packets that IP had cut are not played")
        let streams = try CaptureStreams(path: paths.cut)
        #expect(streams.streams.isEmpty)
        #expect(streams.noStreamReason == "200 packets captured in part only are not played: capture with -s 0")
    }

    @Test("plays a stream whose packets several interfaces saw")
    func copies() throws {
        var pcap = Pcap()
        for number in 0..<200 { for _ in 0..<3 { pcap.add(packet(number), milliseconds: 20 * number) } }
        let path = try pcap.write("copies")
        defer { unlink(path) }
        #expect(try CaptureStreams(path: path).streams.map(\.ssrc) == [7])
        #expect(try CaptureStreams(path: path).noStreamReason == nil)
    }

    @Test("draws no lost packets where digits or comfort noise have their numbers")
    func digits() throws {
        let path = try capture("digits", packets: 150) { number, header, _ in
            switch number {
            case 50..<60: (header.payloadType, header.timestamp) = (101, 50 * 160)
            case 100..<105: header.payloadType = 13
            default: break
            }
        }
        defer { unlink(path) }
        let replay = try CaptureReplay(
            try CaptureReader(path: path), ssrc: 7, configuration: CallConfiguration(codec: .pcmu, seed: 1))
        try replay.run()
        #expect(replay.arrivals.allSatisfy { $0.arrivalMilliseconds == $0.sentMilliseconds })
        #expect(replay.arrivals.count == 135 && replay.leftOut == nil)
    }

    @Test("plays on where the codec changes to another that its number tells, and counts what nobody can decode")
    func codecChanges() throws {
        let path = try capture("codecs", packets: 200) { number, header, _ in
            if number >= 100 { header.payloadType = number < 190 ? 8 : 97 }
        }
        defer { unlink(path) }
        let stream = try #require(try CaptureStreams(path: path).streams.first)
        #expect(stream.payloadType == 0 && stream.otherFormats == [MediaFormat(.pcma)])
        var configuration = CallConfiguration(codec: .pcmu, seed: 1)
        configuration.alsoReceives = stream.otherFormats
        let replay = try CaptureReplay(try CaptureReader(path: path), ssrc: 7, configuration: configuration)
        try replay.run()
        // A little may be concealed where one codec gives way to the other.
        let change = replay.rows.filter { (2200..<3500).contains($0.milliseconds) }
        #expect(change.count == 130 && change.allSatisfy { $0.reason != .concealShort && $0.reason != .concealLong })
        #expect(replay.arrivals.count == 190)
        let text = replay.leftOut?.text()
        #expect(replay.leftOut?.otherTypes == 10 && text == "10 packets of other payload types are not played")
    }

    @Test("tells no delay of a pause that it passes over, nor of what is invented after it")
    func longPause() throws {
        let path = try capture("pause", packets: 200) { number, header, milliseconds in
            guard number >= 100 else { return }
            header.timestamp += 60 * 8000
            milliseconds += 60_000
        }
        defer { unlink(path) }
        let replay = try CaptureReplay(
            try CaptureReader(path: path), ssrc: 7, configuration: CallConfiguration(codec: .pcmu, seed: 1))
        try replay.run()
        #expect(replay.leftOut?.gaps == 1)
        let greatest = try #require(replay.figures.greatestDelayMs)
        #expect(greatest < 200, "\(greatest) ms")
        #expect(replay.rows.count { $0.milliseconds > 62_500 && $0.delayMs != nil } > 100)
    }

    @Test("finds its streams, the longest first, and plays the one asked for")
    func plays() throws {
        let path = try capture(packets: 250)
        defer { unlink(path) }
        let streams = try CaptureStreams(path: path)
        #expect(streams.streams.map(\.ssrc) == [7, 9] && streams.streams.map(\.payloadType) == [0, 8])
        #expect(streams.end == nil && streams.streams[0].packets == 250)
        let replay = try CaptureReplay(
            try CaptureReader(path: path), ssrc: 7, configuration: CallConfiguration(codec: .pcmu, seed: 1))
        try replay.run()
        #expect(replay.figures.packetsLost == 0 && replay.figures.packetsSent == 250)
        try #require(replay.heard.count >= 8000 * 5)
        let power = replay.heard[8000..<32_000].reduce(0) { $0 + $1 * $1 } / 24_000
        #expect(abs(power - 0.045) < 0.002, "\(power)")
        // Nothing is missing, not even after the last packet.
        let buffer = replay.figures.buffer
        #expect(buffer.concealments == 0 && buffer.underruns == 0 && buffer.concealedRatio == 0, "\(buffer)")
    }

    @Test("a few packets that come every 29 s claim minutes of sound, not an hour of memory")
    func pauses() throws {
        let path = try capture(packets: 200, every: 29_000)
        defer { unlink(path) }
        let replay = try CaptureReplay(
            try CaptureReader(path: path), ssrc: 7, configuration: CallConfiguration(codec: .pcmu, seed: 1))
        try replay.run()
        // 600 s of pauses, then a second of each.
        let seconds = Double(replay.heard.count) / 8000
        #expect(seconds > 600 && seconds < 600 + 200, "\(seconds)")
        let leftOut = try #require(replay.leftOut)
        #expect(leftOut.gaps > 150 && leftOut.gapSeconds > 4000 && !leftOut.isCutOff)
    }

    @Test("a stream whose stamps lie hours before the file's first packet begins with its own first packet")
    func clockSetBack() throws {
        let path = try capture(packets: 100, every: 300, after: 90_000_000)
        defer { unlink(path) }
        let replay = try CaptureReplay(
            try CaptureReader(path: path), ssrc: 7, configuration: CallConfiguration(codec: .pcmu, seed: 1))
        try replay.run()
        #expect(replay.heard.count == 8000 * (30 + 1) - 8 * 300)
        #expect(replay.leftOut == nil)
    }

    @Test("times that lie further apart than nanoseconds can be counted claim no hour of sound")
    func wildTimes() throws {
        let day: UInt64 = 1_795_464_287_900_000_000
        let times = [
            day, 7_882_772_976_208_669_545, 16_783_443_848_043_058_827, day + 20_000_000, UInt64(Int64.max) - 5_000_000,
        ]
        var file = Pcapng()
        for (number, time) in times.enumerated() {
            var bytes = [UInt8](repeating: 0, count: 172)
            let header = RTPHeader(payloadType: 0, sequence: UInt16(number), timestamp: UInt32(number * 160), ssrc: 7)
            _ = bytes.withUnsafeMutableBytes { header.write(into: $0) }
            file.add(bytes, nanoseconds: time)
        }
        let path = "/tmp/yodel-replay-\(getpid())-wild.pcapng"
        defer { unlink(path) }
        try file.write(to: path)
        let replay = try CaptureReplay(
            CaptureReader(path: path), ssrc: nil, configuration: CallConfiguration(codec: .pcmu, seed: 1))
        try replay.run()
        #expect(replay.heard.count > 20 * 8000 && replay.heard.count < 120 * 8000)
        #expect(replay.leftOut?.isCutOff == false)
    }

    @Test("conceals what was lost")
    func conceals() throws {
        let path = try capture(packets: 251) { $0 % 10 == 4 }
        defer { unlink(path) }
        let replay = try CaptureReplay(
            try CaptureReader(path: path), ssrc: 7, configuration: CallConfiguration(codec: .pcmu, seed: 1))
        try replay.run()
        #expect(replay.figures.packetsLost == 25)
        #expect(replay.figures.buffer.concealments >= 24)
        // The picture has them where they were sent.
        let lost = replay.arrivals.filter { $0.arrivalMilliseconds == nil }.map(\.sentMilliseconds)
        #expect(replay.arrivals.count == 251 && lost == (0..<25).map { Double(200 * $0 + 80) })
    }
}
