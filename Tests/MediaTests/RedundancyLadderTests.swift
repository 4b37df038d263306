import Media
import RTP
import Testing

@Suite("The redundancy ladder") struct RedundancyLadderTests {
    private func ladder(
        bitrate: Int = 28_000, isAdjustable: Bool = true, usesFEC: Bool = true, maximum: Int = 64_000,
        allowsCopies: Bool = true
    ) -> RedundancyLadder {
        RedundancyLadder(
            RedundancyLadder.Configuration(
                bitrate: bitrate, isAdjustable: isAdjustable, usesFEC: usesFEC, maximumBitrate: maximum,
                packetMilliseconds: 20, allowsCopies: allowsCopies))
    }

    @Test("does nothing on a clean line, however long")
    func clean() {
        var ladder = ladder()
        let nothing = RedundancyLadder.Protection(level: 0, bitrate: 28_000, expectedLossPercent: 0, copies: [])
        #expect(ladder.protection == nothing)
        for _ in 0..<1000 { #expect(ladder.heed(ReportedLoss(ratio: 0)) == nothing) }
        #expect(ladder.heed(ReportedLoss(ratio: 0.009)) == nothing)
    }

    @Test("pays for in-band FEC with bit rate from 1 % of loss on")
    func levelOne() {
        var ladder = ladder()
        #expect(
            ladder.heed(ReportedLoss(ratio: 0.05))
                == RedundancyLadder.Protection(level: 1, bitrate: 36_000, expectedLossPercent: 3, copies: []))
    }

    @Test("sends copies two packets back by the second report of 20 % loss, also after a clean start")
    func levelTwo() {
        var fresh = ladder()
        let copies = RedundancyLadder.Protection(
            level: 2, bitrate: 30_000, expectedLossPercent: 3, copies: RedundancyOffsets(offset: 2))
        fresh.heed(ReportedLoss(ratio: 0.2))
        #expect(fresh.heed(ReportedLoss(ratio: 0.2)) == copies)
        var settled = ladder()
        settled.heed(ReportedLoss(ratio: 0))
        #expect(settled.heed(ReportedLoss(ratio: 0.2)).level == 1)
        settled.heed(ReportedLoss(ratio: 0.2))
        #expect(settled.heed(ReportedLoss(ratio: 0.2)) == copies)
    }

    @Test("sends copies three packets back from 3 % of loss on when it comes in bursts")
    func bursts() {
        for told in [
            ReportedLoss(ratio: 0.05, runs: ReportedLoss.Runs(count: 5, packets: 12)),
            ReportedLoss(ratio: 0.05, burstDensity: 0.5),
        ] {
            var ladder = ladder()
            #expect(ladder.heed(told).copies == RedundancyOffsets(offset: 3), "\(told)")
            #expect(ladder.protection.level == 2 && ladder.isBursty)
        }
        for told in [
            ReportedLoss(ratio: 0.05, runs: ReportedLoss.Runs(count: 10, packets: 12)),
            ReportedLoss(ratio: 0.05, burstDensity: 0.3), ReportedLoss(ratio: 0.05),
            ReportedLoss(ratio: 0.02, runs: ReportedLoss.Runs(count: 5, packets: 15)),
            // One burst alone proves nothing.
            ReportedLoss(ratio: 0.05, runs: ReportedLoss.Runs(count: 1, packets: 2)),
        ] {
            var ladder = ladder()
            #expect(ladder.heed(told).level == 1, "\(told)")
        }
    }

    @Test("believes the runs of lost packets rather than the density of bursts")
    func runsFirst() {
        var ladder = ladder()
        ladder.heed(ReportedLoss(ratio: 0.1, burstDensity: 0.9))
        #expect(ladder.isBursty)
        ladder.heed(ReportedLoss(ratio: 0.1, runs: ReportedLoss.Runs(count: 20, packets: 21), burstDensity: 0.9))
        #expect(!ladder.isBursty)
    }

