import AudioUnits
import DSP
import Testing

@Suite struct VoiceTuningTests {
    @Test("What is in use is valid, and every number is listed once")
    func defaults() throws {
        try VoiceTuning().validate()
        let names = VoiceTuning.parameters.map(\.name)
        #expect(Set(names).count == names.count && names.count > 150)
    }

    @Test("Every number can be set to the ends of its range by name, or is refused for what it contradicts")
    func ends() {
        for parameter in VoiceTuning.parameters {
            for end in [parameter.range.lowerBound, parameter.range.upperBound] {
                var tuning = VoiceTuning()
                do throws(TuningError) {
                    try tuning.set(parameter.name, to: end)
                    let value = tuning.value(of: parameter.name) ?? .nan
                    #expect(abs(value - end) <= 1e-6 * abs(end), "\(parameter.name)")
                } catch {
                    #expect(tuning == VoiceTuning())
                    guard case .conflict = error else {
                        Issue.record("\(error)")
                        continue
                    }
                }
            }
        }
    }

    @Test("A sweep reaches the part: a lower threshold confirms a quieter near end")
    func sweep() throws {
        func isConfirmed(_ tuning: ConfirmationTuning) -> Bool {
            var confirmation = NearEndConfirmation(tuning: tuning)
            let residual = [Float](repeating: 3, count: 8)
            let echo = [Float](repeating: 1, count: 8)
            let noise = [Float](repeating: 1e-3, count: 8)
            for _ in 0..<5 { confirmation.update(residual: residual, echo: echo, noise: noise, bins: 0..<8) }
            return confirmation.isConfirmed
        }
        var tuning = VoiceTuning()
        let before = isConfirmed(tuning.suppression.confirmation)
        try tuning.set("suppression.confirmation.overEcho", to: 2)
        let after = isConfirmed(tuning.suppression.confirmation)
        #expect(!before && after)
    }
}
