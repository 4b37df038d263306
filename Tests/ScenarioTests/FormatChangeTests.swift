import Codecs
import Media
import Realtime
import Simulation
import Testing

@Suite("A call that changes its codec") struct FormatChangeTests {
    private static let formats = [
        SendingFormat(MediaFormat(.pcmu)),
        SendingFormat(MediaFormat(.g722), encoder: EncoderSettings(frameMilliseconds: 40)),
        SendingFormat(MediaFormat(.opus)),
    ]
    private static let period = 10.0

    /// Two who speak without a pause; side 0 begins with Opus and takes up the next format each ten seconds.
    private func call(network: String, seed: UInt64) throws -> OfflineCall {
        var plan = try quietPlan(.opus, seconds: 4 * Self.period, network: network, seed: seed)
        plan.adjust = { _, configuration in
            configuration.alsoReceives = [MediaFormat(.pcmu), MediaFormat(.g722), MediaFormat(.pcma)]
        }
        plan.speech = { side, rate in
            var talker = SyntheticTalker(sampleRate: rate, pitch: side == 0 ? 110 : 200, seed: seed &+ UInt64(side))
            return talker.speak(seconds: 4 * Self.period)
        }
        let call = try OfflineCall(plan)
        try call.run { now in
            for (index, format) in Self.formats.enumerated()
            where now == HostTime(milliseconds: Double(index + 1) * Self.period * 1000) {
                call.sides[0].perform(.send(format), now: now)
            }
        }
        return call
    }

    /// Longest stretch in milliseconds in which `call`'s side 1 heard next to nothing though side 0 spoke, about a change.
    private func longestGap(_ call: OfflineCall, around time: Double, delay: Double) -> Double {
        let (spoken, heard, rate) = (call.sides[0].spoken, call.sides[1].heard, call.sides[1].deviceRate)
        let window = rate / 200
        func loudness(_ signal: [Float], _ start: Int) -> Double {
            level(of: signal, rate: rate, from: Double(start) / Double(rate), to: Double(start + window) / Double(rate))
        }
        var (run, longest) = (0, 0)
        for start in stride(from: Int((time - 0.2) * Double(rate)), to: Int((time + 0.5) * Double(rate)), by: window) {
            let isSpoken = loudness(spoken, start - Int(delay * Double(rate) / 1000)) > -35
            run = isSpoken && loudness(heard, start) < -55 ? run + 1 : 0
            longest = max(longest, run)
        }
        return Double(longest) * 5
    }

    @Test(
        "is heard without a gap of more than 20 ms, with the right delay in the ledger, and nothing lost",
        arguments: [1, 2, 3] as [UInt64])
    func clean(seed: UInt64) throws {
        let call = try call(network: "", seed: seed)
        let figures = call.sides[1].statistics
        #expect(figures.packetsLost == 0 && figures.packetsLate == 0)
        #expect(call.sides[1].call.stream.heard.codec == .opus)
        for index in 0..<4 {
            let (from, to) = (Double(index) * Self.period + 1, Double(index + 1) * Self.period)
            let delay = try #require(call.delay(of: 0, from: from, to: to), "after change \(index)")
            #expect(delay < 110, "after change \(index)")
            guard index > 0 else { continue }
            let gap = longestGap(call, around: Double(index) * Self.period, delay: delay)
            #expect(gap <= 20, "\(gap) ms at change \(index)")
        }
        let told = try #require(figures.mouthToEarMilliseconds)
        let heard = try #require(call.delay(of: 0, from: 3 * Self.period + 2))
        #expect(abs(told - heard) < 5, "ledger \(told), audio \(heard)")
        // The way back changed nothing and noticed nothing.
        #expect(call.sides[0].statistics.packetsLost == 0)
        #expect(call.sides[0].events.allSatisfy { if case .sourceChanged = $0.event { false } else { true } })
    }

    @Test("keeps what was learnt of a bad network: concealed no more than without the changes", arguments: [4, 5] as [UInt64])
    func jitter(seed: UInt64) throws {
        let call = try call(network: "jitter=30,loss=1", seed: seed)
        var plan = try quietPlan(.opus, seconds: 4 * Self.period, network: "jitter=30,loss=1", seed: seed)
        plan.speech = { side, rate in
            var talker = SyntheticTalker(sampleRate: rate, pitch: side == 0 ? 110 : 200, seed: seed &+ UInt64(side))
            return talker.speak(seconds: 4 * Self.period)
        }
        let steady = try OfflineCall(plan)
        try steady.run()
        let changed = try #require(call.sides[1].statistics.concealedRatio)
        let usual = try #require(steady.sides[1].statistics.concealedRatio)
        #expect(changed < usual + 0.02, "\(changed) of sound concealed, \(usual) without changes")
        #expect(call.sides[1].call.stream.heard.codec == .opus)
        #expect(call.sides[1].call.state == .ended(.duration))
    }

    @Test("is the same call each time")
    func deterministic() throws {
        #expect(try call(network: "jitter=20", seed: 9).sides[1].heard == call(network: "jitter=20", seed: 9).sides[1].heard)
    }
}
