import Codecs
import JitterBuffer
import Testing

@Suite struct IncidentTests {
    @Test("Every stretch that was not plain audio is listed with its reason and time, and counted by reason")
    func listed() throws {
        var stream = StreamSimulation(codec: .pcmu, seconds: 10, signal: Signal.voice)
        stream.network = { packet, _ in packet.index == 200 || packet.index == 400 ? [] : [1] }
        let result = try stream.run()
        let conceals = result.incidents.filter { $0.reason == .concealShort }
        #expect(conceals.contains { abs($0.startMs - 4020) < 60 }, "\(conceals)")
        let listed = result.incidents.filter { $0.reason == .concealShort }.reduce(0) { $0 + $1.durationMs }
        #expect(abs(listed - result.statistics.byReason[.concealShort]) < 1e-6)
        let total = result.pulls.count { $0.outcome.reason == .normal }
        #expect(abs(result.statistics.byReason[.normal] - Double(total) * 10) < 1e-6)
    }

    @Test("The list is bounded: the latest stay")
    func bounded() throws {
        var stream = StreamSimulation(codec: .pcmu, seconds: 60, signal: Signal.tone(500))
        stream.network = { packet, _ in packet.index % 3 == 1 ? [] : [1] }
        let result = try stream.run()
        #expect(result.incidents.count == 512)
        #expect(zip(result.incidents, result.incidents.dropFirst()).allSatisfy { $0.startMs < $1.startMs })
        #expect(try #require(result.incidents.last).startMs > 55_000)
    }

    @Test("Names of reasons are those of the tables")
    func names() {
        let reasons: [PlayoutReason] = [
            .normal, .accelerate, .decelerate, .fec, .redundancy, .concealShort, .concealLong, .comfortNoise, .discardLate,
            .discardOverflow, .reset(.timestampJump),
        ]
        #expect(
            reasons.map(\.name) == [
                "normal", "accelerate", "decelerate", "fec", "redundancy", "conceal_short", "conceal_long",
                "comfort_noise", "discard_late", "discard_overflow", "reset{timestamp_jump}",
            ])
    }
}