    @Test("goes down one level after two calmer reports, not before, and not on one calm report among bad ones")
    func down() {
        var ladder = ladder()
        for _ in 0..<3 { ladder.heed(ReportedLoss(ratio: 0.3)) }
        #expect(ladder.protection.level == 2)
        var levels: [Int] = []
        for _ in 0..<16 { levels.append(ladder.heed(ReportedLoss(ratio: 0)).level) }
        // Smoothed loss: 22.5, 16.9, 12.7, 9.5, ... %; under 16 % from the third on, under 1 % from the twelfth on.
        #expect(levels == [2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0])
        for _ in 0..<3 { ladder.heed(ReportedLoss(ratio: 0.3)) }
        for _ in 0..<20 {
            ladder.heed(ReportedLoss(ratio: 0.1))
            #expect(ladder.heed(ReportedLoss(ratio: 0.4)).level == 2)
        }
    }

    @Test("stays against bursts through ten seconds without one, however often reports come")
    func calmBetweenBursts() {
        var ladder = ladder()
        let burst = ReportedLoss(ratio: 0.1, runs: ReportedLoss.Runs(count: 2, packets: 8))
        var calm = ReportedLoss(ratio: 0, runs: ReportedLoss.Runs(count: 0, packets: 0))
        calm.seconds = 1
        ladder.heed(burst)
        var levels: [Int] = []
        for _ in 0..<20 { levels.append(ladder.heed(calm).level) }
        // Smoothed loss is under 3 % from the ninth second on.
        #expect(levels.prefix(15).allSatisfy { $0 == 2 })
        #expect(levels.last == 1)
    }

    @Test("a second of much loss weighs less than five")
    func shortReports() {
        var ladder = ladder()
        ladder.heed(ReportedLoss(ratio: 0.1))
        var second = ReportedLoss(ratio: 0.2)
        second.seconds = 1
        #expect(ladder.heed(second).level == 1)
        #expect(abs((ladder.lossRatio ?? 0) - 0.129) < 0.001)
    }

    @Test("never costs more than it may", arguments: [8_000, 24_000, 36_000, 50_000, 64_000, 100_000, 510_000])
    func maximum(limit: Int) {
        for bitrate in [6_000, 24_000, 28_000, 64_000, 128_000] {
            var ladder = ladder(bitrate: bitrate, maximum: limit)
            for ratio in [0, 0.05, 0.3, 0.9, 0.9, 0.9, 0, 0, 0, 0, 0, 0, 0] {
                let protection = ladder.heed(ReportedLoss(ratio: ratio))
                // 5 bytes of headers (RFC 2198) in each of 50 packets a second.
                let copies = protection.copies.count
                let cost = protection.bitrate * (1 + copies) + (copies > 0 ? 2000 : 0)
                #expect(cost <= limit, "\(bitrate) bit/s, loss \(ratio): \(protection)")
                if protection.expectedLossPercent == 0 { #expect(protection.bitrate == min(bitrate, limit)) }
            }
        }
    }

    @Test("stays at in-band FEC towards a peer that did not agree to copies, or when they cost too much")
    func withoutCopies() {
        for var ladder in [ladder(allowsCopies: false), ladder(maximum: 41_000)] {
            for _ in 0..<5 { ladder.heed(ReportedLoss(ratio: 0.4)) }
            #expect(ladder.protection.copies.isEmpty && ladder.protection.bitrate == 36_000)
            #expect(ladder.protection.expectedLossPercent == 3)
        }
    }

    @Test("copies a codec of fixed rate only when it may cost twice as much, and hints it nothing")
    func fixedRate() {
        for (maximum, copies) in [(64_000, 0), (129_999, 0), (130_000, 1)] {
            var ladder = ladder(bitrate: 64_000, isAdjustable: false, usesFEC: false, maximum: maximum)
            for _ in 0..<3 { ladder.heed(ReportedLoss(ratio: 0.3)) }
            #expect(ladder.protection.copies.count == copies && ladder.protection.bitrate == 64_000)
            #expect(ladder.protection.expectedLossPercent == 0)
        }
    }

    @Test("takes any numbers for what they can mean")
    func nonsense() {
        var ladder = ladder()
        for ratio in [Double.nan, -.infinity, .infinity, -3, 7] {
            ladder.heed(ReportedLoss(ratio: ratio, runs: ReportedLoss.Runs(count: 0, packets: 0), burstDensity: ratio))
            #expect((0...1).contains(ladder.lossRatio ?? -1), "\(ratio)")
        }
    }
}
