import Glibc
import RTP
import Realtime
import Testing

/// Half a million mutated RTP and as many RTCP datagrams. It runs in a process of its own, so that a trap is a failed
/// test and the memory measured is this test's alone.
@Suite struct MutationFuzzTests {
    @Test func aMillionMutatedDatagramsNeitherTrapNorGrowMemory() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let seed = getenv("YODEL_SEED").flatMap { UInt64(String(cString: $0)) } ?? 20_240_607
            var fuzzer = Fuzzer(seed: seed)
            fuzzer.run(datagrams: 100_000)
            let before = residentBytes()
            fuzzer.run(datagrams: 1_000_000)
            let growth = residentBytes() - before
            print("seed \(seed): \(fuzzer.summary), RSS grew by \(growth / 1024) KiB")
            // A sanitizer keeps what is freed in quarantine: its memory says nothing about ours.
            #expect(growth < 2 << 20 || getenv("YODEL_SANITIZER") != nil)
            #expect(fuzzer.media > 50_000, "mutants that stay RTP reach the media path")
            #expect(fuzzer.copies > 5_000, "and some of their copies")
            #expect(fuzzer.events > 50_000, "mutants that stay RTCP reach the session")
            fflush(nil)
        }
        if let output = result?.standardOutputContent {
            print(String(decoding: output, as: UTF8.self), terminator: "")
        }
    }
}

/// Resident memory of this process.
private func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 128)
    guard fgets(&text, 128, file) != nil, let space = strchr(text, 32) else { return 0 }
    return atol(space) * sysconf(Int32(_SC_PAGESIZE))
}

/// Feeds mutants of well-formed packets to a receiver and an RTCP session, in virtual time.
private struct Fuzzer {
    private var random: SplitMix64
    private var receiver: RTPReceiver
    private var session: RTCPSession
    private var now = HostTime.zero
    private var sequence: UInt16 = 0
    private var buffer = [UInt8](repeating: 0, count: 2048)
    private let compounds: [[UInt8]]
    private(set) var media = 0
    private(set) var copies = 0
    private(set) var digits = 0
    private(set) var dropped = 0
    private(set) var events = 0
    private(set) var runs = 0
    private(set) var malformed = 0

    var summary: String {
        "\(media) media, \(copies) copies, \(digits) digits, \(dropped) RTP drops, \(events) RTCP events, \(malformed) malformed"
    }

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        receiver = RTPReceiver(
            payloadTypes: PayloadTypeTable(audio: 0, telephoneEvent: 101, comfortNoise: 13, redundancy: 121), clockRate: 8000)
        receiver.levelNumber = 1
        session = RTCPSession(ssrc: 7, cname: "fuzz", seed: seed, now: .zero)
        compounds = RTCPCompoundTests.cases.map(\.bytes).filter { !$0.isEmpty }
    }

    mutating func run(datagrams: Int) {
        for step in 0..<datagrams {
            now = now.advanced(byMilliseconds: 10)
            let length = step % 2 == 0 ? fillRTP() : fillRTCP()
            let mutated = mutate(length)
            if step % 2 == 0 { receiveRTP(mutated) } else { receiveRTCP(mutated) }
        }
    }

    /// A number from 0 to below `limit`.
    private mutating func draw(_ limit: Int) -> Int { Int(((random.next() >> 32) &* UInt64(limit)) >> 32) }

    private mutating func fillRTP() -> Int {
        sequence &+= 1
        let isEvent = draw(10) == 0
        let isRedundant = !isEvent && draw(4) == 0
        var header = RTPHeader(
            marker: draw(50) == 0, payloadType: isEvent ? 101 : isRedundant ? 121 : 0, sequence: sequence,
            timestamp: UInt32(sequence) &* 160, ssrc: UInt32(1 + draw(2_000) / 1_999))
        if isEvent { header.timestamp = header.timestamp / 1280 * 1280 }
        let count = isEvent ? 4 : 20 + draw(160)
        let start = buffer.withUnsafeMutableBytes { header.write(into: $0) }
        for index in 0..<count { buffer[start + index] = UInt8(truncatingIfNeeded: random.next()) }
        if isEvent { buffer[start] &= 15 }
        if isRedundant {
            // One copy of 10 bytes, 320 units old, in front of a primary block of what follows.
            for (index, byte) in [0x80, 5, 0, 10, 0].enumerated() { buffer[start + index] = UInt8(byte) }
        }
        return start + count
    }

    private mutating func fillRTCP() -> Int {
        let compound = compounds[draw(compounds.count)]
        for (index, byte) in compound.enumerated() { buffer[index] = byte }
        return compound.count
    }

    /// Up to four mutations: bits, bytes, interesting values, cuts, growth, copies within the datagram. A quarter of
    /// the datagrams stays whole, so that the state behind the parsers moves on too.
    private mutating func mutate(_ count: Int) -> Int {
        var count = count
        let mutations = draw(4)
        for _ in 0..<mutations {
            guard count > 0 else { return 0 }
            switch draw(7) {
            case 0: buffer[draw(count)] ^= 1 << UInt8(draw(8))
            case 1: buffer[draw(count)] = UInt8(draw(256))
            case 2: buffer[draw(min(count, 16))] = [0, 1, 0x7f, 0x80, 0xff, 0xc8, 0xca, 0xcc][draw(8)]
            case 3: count = draw(count + 1)
            case 4:
                let growth = draw(min(64, buffer.count - count))
                for index in count..<count + growth { buffer[index] = UInt8(draw(256)) }
                count += growth
            case 5:
                let length = draw(min(count, 32))
                let from = draw(count - length + 1)
                let to = draw(count - length + 1)
                for index in 0..<length { buffer[to + index] = buffer[from + index] }
            default: buffer[draw(min(count, 4))] = UInt8(draw(256))
            }
        }
        return count
    }

    private mutating func receiveRTP(_ count: Int) {
        buffer.withUnsafeBytes { bytes in
            switch receiver.receive(UnsafeRawBufferPointer(rebasing: bytes[..<count]), arrival: now) {
            case .media(let packet):
                media += 1
                packet.forEachCopy { copies += $0.payload.count > 0 ? 1 : 0 }
                if packet.isNewSource { receiver.deliverHeldPacket { _ in media += 1 } }
            case .dropped: dropped += 1
            default: break
            }
        }
        while receiver.nextTelephoneEvent(now: now) != nil { digits += 1 }
    }

    private mutating func receiveRTCP(_ count: Int) {
        let seen = buffer.withUnsafeBytes {
            session.receive(UnsafeRawBufferPointer(rebasing: $0[..<count]), arrival: now)
        }
        for event in seen {
            switch event {
            case .malformed: malformed += 1
            case .application(let packet):
                _ = DelayLedgerMessage(packet)
                events += 1
            case .extendedReport(_, .lossRLE(_, _, let interval)):
                runs += interval.lossRuns.packets
                events += 1
            default: events += 1
            }
        }
        guard session.isReportDue(now: now) else { return }
        let ntp = NTPTime(unixNanoseconds: now.nanoseconds)
        _ = session.makeReport(
            now: now, ntp: ntp, sender: SenderInfo(rtpTimestamp: 0, packets: 0, octets: 0),
            reports: receiver.makeReportBlocks(), extended: receiver.makeExtendedReport()?.blocks ?? [])
    }
}
