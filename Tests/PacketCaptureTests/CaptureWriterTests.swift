import Glibc
import PacketCapture
import Realtime
import Testing

@Suite("A capture of ours") struct CaptureWriterTests {
    private let near = UDPEndpoint(address: [127, 0, 0, 1], port: 5004)
    private let far = UDPEndpoint(address: [127, 0, 0, 1], port: 6004)

    /// A capture of 40 packets both ways, with 5 pulls after each received one, and now and then a stop of the machine.
    private func write(to path: String, flushed: Bool = true) throws -> [CaptureEvent] {
        let writer = try CaptureWriter(
            path: path,
            settings: ["codec": "opus", "local_address": "7f000001", "local_ports": "5004,5005", "text": "a=b"],
            epochNanoseconds: 1_700_000_000_123_456_789)
        var events: [CaptureEvent] = []
        for number in 0..<40 {
            // Arrival and pulls are not in the order of their times: the media thread's order counts.
            let arrival = HostTime(nanoseconds: 1_000_000_007 * Int64(number + 1))
            let bytes = (0..<number).map { UInt8($0) } + [0x80]
            bytes.withUnsafeBytes {
                writer.add(
                    $0, time: arrival, isReceived: number % 2 == 0, source: number % 2 == 0 ? far : near,
                    destination: number % 2 == 0 ? near : far)
            }
            events.append(
                .datagram(
                    CapturedDatagram(
                        time: arrival, direction: number % 2 == 0 ? .received : .sent,
                        source: number % 2 == 0 ? far : near, destination: number % 2 == 0 ? near : far, bytes: bytes)))
            if number % 7 == 3 { try writer.flush() }
            guard number % 2 == 0 else { continue }
            for pull in 0..<5 {
                let time = HostTime(nanoseconds: arrival.nanoseconds - 300_000 + 1_000_003 * Int64(pull))
                writer.add(pull: time, samples: 240 + pull)
                events.append(.pull(time: time, samples: 240 + pull))
            }
            guard number % 4 == 0 else { continue }
            // Before the packet that comes next.
            writer.add(stop: arrival, milliseconds: 17.125)
            writer.add(pullsMoved: arrival, milliseconds: 1.5)
            writer.add(change: "gain=\(number)", time: arrival)
            events += [.stop(time: arrival, milliseconds: 17.125), .pullsMoved(time: arrival, milliseconds: 1.5)]
            events.append(.change(time: arrival, text: "gain=\(number)"))
        }
        if flushed { try writer.flush() }
        return events
    }

    @Test("gives back every packet and every pull in the order they happened, to the nanosecond")
    func roundTrip() throws {
        let file = TemporaryFile()
        let events = try write(to: file.path)
        let (read, end, reader) = try readAll(file.path)
        #expect(read == events && end == nil)
        #expect(reader.isOurs && reader.settings["codec"] == "opus" && reader.settings["text"] == "a=b")
        #expect(reader.skipped.other + reader.skipped.fragments + reader.skipped.cut == 0)
    }

    @Test("has headers that others can check: lengths, and the checksums of IP and UDP", arguments: [true, false])
    func headers(isV4: Bool) throws {
        let file = TemporaryFile()
        let address: [UInt8] = isV4 ? [192, 0, 2, 9] : [0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 7, count: 12)
        let writer = try CaptureWriter(path: file.path, settings: [:], epochNanoseconds: 0)
        for length in 0..<20 {
            let bytes = (0..<length).map { UInt8(200 + $0) }
            bytes.withUnsafeBytes {
                writer.add(
                    $0, time: .zero, isReceived: true, source: UDPEndpoint(address: address, port: 40_000),
                    destination: UDPEndpoint(address: address, port: 50_000))
            }
        }
        try writer.flush()
        func sum(_ bytes: some Collection<UInt8>) -> UInt32 {
            bytes.enumerated().reduce(0) { $0 + UInt32($1.element) << ($1.offset % 2 == 0 ? 8 : 0) }
        }
        func folded(_ sum: UInt32) -> UInt32 {
            let once = sum & 0xffff + sum >> 16
            return once & 0xffff + once >> 16
        }
        // Straight from the file's bytes: the enhanced packet blocks behind the head.
        let all = file.bytes
        var offset = 0
        var packets = 0
        while offset < all.count {
            func word(_ at: Int) -> Int { (0..<4).reduce(0) { $0 | Int(all[offset + at + $1]) << (8 * $1) } }
            if word(0) == 6 {
                let frame = all[(offset + 28)..<(offset + 28 + word(20))]
                let start = frame.startIndex + (isV4 ? 20 : 40)
                if isV4 { #expect(folded(sum(frame[..<start])) == 0xffff) }
                let addresses = frame[(frame.startIndex + (isV4 ? 12 : 8))..<start]
                let datagram = frame[start...]
                #expect(folded(sum(addresses) + 17 + UInt32(datagram.count) + sum(datagram)) == 0xffff)
                packets += 1
            }
            offset += word(4)
        }
        #expect(packets == 20)
        #expect(try readAll(file.path).events.count == 20)
    }

    @Test("cut anywhere, as a killed process leaves it, is good up to its last whole block")
    func killed() throws {
        let file = TemporaryFile()
        let events = try write(to: file.path)
        let whole = file.bytes
        var sizes: Set<Int> = []
        var previous = 0
        for length in stride(from: 200, to: whole.count, by: 3) {
            let cut = TemporaryFile(Array(whole[..<length]))
            let (read, _, _) = try readAll(cut.path)
            #expect(read == Array(events.prefix(read.count)), "\(length)")
            #expect(read.count >= previous)
            previous = read.count
            sizes.insert(read.count)
        }
        #expect(sizes.count > 40)
    }

    @Test("ends at the bytes it may have, and stays readable")
    func full() throws {
        let file = TemporaryFile()
        let writer = try CaptureWriter(path: file.path, settings: ["codec": "pcmu"], epochNanoseconds: 0, mostBytes: 8000)
        for number in 0..<100 {
            let time = HostTime(milliseconds: Double(number))
            [UInt8](repeating: UInt8(number), count: 1000).withUnsafeBytes {
                writer.add($0, time: time, isReceived: true, source: far, destination: near)
            }
            writer.add(pull: time, samples: 40)
            try writer.flush()
        }
        #expect(writer.isFull && writer.dropped == 0)
        #expect(file.bytes.count >= 8000 && file.bytes.count < 9200)
        let (events, end, _) = try readAll(file.path)
        #expect(end == nil && events.count >= 14 && events.count < 18)
    }

    @Test("with any bytes changed neither traps nor hangs", arguments: [1, 2] as [UInt64])
    func mutated(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let file = TemporaryFile()
        _ = try write(to: file.path)
        let whole = file.bytes
        var read = 0
        for _ in 0..<2000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...10, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            let mutant = TemporaryFile(bytes)
            if let result = try? readAll(mutant.path) { read += result.events.count }
        }
        #expect(read > 20_000, "seed \(seed)")
    }

