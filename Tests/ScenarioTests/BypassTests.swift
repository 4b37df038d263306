import AudioUnits
import Codecs
import Simulation
import Testing

@Suite("Voice processing that is bypassed") struct BypassTests {
    @Test("is heard at the far end as the bare device is, bit for bit", arguments: [16_000, 44_100, 48_000])
    func equalsRemoteIO(deviceRate: Int) throws {
        func heard(voiceProcessing: Bool) throws -> [[Float]] {
            var plan = try quietPlan(.l16, seconds: 6)
            plan.deviceRate = deviceRate
            plan.room = LoopbackPlan().room
            plan.voiceProcessing = voiceProcessing
            let call = try OfflineCall(plan)
            for side in call.sides { (side.unit as? VoiceProcessingIO)?.isBypassed = true }
            try call.run()
            return call.sides.map { Array($0.heard.drop { $0 == 0 }) }
        }
        let bare = try heard(voiceProcessing: false)
        let bypassed = try heard(voiceProcessing: true)
        for (bare, bypassed) in zip(bare, bypassed) {
            // The blocks of the processing may shift it in time, and nothing else.
            let count = min(bare.count, bypassed.count)
            #expect(count > 4 * deviceRate)
            #expect(bare[..<count] == bypassed[..<count])
        }
    }
}
