import JitterBuffer
import Realtime
import Testing

@Suite struct ReceivedStreamTests {
    private func stream(newest: Int64 = 10) -> ReceivedStream {
        let axis = StreamAxis(
            clockRate: 8000, sampleRate: 8000, hostEpoch: HostTime(milliseconds: 0), timestamp: 0,
            arrival: HostTime(milliseconds: 0), delay: 0)
        var stream = ReceivedStream(axis: axis)
        stream.note(LevelPacket.stored(newest))
        return stream
    }

    /// - Parameter at: arrival in milliseconds.
    private func jump(
        _ sequence: Int64, timestamp: Int64, at: Double, marker: Bool = false, overdue: OverdueStream = OverdueStream(),
        heldUp: Double = 0
    ) -> ResetReason? {
        LevelPacket.payload().withUnsafeBytes { payload in
            stream().jump(
                of: BufferedPacket(
                    extendedSequence: sequence, extendedTimestamp: timestamp, marker: marker,
                    arrival: HostTime(milliseconds: at), payload: payload), duration: 160, floor: 0, overdue: overdue,
                heldUp: heldUp)
        }
    }

    @Test("Loss, disorder and pauses belong to the stream")
    func belongs() {
        #expect(jump(11, timestamp: 1760, at: 220) == nil)
        #expect(jump(60, timestamp: 9600, at: 1200) == nil)
        #expect(jump(9, timestamp: 1440, at: 220) == nil)
        // A pause of a minute takes a minute.
        #expect(jump(11, timestamp: 480_000, at: 60_000) == nil)
    }

    @Test("Jumps of number and timestamp do not")
    func jumps() {
        #expect(jump(11 + 3000, timestamp: 1760, at: 220) == .sequenceJump)
        #expect(jump(11, timestamp: 480_000, at: 220) == .timestampJump)
        #expect(jump(11, timestamp: 0, at: 220) == .timestampJump)
        #expect(jump(11, timestamp: 1 << 40, at: 220) == .timestampJump)
    }

    @Test("A talkspurt that comes more than a second late has a timestamp that stood still, unless we held it up")
    func stoodStill() {
        #expect(jump(11, timestamp: 1760, at: 3220, marker: true) == .timestampJump)
        #expect(jump(12, timestamp: 1920, at: 3220, marker: true) == .timestampJump, "the one before it may be lost")
        #expect(jump(11, timestamp: 1760, at: 3220) == nil)
        #expect(jump(11, timestamp: 1760, at: 1200, marker: true) == nil)
        #expect(jump(11, timestamp: 1760, at: 3220, marker: true, heldUp: 3000) == nil)
        // A pause that the timestamps tell.
        #expect(jump(11, timestamp: 25_760, at: 3220, marker: true) == nil)
    }

    @Test("A stream of which nothing was in time for a second is another delay's")
    func overdue() {
        var late = OverdueStream()
        late.noteLate(arrival: 100)
        #expect(jump(11, timestamp: 1760, at: 1000, overdue: late) == nil)
        #expect(jump(11, timestamp: 1760, at: 1100, overdue: late) == .delayJump)
        late.notePlayed()
        #expect(jump(11, timestamp: 1760, at: 1100, overdue: late) == nil)
    }

    @Test("A copy is numbered by its timestamp, and repeats nothing that is to come")
    func copies() {
        func place(_ timestamp: Int64, carrier: Int64 = 10) -> Int64? {
            LevelPacket.payload().withUnsafeBytes { payload in
                stream().place(
                    ofCopy: BufferedPacket(
                        extendedSequence: carrier, extendedTimestamp: timestamp, isCopy: true,
                        arrival: HostTime(milliseconds: 200), payload: payload))?.sequence
            }
        }
        #expect(place(1440) == 9)
        #expect(place(1280) == 8)
        #expect(place(1600) == nil)
        #expect(place(1440, carrier: 9) == nil)
    }
}