    @Test("that nobody may write, or that finds no room, says so once")
    func disk() throws {
        do {
            _ = try CaptureWriter(path: "/nowhere/call.pcapng", settings: [:], epochNanoseconds: 0)
            Issue.record("a file was made in a folder that is not there")
        } catch {
            guard case .unwritable("/nowhere/call.pcapng", let reason) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(!reason.isEmpty)
        }
        #expect(throws: CaptureError.self) {
            try CaptureWriter(path: "/dev/full", settings: [:], epochNanoseconds: 0)
        }
    }
}

@Suite("A capture into a pipe") struct CapturePipeTests {
    private let near = UDPEndpoint(address: [127, 0, 0, 1], port: 5004)

    private func add(_ count: Int, to writer: CaptureWriter) {
        for number in 0..<count {
            [UInt8](repeating: 0x80, count: 1000).withUnsafeBytes {
                writer.add($0, time: HostTime(milliseconds: Double(number)), isReceived: true, source: near, destination: near)
            }
            writer.add(pull: HostTime(milliseconds: Double(number)), samples: 240)
        }
    }

    @Test("whose reader stalls holds a bounded number of bytes, drops whole records, and goes on when it is read")
    func stalls() throws {
        let path = "/tmp/yodel-pipe-\(getpid())"
        #expect(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        defer {
            close(reader)
            unlink(path)
        }
        let writer = try CaptureWriter(path: path, settings: ["codec": "pcmu"], epochNanoseconds: 0)
        for _ in 0..<100 {
            add(100, to: writer)
            try writer.flush()
        }
        #expect(writer.waiting <= CaptureWriter.mostWaiting + 4096 && writer.dropped > 15_000)
        // Now it reads.
        let copy = TemporaryFile()
        let file = open(copy.path, O_WRONLY | O_APPEND)
        defer { close(file) }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while writer.waiting > 0 {
            let count = read(reader, &chunk, chunk.count)
            if count > 0 { #expect(write(file, chunk, count) == count) }
            try writer.flush()
        }
        while case let count = read(reader, &chunk, chunk.count), count > 0 { #expect(write(file, chunk, count) == count) }
        let (events, end, _) = try readAll(copy.path)
        #expect(end == nil && events.count + writer.dropped == 20_000, "\(events.count) \(writer.dropped)")
    }

    @Test("that nobody reads any more ends with a reason within its time") func stalledEnd() throws {
        let path = "/tmp/yodel-pipe-end-\(getpid())"
        #expect(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        defer {
            close(reader)
            unlink(path)
        }
        let writer = try CaptureWriter(path: path, settings: [:], epochNanoseconds: 0)
        add(200, to: writer)
        #expect(throws: CaptureError.unwritable(path: path, reason: "its reader takes no more")) {
            try writer.finish(withinMilliseconds: 50)
        }
        #expect(writer.waiting == 0)
    }

    @Test("that nobody has opened is refused") func unopened() throws {
        let path = "/tmp/yodel-pipe-none-\(getpid())"
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        #expect(throws: CaptureError.unwritable(path: path, reason: "nobody reads this pipe yet")) {
            _ = try CaptureWriter(path: path, settings: [:], epochNanoseconds: 0)
        }
    }
}
