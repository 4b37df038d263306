import Codecs
import JitterBuffer
import Testing

@Test("Scenario: an hour against a clock 300 ppm off keeps its level", arguments: [-300.0, 300])
func scenarioHourOfDrift(ppm: Double) throws {
    var stream = StreamSimulation(codec: .pcmu, seconds: 3600, signal: Signal.voice)
    stream.driftPPM = ppm
    stream.pullJitter = 1
    stream.keepsOutput = false
    let result = try stream.run()
    let estimate = try #require(result.driftPPM)
    #expect(abs(estimate - ppm) < 15)
    let early = result.delay(60, 120)
    let late = result.delay(3540, 3600)
    print("\(ppm) ppm: delay \(early) ms in the second minute, \(late) ms in the last")
    #expect(abs(late - early) < 5)
    #expect(result.delay(60, 3600) < 25)
    // 300 ppm of an hour are 1080 ms.
    let moved = result.statistics.acceleratedMs - result.statistics.deceleratedMs
    #expect(abs(abs(moved) - 1080) < 60)
    #expect(result.concealed(60) <= 10)
}
