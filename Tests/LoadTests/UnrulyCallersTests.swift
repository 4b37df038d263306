import Codecs
import Link
import LiveMedia
import Media
import RTP
import Realtime
import Testing

/// Callers of whom each packet is given, in PCMU of 20 ms, and what is sent to them.
private final class ScriptedCallers: PacketPort {
    let hasControlPort = true
    private(set) var statistics = LinkStatistics()
    /// Media packets that each was sent, by his number.
    private(set) var heard: [Int: Int] = [:]
    /// Goodbyes that each was sent.
    private(set) var goodbyes: [Int: Int] = [:]
    private var waiting: [(caller: Int, bytes: [UInt8], isControl: Bool)] = []
    private var sequences: [Int: UInt16] = [:]

    private func source(_ caller: Int) -> UInt32 { 1000 + UInt32(caller) }

    /// Has a caller send so many packets at once, each the next of his stream.
    func say(_ caller: Int, packets: Int = 1) {
        for _ in 0..<packets {
            let sequence = sequences[caller, default: 0]
            sequences[caller] = sequence &+ 1
            var bytes = [UInt8](repeating: 0xff, count: 172)
            let header = RTPHeader(
                payloadType: 0, sequence: sequence, timestamp: UInt32(sequence) &* 160, ssrc: source(caller))
            _ = bytes.withUnsafeMutableBytes { header.write(into: $0) }
            waiting.append((caller, bytes, false))
        }
    }

    /// Has a caller report what he hears.
    func report(_ caller: Int) {
        var bytes: [UInt8] = []
        RTCPPacket.receiverReport(ssrc: source(caller), reports: []).append(to: &bytes)
        waiting.append((caller, bytes, true))
    }

    /// Has a caller hang up.
    func hangUp(_ caller: Int) {
        var bytes: [UInt8] = []
        RTCPPacket.receiverReport(ssrc: source(caller), reports: []).append(to: &bytes)
        RTCPPacket.bye(ssrcs: [source(caller)], reason: nil).append(to: &bytes)
        waiting.append((caller, bytes, true))
    }

    func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        for (caller, bytes, isControl) in waiting {
            var bytes = bytes
            statistics.received += 1
            bytes.withUnsafeMutableBytes { bytes in
                var packet = ReceivedPacket(
                    bytes, arrival: now,
                    source: SocketAddress(
                        IPAddress(v4: 0x0a00_0000 | UInt32(caller)), port: isControl ? 40_001 : 40_000),
                    isOnControlPort: isControl)
                deliver(&packet)
            }
        }
        waiting = []
    }

    func send(_ bytes: UnsafeRawBufferPointer, on flow: PacketFlow, to address: SocketAddress) {
        let caller = Int(address.address.bits & 0xffff)
        if flow == .media { heard[caller, default: 0] += 1 }
        guard flow == .control, let packets = try? RTCPCompound.parse(bytes) else { return }
        for case .bye in packets { goodbyes[caller, default: 0] += 1 }
    }

    func flush() {}
}

@Suite("Callers who do as they please") struct UnrulyCallersTests {
    private static let unruly = 0
    private static let orderly = 1...20

    /// What became of a call.
    private struct End {
        let reason: EndReason
        let packets: Int?
        let lost: Int?
    }

    private func ends(_ events: [PortEvent]) -> [End] {
        events.compactMap { event in
            guard case .ended(let reason, _, let figures) = event.body else { return nil }
            return End(reason: reason, packets: figures.packetsReceived, lost: figures.packetsLost)
        }
    }

    private func open(_ callers: ScriptedCallers, _ time: VirtualTime, parties: Int) throws -> PortTurns {
        var configuration = CallConfiguration(codec: .pcmu, seed: 1)
        configuration.echoes = true
        configuration.policy.waitsForCaller = true
        return try PortTurns(
            PortPlan(configuration: configuration, parties: parties, sound: .echo), port: callers, clock: time.clock)
    }

    /// Lets 20 ms pass.
    private func pass(_ turns: inout PortTurns, _ time: VirtualTime) {
        for _ in 0..<4 {
            time.pass(milliseconds: 5)
            turns.turn()
            turns.lookAfter()
        }
    }

