import Codecs
import Glibc
import Link
import LiveMedia
import Media
import RTP
import Realtime
import Testing

/// Those who call a conference and say how loud they are (RFC 6464), in virtual time: a tone or silence each, in L16 of 16 kHz.
private final class Claimants: PacketPort {
    struct Claimant {
        /// Amplitude of his tone.
        var amplitude: Double
        /// What he says of it, in decibels below full scale.
        var claims: UInt8
    }

    static let (claimed, told): (UInt8, UInt8) = (1, 2)
    /// SSRC of the first; the others' follow.
    static let firstSource: UInt32 = 100
    private static let frame = 320

    let hasControlPort = true
    private(set) var statistics = LinkStatistics()
    /// What each was sent, oldest first.
    private(set) var heard: [[[UInt8]]]
    private let claimants: [Claimant]
    private var next = HostTime.zero
    private var sequence: UInt16 = 0

    init(_ claimants: [Claimant]) {
        self.claimants = claimants
        heard = [[[UInt8]]](repeating: [], count: claimants.count)
    }

    func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        while next <= now {
            for index in claimants.indices { speak(index, at: now, deliver) }
            sequence += 1
            next = next.advanced(byMilliseconds: 20)
        }
    }

    private func speak(_ index: Int, at now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        let header = RTPHeader(
            payloadType: Codec.l16.defaultPayloadType, sequence: sequence, timestamp: UInt32(sequence) * UInt32(Self.frame),
            ssrc: Self.firstSource + UInt32(index))
        let item = RTPHeaderExtension(profile: 0xbede, data: [Self.claimed << 4, claimants[index].claims])
        var bytes = [UInt8](repeating: 0, count: 1024)
        var length = bytes.withUnsafeMutableBytes { header.write(into: $0, headerExtension: item) }
        for sample in 0..<Self.frame {
            // A whole number of turns in a packet.
            let value = claimants[index].amplitude * sin(2 * Double.pi * 8 * Double(sample) / Double(Self.frame))
            let word = UInt16(bitPattern: Int16(value * 32767))
            (bytes[length], bytes[length + 1]) = (UInt8(word >> 8), UInt8(word & 0xff))
            length += 2
        }
        statistics.received += 1
        bytes.withUnsafeMutableBytes { buffer in
            var packet = ReceivedPacket(
                UnsafeMutableRawBufferPointer(rebasing: buffer[..<length]), arrival: now,
                source: SocketAddress(IPAddress(v4: 0x0a00_0000 | UInt32(index)), port: 40_000))
            deliver(&packet)
        }
    }

    func send(_ bytes: UnsafeRawBufferPointer, on flow: PacketFlow, to address: SocketAddress) {
        guard flow == .media else { return }
        heard[Int(address.address.bits & 0xff)].append(Array(bytes))
    }

    func flush() {}

    /// What one was sent last: loudest sample, who is heard in it, and how loud they are, in decibels below full scale.
    func last(_ index: Int) throws -> (peak: Int, sources: [UInt32], levels: [UInt8]) {
        let bytes = try #require(heard[index].last)
        return try bytes.withUnsafeBytes { bytes in
            let packet = try RTPPacket(parsing: bytes)
            let sources = (0..<packet.csrcCount).compactMap { packet.csrc($0) }
            guard case .found(let levels) = HeaderExtensionItem(Self.told, in: packet) else {
                return (Self.peak(packet.payload), sources, [])
            }
            return (Self.peak(packet.payload), sources, Array(levels))
        }
    }

    /// The loudest sample of several packets that one was sent.
    func peak(_ index: Int, _ packets: Range<Int>) throws -> Int {
        try heard[index][packets].reduce(0) { loudest, bytes in
            max(loudest, try bytes.withUnsafeBytes { Self.peak(try RTPPacket(parsing: $0).payload) })
        }
    }

    private static func peak(_ payload: UnsafeRawBufferPointer) -> Int {
        stride(from: 0, to: payload.count - 1, by: 2).reduce(0) { loudest, offset in
            let word = UInt16(payload[offset]) << 8 | UInt16(payload[offset + 1])
            return max(loudest, abs(Int(Int16(bitPattern: word))))
        }
    }
}

@Suite("A conference at a port, of callers who say how loud they are") struct PortLevelsTests {
    /// Lets them talk for so many seconds.
    private func talk(_ claimants: Claimants, seconds: Int, tells: Bool = true) throws {
        var configuration = CallConfiguration(codec: .l16, seed: 1)
        configuration.stream.levels = LevelNumbers(received: Claimants.claimed, sent: tells ? Claimants.told : nil)
        configuration.policy.waitsForCaller = true
        let time = VirtualTime()
        var turns = try PortTurns(
            PortPlan(configuration: configuration, parties: 16, sound: .conference), port: claimants, clock: time.clock)
        for _ in 0..<seconds * 200 {
            time.pass(milliseconds: 5)
            turns.turn()
            turns.lookAfter()
        }
        #expect(turns.latestFigures.calls == claimants.heard.count)
    }

    @Test("each is told who is heard, and how loud, but of himself nothing")
    func told() throws {
        // 0.2 of full scale is -17 dBov.
        let claimants = Claimants([.init(amplitude: 0.2, claims: 17)] + (0..<2).map { _ in .init(amplitude: 0, claims: 127) })
        try talk(claimants, seconds: 3)
        for listener in 1...2 {
            let (peak, sources, levels) = try claimants.last(listener)
            #expect(peak > 6000 && sources == [Claimants.firstSource])
            #expect(levels.count == 1 && levels.allSatisfy { (16...18).contains($0) }, "\(levels)")
        }
        let own = try claimants.last(0)
        #expect(own.peak == 0 && own.sources.isEmpty && own.levels.isEmpty)
    }

    @Test("where nobody wants to know it, nothing is told")
    func notTold() throws {
        let claimants = Claimants([.init(amplitude: 0.2, claims: 17), .init(amplitude: 0, claims: 127)])
        try talk(claimants, seconds: 2, tells: false)
        let (peak, sources, levels) = try claimants.last(1)
        #expect(peak > 6000 && sources.isEmpty && levels.isEmpty)
    }

    @Test("who claims silence is not heard, until it is found out that he speaks")
    func liar() throws {
        let silent = (0..<11).map { _ in Claimants.Claimant(amplitude: 0, claims: 127) }
        let claimants = Claimants(silent + [.init(amplitude: 0.2, claims: 127)])
        try talk(claimants, seconds: 6)
        // From 0.2 s to 0.9 s, and at the end.
        #expect(try claimants.peak(0, 10..<45) == 0)
        let (peak, sources, _) = try claimants.last(0)
        #expect(peak > 6000 && sources == [Claimants.firstSource + 11])
    }

    @Test("of many who speak the loudest are heard")
    func many() throws {
        // Every other one whispers; all say the truth.
        let claimants = Claimants(
            (0..<16).map { $0 % 2 == 0 ? .init(amplitude: 0.05, claims: 29) : .init(amplitude: 0.01, claims: 43) })
        try talk(claimants, seconds: 3)
        let (_, sources, levels) = try claimants.last(1)
        #expect(sources == stride(from: 0, to: 16, by: 2).map { Claimants.firstSource + UInt32($0) }, "\(sources)")
        #expect(levels.allSatisfy { (28...30).contains($0) }, "\(levels)")
    }
}
