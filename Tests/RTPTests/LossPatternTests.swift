import RTP
import Realtime
import Testing

@Suite("The pattern of losses") struct LossPatternTests {
    /// A stream from which the packets in `lost` are missing.
    private func receiver(_ count: Int, from start: Int = 0, losing lost: (Int) -> Bool) -> RTPReceiver {
        var receiver = makeReceiver()
        for number in 0..<count where !lost(number) {
            _ = receiver.take(packet(UInt16(truncatingIfNeeded: start + number)), at: Double(number) * 20)
        }
        return receiver
    }

    @Test("of single losses far apart is one gap without bursts")
    func singles() throws {
        let pattern = receiver(1025) { $0 % 50 == 10 }.lossPattern
        #expect(pattern.expected == 1000 && pattern.lost == 20 && pattern.meanRun == 1)
        let clusters = pattern.burstsAndGaps
        #expect(clusters.burstDensity == 0 && clusters.burstPackets == 0)
        #expect(clusters.gapDensity == 0.02 && clusters.gapPackets == 1000)
    }

    @Test("of losses near each other is bursts, as RFC 3611 section 4.7.2 counts them")
    func bursts() throws {
        // Of each 100 packets 10, 11 and 20 are lost: a burst of 11 with 3 losses, gaps of 89 between.
        let pattern = receiver(1025) { [10, 11, 20].contains($0 % 100) }.lossPattern
        let clusters = pattern.burstsAndGaps
        #expect(pattern.meanRun == 1.5)
        #expect(clusters.burstPackets == 11 && clusters.burstDensity == 3.0 / 11)
        #expect(clusters.gapDensity == 0)
        #expect(abs(clusters.gapPackets - (1000.0 - 110) / 11) < 1e-9, "9 whole gaps, and those at the ends")
    }

    @Test("needs Gmin good packets to end a burst: 16 apart are two losses in gaps, 15 are a burst")
    func threshold() {
        #expect(receiver(1025) { $0 == 100 || $0 == 117 }.lossPattern.burstsAndGaps.burstDensity == 0)
        #expect(receiver(1025) { $0 == 100 || $0 == 116 }.lossPattern.burstsAndGaps.burstPackets == 17)
    }

    @Test("counts a packet that came too late to be played as an impairment")
    func discarded() {
        var receiver = makeReceiver()
        for sequence in UInt16(0)..<200 {
            _ = receiver.take(packet(sequence))
            if sequence == 50 || sequence == 51 { receiver.noteDiscarded(Int64(sequence)) }
        }
        receiver.noteDiscarded(50)
        receiver.noteDiscarded(5000)
        #expect(receiver.lossPattern.discarded == 2 && receiver.lossPattern.lost == 0)
        #expect(receiver.lossPattern.burstsAndGaps.burstDensity == 1)
        // Far behind the newest: was judged lost, comes after all, is of no use.
        var late = self.receiver(200) { $0 == 110 }
        #expect(late.lossPattern.lost == 1)
        _ = late.take(packet(110))
        late.noteDiscarded(110)
        #expect(late.lossPattern.lost == 0 && late.lossPattern.discarded == 1)
    }

    @Test("has all of a long outage, and what came just before it")
    func longOutage() {
        let pattern = receiver(3025) { (1000..<2999).contains($0) }.lossPattern
        #expect(pattern.expected == 3000 && pattern.lost == 1999)
    }

    @Test("begins anew with a new source")
    func newSource() {
        var receiver = receiver(200) { $0 % 10 == 3 }
        #expect(receiver.lossPattern.lost > 0)
        for sequence in UInt16(0)..<100 { _ = receiver.take(packet(sequence, ssrc: 9)) }
        #expect(receiver.lossPattern.lost == 0 && receiver.lossPattern.expected > 0)
    }

    @Test("goes into loss runs packet by packet, also past the wrap", arguments: 1...8 as ClosedRange<UInt64>)
    func runLengths(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var receiver = makeReceiver()
        var fates: [Bool] = []
        var isLost = false
        var runs = 0
        var packets = 0
        for number in 0..<5000 {
            // Gilbert's model, its parameters by the seed: from long runs of both kinds to single losses.
            isLost = Double.random(in: 0..<1, using: &random) < (isLost ? 0.1 * Double(seed) : 0.02 * Double(seed))
            fates.append(isLost && number != 0)
            if !fates[number] { _ = receiver.take(packet(UInt16(truncatingIfNeeded: 65_000 + number))) }
            guard number % 250 == 249 else { continue }
            let made = receiver.makeExtendedReport()
            let report = try #require(made)
            let range = Int(report.interval.beginSequence &- 65_000)..<Int(report.interval.endSequence &- 65_000)
            let told = fates[range]
            let expectedRuns = zip([false] + told, told).count { !$0 && $1 }
            #expect(report.interval.lossRuns == (expectedRuns, told.count { $0 }), "seed \(seed)")
            #expect(report.interval.lost == told.count { $0 })
            runs += report.interval.lossRuns.runs
            packets += report.interval.lossRuns.packets
            // And over the wire.
            let bytes =
                RTCPPacket.receiverReport(ssrc: 1, reports: []).bytes
                + RTCPPacket.extendedReport(ssrc: 1, blocks: report.blocks).bytes
            guard case .extendedReport(_, let blocks) = try RTCPCompound.parse(bytes)[1],
                case .lossRLE(let ssrc, 0, let read) = blocks[0]
            else {
                Issue.record("no loss runs")
                return
            }
            #expect(ssrc == 1 && read.lossRuns == report.interval.lossRuns && read.chunks == report.interval.chunks)
        }
        #expect(runs > 20 && packets > runs, "seed \(seed)")
    }

    @Test("of thousands of packets alike fits a few bytes")
    func compact() throws {
        var receiver = receiver(1020) { _ in false }
        let made = receiver.makeExtendedReport()
        let report = try #require(made)
        #expect(report.interval.chunks == [0x4000 | UInt16(report.interval.count)])
        let again = receiver.makeExtendedReport()
        #expect(again?.blocks.isEmpty == true, "nothing new, nothing to tell")
    }

    @Test("told by hostile chunks stays within the interval")
    func hostileChunks() {
        var interval = LossInterval(beginSequence: 0, endSequence: .max)
        interval.chunks = [UInt16](repeating: 0x3fff, count: 30_000)
        #expect(interval.lossRuns == (1, 65_535))
        interval.chunks = [UInt16](repeating: 0xaaaa, count: 30_000)
        #expect(interval.lossRuns.packets <= 65_535)
        interval = LossInterval(beginSequence: 5, endSequence: 5)
        interval.chunks = [0x3fff, 0x8000]
        #expect(interval.lossRuns == (0, 0))
    }
}
