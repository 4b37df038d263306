import Media
import Realtime
import Testing

@Suite("What is given up under load") struct LoadReliefTests {
    /// Steps of 5 ms for so long at one load; the levels that it went to.
    private func run(_ relief: inout LoadRelief, load: Double, from start: Double, seconds: Double) -> [LoadRelief.Level] {
        var levels: [LoadRelief.Level] = []
        for step in 0..<Int(seconds * 200) {
            if relief.note(load: load, at: HostTime(milliseconds: start * 1000 + Double(step) * 5)) {
                levels.append(relief.level)
            }
        }
        return levels
    }

    @Test("what hurts least goes first, and comes back when it is over")
    func order() {
        var relief = LoadRelief()
        #expect(run(&relief, load: 0.5, from: 0, seconds: 10) == [])
        #expect(relief.complexityOfNew == 10 && relief.complexityOfRunning == 10)
        #expect(run(&relief, load: 0.6, from: 10, seconds: 10) == [.newEncoders])
        #expect(relief.complexityOfNew == 5 && relief.complexityOfRunning == 10)
        #expect(run(&relief, load: 0.7, from: 20, seconds: 10) == [.allEncoders])
        #expect(relief.complexityOfRunning == 5)
        #expect(run(&relief, load: 0.95, from: 30, seconds: 10) == [.leastWork])
        #expect(relief.complexityOfNew == 2 && relief.complexityOfRunning == 2)
        // Half as much work as before is what was gained, and no reason to take it back.
        #expect(run(&relief, load: 0.5, from: 40, seconds: 20) == [])
        #expect(run(&relief, load: 0.1, from: 60, seconds: 7) == [.allEncoders, .newEncoders, .none])
    }

    @Test("a moment of much work changes nothing")
    func moment() {
        var relief = LoadRelief()
        for second in 0..<20 {
            #expect(run(&relief, load: 1, from: Double(second), seconds: 0.2) == [])
            #expect(run(&relief, load: 0.3, from: Double(second) + 0.2, seconds: 0.8) == [])
        }
    }

    @Test("it is at its end within a second")
    func quickly() {
        var relief = LoadRelief()
        #expect(run(&relief, load: 1, from: 0, seconds: 1.5) == [.newEncoders, .allEncoders, .leastWork])
    }
}
