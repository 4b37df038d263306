import AudioDevices
import Codecs
import Simulation
import Testing

/// Two people in halls with the volume turned up: what one loudspeaker plays goes round through the other room and comes
/// back louder than it was.
@Suite("Feedback between two rooms") struct FeedbackTests {
    private func run(_ codec: Codec, echoDecibels: Double, voiceProcessing: Bool) throws -> OfflineCall {
        var plan = LoopbackPlan()
        plan.codec = codec
        plan.seconds = 30
        plan.voiceProcessing = voiceProcessing
        plan.room = RoomSpecification(response: .builtIn(.hall), noiseDecibels: -60, echoDecibels: echoDecibels)
        let call = try OfflineCall(plan)
        try call.run()
        return call
    }

    /// Level of each second that a side heard, in dBov.
    private func seconds(_ side: OfflineSide) -> [Double] {
        (0..<side.heard.count / side.deviceRate).map {
            level(of: side.heard, rate: side.deviceRate, from: Double($0), to: Double($0 + 1))
        }
    }

    @Test(
        "the loop stays stable: what is heard is what was said, as without any echo, and nothing rings on",
        arguments: [Codec.l16, .opus])
    func isStable(codec: Codec) throws {
        let call = try run(codec, echoDecibels: 6, voiceProcessing: true)
        let still = try run(codec, echoDecibels: -120, voiceProcessing: true)
        for side in 0..<2 {
            let (heard, wanted) = (seconds(call.sides[side]), seconds(still.sides[side]))
            print("feedback, \(codec.name), side \(side) hears", heard.map { Int($0) }, "of", wanted.map { Int($0) })
            // From the fourth second on: until then the path is not known. Gain control may differ by a few dB.
            for second in 4..<min(heard.count, wanted.count) {
                #expect(heard[second] < max(wanted[second] + 8, -35), "second \(second)")
            }
        }
    }

    @Test("without voice processing the same loop howls")
    func howls() throws {
        let call = try run(.l16, echoDecibels: 6, voiceProcessing: false)
        #expect(call.sides.contains { seconds($0)[20...].contains { $0 > -6 } })
    }
}
