import JitterBuffer
import Realtime
import Testing

@Suite struct DecisionLogicTests {
    /// A line without jitter, packets of 20 ms, blocks of 10 ms; once 3000 are heard the target is 3 ms.
    private func logic(
        start: Double? = 0, pullStart: Int64 = 0, wanted: Int = 80, packets: Int = 3000,
        tuning: DecisionTuning = DecisionTuning()
    ) -> DecisionLogic {
        let axis = StreamAxis(
            clockRate: 8000, sampleRate: 8000, hostEpoch: HostTime(milliseconds: 0), timestamp: 0,
            arrival: HostTime(milliseconds: 0), delay: 0)
        var delays = DelayManager()
        for sequence in 0..<packets {
            delays.learn(from: LevelPacket.stored(Int64(sequence)), axis: axis, concealsItself: false)
        }
        let pull = Pull(
            wanted: wanted, start: pullStart, packets: PacketBuffer(slotBytes: 1), record: PlayoutRecord())
        return DecisionLogic(axis: axis, start: start, delays: delays, pull: pull, tuning: tuning)
    }

    @Test("A stream starts at the target once the line is known, and later before")
    func start() {
        let packet = LevelPacket.stored(100)
        func isDue(start: Double? = 0, at pullStart: Int64, packets: Int = 3000) -> Bool {
            logic(start: start, pullStart: pullStart, packets: packets).isDue(packet)
        }
        #expect(!isDue(at: 16_000) && isDue(at: 16_000 + 40))
        #expect(!isDue(at: 16_000 + 40, packets: 10) && isDue(at: 16_000 + 80, packets: 10))
        #expect(!isDue(start: nil, at: 100_000) && !isDue(at: 100_000, packets: 0))
    }

    @Test("Sound is stretched by whole places of packets in blocks, and only when the delay is wrong enough to matter")
    func stretch() {
        let packet = LevelPacket.stored(100)
        // Due at its target: nothing to do. 50 ms above: all whole blocks that lie above it.
        func stretch(start: Double? = 0, at place: Int64) -> DecisionLogic.Stretch {
            logic(start: start, pullStart: place).stretch(for: packet, endOfQueue: place)
        }
        #expect(stretch(at: 16_000 + 40) == .none)
        #expect(stretch(at: 16_000 + 400) == .by(320))
        #expect(stretch(start: nil, at: 0) == .unknown)
        // Below the target sound is lengthened.
        #expect(stretch(at: 16_000 - 160) == .by(-240))
        // No stream is wrong by 20 s.
        #expect(stretch(at: 176_000) == .none)
    }

    @Test("A missing packet is concealed step by step; a pause of the sender lasts until the target")
    func gaps() {
        var cursor = PlayoutCursor()
        cursor.position = 16_000
        cursor.sequence = 99
        cursor.duration = 160
        let lost = logic(pullStart: 16_040).decide(
            LevelPacket.stored(101), cursor: cursor, gap: Gap(), endOfQueue: 16_040)
        #expect(lost.step == .conceal(10) && !lost.isPause && !lost.mayRestart && lost.position == 16_160)
        let paused = logic(pullStart: 16_040).decide(
            LevelPacket.stored(100, position: 16_160), cursor: cursor, gap: Gap(), endOfQueue: 16_040)
        #expect(paused.isPause && paused.mayRestart && paused.step == .conceal(10))
        let due = logic(pullStart: 16_240).decide(
            LevelPacket.stored(100, position: 16_160), cursor: cursor, gap: Gap(), endOfQueue: 16_240)
        #expect(due.step == .resume(skip: 0))
    }

    @Test("In-band FEC is played from where it begins")
    func fec() {
        var cursor = PlayoutCursor()
        cursor.position = 16_000
        cursor.sequence = 99
        cursor.duration = 160
        let decision = logic(pullStart: 16_040).decide(
            LevelPacket.stored(101, carriesFEC: true), cursor: cursor, gap: Gap(), endOfQueue: 16_040)
        #expect(decision.position == 16_000 && decision.step == .resume(skip: 0))
    }

    @Test("After a standstill a packet that is late by its own length is missed, but for what a pause may take back")
    func missed() {
        var cursor = PlayoutCursor()
        cursor.position = 16_000
        let packet = LevelPacket.stored(100)
        func isMissed(start: Double?, stall: Double) -> Bool {
            logic(start: start).isMissed(packet, cursor: cursor, endOfQueue: 16_000, stall: stall)
        }
        #expect(isMissed(start: 200, stall: 200))
        #expect(!isMissed(start: 15, stall: 15) && !isMissed(start: nil, stall: 200))
    }

    @Test("A sweep changes what is decided without an edit of the source")
    func sweep() throws {
        var cursor = PlayoutCursor()
        cursor.position = 16_000
        cursor.sequence = 98
        var gap = Gap()
        gap.concealed = 240
        gap.elapsed = 240
        gap.emptied = 240
        func step(_ tuning: DecisionTuning) -> GapStep {
            logic(pullStart: 16_240, tuning: tuning).decide(
                LevelPacket.stored(100), cursor: cursor, gap: gap, endOfQueue: 16_240
            ).step
        }
        var tuning = DecisionTuning()
        #expect(step(tuning) == .resume(skip: 0))
        try tuning.set("nearMiss", to: 0)
        try tuning.set("roomAfterLongMiss", to: 0)
        #expect(step(tuning) != .resume(skip: 0))
    }
}
