import Codecs
import Simulation
import Testing

@Suite("A call over a perfect network") struct CleanCallTests {
    @Test(
        "has no gap, no loss and little delay",
        arguments: Codec.allCases, [10, 20, 40, 60])
    func noGap(codec: Codec, frameMilliseconds: Int) throws {
        var plan = try quietPlan(codec, seconds: 8)
        plan.encoder.frameMilliseconds = frameMilliseconds
        let call = try OfflineCall(plan)
        try call.run()
        let report = call.report
        #expect(report.gaps == 0)
        for direction in [report.aToB, report.bToA] {
            #expect(direction.packetsLost == 0)
            #expect(direction.packetsLate == 0)
            #expect(direction.packetsDiscarded == 0)
            #expect(direction.concealedRatio == 0)
            #expect(direction.playoutGaps == 0)
            #expect(abs((direction.packetsReceived ?? 0) - 8000 / frameMilliseconds) <= 2)
            let delay = try #require(direction.measuredMouthToEarMilliseconds)
            // One frame to fill, one block of the device on each side, the margin of the play-out ring, little else.
            #expect(delay < Double(frameMilliseconds) + 50)
        }
    }

    @Test("sounds the same at the far end, bit for bit, when the codec is linear")
    func bitExact() throws {
        var plan = try quietPlan(.l16, seconds: 4)
        // Whole numbers of the codec's steps survive its rounding.
        plan.speech = { side, rate in
            (0..<rate).map { Float(($0 * 37 + side * 11) % 2000 - 1000) / 32768 }
        }
        plan.room.echoDecibels = -120
        let call = try OfflineCall(plan)
        try call.run()
        let spoken = call.sides[0].spoken
        let heard = call.sides[1].heard
        let first = try #require(heard.firstIndex { $0 != 0 })
        let lag = try #require(
            (0..<16_000).first { lag in
                (0..<4000).allSatisfy { heard[first + 8000 + $0] == spoken[($0 + lag) % spoken.count] }
            })
        for index in 0..<40_000 { try #require(heard[first + 8000 + index] == spoken[(index + lag) % spoken.count]) }
    }
}