    @Test("one who sends at double speed, or 10,000 packets a second, hurts nobody else", arguments: [2, 200])
    func tooMany(packetsAtOnce: Int) throws {
        let (callers, time) = (ScriptedCallers(), VirtualTime())
        var turns = try open(callers, time, parties: 64)
        for _ in 0..<250 {
            callers.say(Self.unruly, packets: packetsAtOnce)
            for caller in Self.orderly { callers.say(caller) }
            pass(&turns, time)
        }
        #expect(turns.latestFigures.calls == Self.orderly.count + 1)
        for caller in Self.orderly { #expect(callers.heard[caller, default: 0] >= 240, "caller \(caller)") }
        // Who sends more than can be heard is not sent more.
        #expect(callers.heard[Self.unruly, default: 0] <= 251)
        turns.finish(.localHangup)
        let ended = ends(turns.takeEvents())
        #expect(ended.count == Self.orderly.count + 1)
        let well = ended.filter { $0.packets == 250 && ($0.lost ?? 0) == 0 }
        #expect(well.count == Self.orderly.count, "\(ended)")
    }

    @Test("a flood is looked at in each slot, also where nobody has a turn, and only as long as it lasts")
    func looksOften() throws {
        let (callers, time) = (ScriptedCallers(), VirtualTime())
        var turns = try open(callers, time, parties: 64)
        var most: [Double] = []
        for packets in [1, 200, 1] {
            var waits: [Double] = []
            for _ in 0..<50 {
                callers.say(Self.unruly, packets: packets)
                let now = time.now
                while time.now.milliseconds(since: now) < 20 {
                    if packets > 1 { callers.say(Self.unruly, packets: packets) }
                    turns.turn()
                    let wait = turns.nextTurn?.milliseconds(since: time.now) ?? 5
                    waits.append(wait)
                    time.pass(milliseconds: max(1, Int64(wait.rounded())))
                }
            }
            most.append(try #require(waits.dropFirst(20).max()))
        }
        #expect(most[0] > 15 && most[1] <= 5 && most[2] > 15, "\(most)")
    }

    @Test("who is turned away is told so when his RTCP comes, and hears nothing else; who is not has no goodbye")
    func turnedAway() throws {
        let (callers, time) = (ScriptedCallers(), VirtualTime())
        var turns = try open(callers, time, parties: 2)
        for _ in 0..<20 {
            for caller in 0..<4 { callers.say(caller) }
            pass(&turns, time)
        }
        for caller in 0..<4 { callers.report(caller) }
        pass(&turns, time)
        #expect(callers.goodbyes == [2: 1, 3: 1] && callers.heard[2] == nil && callers.heard[3] == nil)
        #expect(turns.statistics.count == 2)
    }

    @Test("300 who hang up in the same millisecond each have their report, and leave an empty port")
    func together() throws {
        let (callers, time) = (ScriptedCallers(), VirtualTime())
        var turns = try open(callers, time, parties: 300)
        for _ in 0..<50 {
            for caller in 0..<300 { callers.say(caller) }
            pass(&turns, time)
        }
        #expect(turns.statistics.count == 300)
        for caller in 0..<300 { callers.hangUp(caller) }
        for _ in 0..<150 { pass(&turns, time) }
        let ended = ends(turns.takeEvents())
        #expect(ended.count == 300 && ended.allSatisfy { $0.reason == .remoteHangup && $0.packets == 50 })
        #expect(turns.latestFigures.calls == 0 && turns.nextTurn == nil)
    }

    @Test("one who falls silent without a word is let go after half a minute, and the others go on")
    func silent() throws {
        let (callers, time) = (ScriptedCallers(), VirtualTime())
        var turns = try open(callers, time, parties: 64)
        for packet in 0..<1800 {
            if packet < 100 { callers.say(Self.unruly) }
            for caller in 1...3 { callers.say(caller) }
            pass(&turns, time)
        }
        let ended = ends(turns.takeEvents())
        #expect(ended.count == 1 && ended.first?.reason == .mediaTimeout && ended.first?.packets == 100)
        #expect(turns.latestFigures.calls == 3)
    }

    @Test("who shows some packets and falls silent is sent to for 2 s at most, and keeps nobody's place", arguments: [2, 24])
    func brief(packets: Int) throws {
        let (callers, time) = (ScriptedCallers(), VirtualTime())
        var turns = try open(callers, time, parties: 1)
        for turn in 0..<500 {
            if turn < packets { callers.say(Self.unruly) }
            if turn >= packets + 100 { callers.say(1) }
            pass(&turns, time)
        }
        #expect(callers.heard[Self.unruly, default: 0] <= packets + 100)
        #expect(ends(turns.takeEvents()).map(\.reason) == [.mediaTimeout] && turns.latestFigures.calls == 1)
        #expect(callers.heard[1, default: 0] >= 380 - packets)
    }

    @Test("one who goes on after he was hung up on does not call again")
    func deaf() throws {
        let (callers, time) = (ScriptedCallers(), VirtualTime())
        var turns = try open(callers, time, parties: 64)
        for _ in 0..<100 {
            callers.say(Self.unruly)
            pass(&turns, time)
        }
        turns.finish(.localHangup)
        for _ in 0..<100 {
            callers.say(Self.unruly)
            pass(&turns, time)
        }
        #expect(turns.latestFigures.callsInAll == 1 && turns.latestFigures.calls == 0)
        #expect(ends(turns.takeEvents()).count == 1)
    }
}
