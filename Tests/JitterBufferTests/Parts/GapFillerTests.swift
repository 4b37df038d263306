import JitterBuffer
import Testing

@Suite struct GapFillerTests {
    private static let frame = 160

    /// A filler with a queue that holds 100 ms of a tone.
    private final class Rig {
        let codec = LevelDecoder()
        let decoder: StreamDecoder
        let queue = PlayoutQueue(historyLength: 400, room: 4000)
        var filler = GapFiller(sampleRate: 8000, frame: GapFillerTests.frame, seed: 1)
        let record = PlayoutRecord()

        init(_ signal: (Double) -> Float = Signal.tone(200)) {
            decoder = StreamDecoder(codec: codec, frame: GapFillerTests.frame)
            let past = (0..<800).map { signal(Double($0) / 8000) }
            past.withUnsafeBufferPointer { queue.append($0.baseAddress!, count: 800) }
        }

        func fill(
            _ count: Int, isEmpty: Bool = true, isInSilence: Bool = false, isInPause: Bool = false, isUnsent: Bool = false
        ) -> PlayoutReason {
            filler.fill(
                count, .init(isEmpty: isEmpty, isInSilence: isInSilence, isInPause: isInPause, isUnsent: isUnsent),
                by: decoder, into: queue, record)
        }

        var gap: Gap { filler.gap }

        func tail(_ count: Int) -> [Float] { Array(UnsafeBufferPointer(start: queue.tail(count), count: count)) }
    }

    @Test("A short gap is concealed, a longer one counts as long from 60 ms on; each gap counts once")
    func lengths() {
        let rig = Rig()
        let reasons = (0..<10).map { _ in rig.fill(80) }
        #expect(reasons.prefix(6).allSatisfy { $0 == .concealShort })
        #expect(reasons.suffix(4).allSatisfy { $0 == .concealLong })
        #expect(rig.gap.concealed == 800 && rig.gap.emptied == 800)
        #expect(rig.record.statistics.concealments == 1 && rig.record.statistics.longConcealments == 1)
        #expect(rig.record.statistics.concealShortMs == 60 && rig.record.statistics.concealLongMs == 40)
        #expect(rig.record.statistics.underruns == 1)
    }

    @Test("A tone goes on in its own phase, and fades in the end")
    func tone() {
        let rig = Rig()
        _ = rig.fill(160)
        for (index, sample) in rig.tail(160).enumerated() {
            #expect(abs(sample - Signal.tone(200)(Double(800 + index) / 8000)) < 0.01)
        }
        for _ in 0..<40 { _ = rig.fill(160) }
        #expect(rig.tail(160).allSatisfy { abs($0) < 1e-3 })
    }

    @Test("What is missing from the sender's silence is comfort noise, which is no concealment")
    func silence() {
        let rig = Rig { _ in 0 }
        #expect(rig.fill(160, isInSilence: true) == .comfortNoise)
        #expect(rig.record.statistics.concealments == 0 && rig.record.statistics.comfortNoiseMs == 20)
        #expect(rig.gap.emptied == 0)
    }

    @Test(
        "Silence made in a pause is concealment as far as packets of it turn out to be lost, the first 60 ms as a short gap's")
    func pauseThatWasNone() {
        let rig = Rig { _ in 0 }
        for _ in 0..<10 { #expect(rig.fill(80, isInPause: true) == .comfortNoise) }
        #expect(rig.record.statistics.concealments == 0 && rig.record.statistics.comfortNoiseMs == 100)
        rig.filler.noteMissing(0, rig.record)
        #expect(rig.record.statistics.concealments == 0)
        rig.filler.noteMissing(560, rig.record)
        let statistics = rig.record.statistics
        #expect(statistics.concealShortMs == 60 && statistics.concealLongMs == 10 && statistics.comfortNoiseMs == 30)
        #expect(statistics.concealments == 1 && statistics.longConcealments == 1 && statistics.underruns == 1)
        #expect(statistics.concealedPauseMs == 70)
        #expect(rig.record.ledger.concealed == 560 && rig.record.ledger.comfortNoise == 240)
        rig.filler.noteMissing(.max, rig.record)
        #expect(rig.record.statistics.concealLongMs == 40 && rig.record.statistics.comfortNoiseMs == 0)
        #expect(rig.record.statistics.concealments == 1 && rig.record.statistics.longConcealments == 1)
    }

    @Test("What the sender did not send is silence, whatever is found later")
    func unsent() {
        let rig = Rig { _ in 0 }
        #expect(rig.fill(160, isInPause: true, isUnsent: true) == .comfortNoise)
        rig.filler.noteMissing(.max, rig.record)
        #expect(rig.record.statistics.concealments == 0 && rig.record.statistics.comfortNoiseMs == 20)
    }

    @Test("A codec that conceals is asked in steps of 10 ms, after its state was kept")
    func codec() {
        let rig = Rig { _ in 0.1 }
        rig.codec.concealsItself = true
        _ = rig.fill(85)
        #expect(rig.codec.log == ["keep", "conceal 160"])
        #expect(rig.gap.concealed == 160)
    }

    @Test("The gap ends without a step: what follows is joined over 10 ms")
    func join() {
        let rig = Rig()
        _ = rig.fill(160)
        var fresh = (0..<160).map { Signal.tone(200)(Double(960 + $0) / 8000) }
        let left = fresh.withUnsafeMutableBufferPointer {
            rig.filler.join($0.baseAddress!, count: 160, after: rig.queue, level: nil)
        }
        #expect(left == 0 && !rig.gap.isOpen && !rig.gap.needsMerge)
        let joined = rig.tail(1) + fresh
        let steepest = zip(joined, joined.dropFirst()).map { abs($1 - $0) }.max() ?? .nan
        #expect(steepest < 0.3 * 2 * Float.pi * 200 / 8000 * 1.2)
    }

    @Test("Between two packets the gap is drawn from both sides, if the codec has no concealment")
    func interpolation() {
        let rig = Rig()
        let payload = (0..<160).map { UInt8(128 + 60 * Signal.tone(200)(Double(960 + $0) / 8000)) }
        func interpolate() -> PlayoutReason? {
            payload.withUnsafeBytes {
                rig.filler.interpolate(
                    160, to: $0, .init(isEmpty: false, isInSilence: false), by: rig.decoder,
                    into: rig.queue, rig.record)
            }
        }
        #expect(interpolate() == .concealShort)
        #expect(rig.gap.concealed == 160 && !rig.gap.needsMerge)
        rig.codec.concealsItself = true
        #expect(interpolate() == nil)
    }
}
