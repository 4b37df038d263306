import DSP
import JitterBuffer
import Testing

@Suite struct JitterBufferTuningTests {
    @Test("What is in use is valid, and every number is listed once")
    func defaults() throws {
        try JitterBufferTuning().validate()
        let names = JitterBufferTuning.parameters.map(\.name)
        #expect(Set(names).count == names.count && names.count > 80)
    }

    @Test("Every number can be set to the ends of its range by name, or is refused with a reason, and changes nothing else")
    func ends() throws {
        for parameter in JitterBufferTuning.parameters {
            for end in [parameter.range.lowerBound, parameter.range.upperBound] {
                var tuning = JitterBufferTuning()
                do throws(TuningError) {
                    try tuning.set(parameter.name, to: end)
                    let value = tuning.value(of: parameter.name) ?? .nan
                    #expect(abs(value - end) <= 1e-6 * abs(end))
                    for other in JitterBufferTuning.parameters where other.name != parameter.name {
                        #expect(tuning.value(of: other.name) == JitterBufferTuning().value(of: other.name))
                    }
                } catch {
                    #expect(tuning == JitterBufferTuning())
                    guard case .conflict = error else {
                        Issue.record("\(error)")
                        continue
                    }
                }
            }
        }
    }

    @Test("Nonsense is refused")
    func nonsense() {
        var tuning = JitterBufferTuning()
        #expect(throws: TuningError.unknown(name: "decision.nearmiss")) { try tuning.set("decision.nearmiss", to: 1) }
        for value in [-1, 1e9, .nan, .infinity] {
            #expect(throws: TuningError.self) { try tuning.set("decision.nearMiss", to: value) }
        }
        #expect(throws: TuningError.conflict("shortestLag is over longestLag")) { try tuning.set("pitch.longestLag", to: 3) }
        tuning.target.interval = .nan
        #expect(throws: TuningError.self) { try tuning.validate() }
    }
}
