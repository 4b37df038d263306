import Codecs
import Simulation
import Testing

@Suite("A simulated call") struct DeterminismTests {
    private static let weather = "delay=20,jitter=30,loss=3,burst=2,reorder=1,duplicate=1,spike=5000:120"

    private func run(_ codec: Codec, seed: UInt64) throws -> (json: String, heard: [[Float]]) {
        var plan = try quietPlan(codec, seconds: 12, network: Self.weather, seed: seed)
        plan.voiceProcessing = true
        plan.room = LoopbackPlan().room
        let call = try OfflineCall(plan)
        try call.run()
        return (call.report.json.text, call.sides.map(\.heard))
    }

    @Test(
        "repeats itself to the last sample and the last figure with the same seed, and only then",
        arguments: [Codec.opus, .g722, .l16])
    func repeats(codec: Codec) throws {
        let first = try run(codec, seed: 42)
        let again = try run(codec, seed: 42)
        #expect(first.json == again.json)
        #expect(first.heard == again.heard)
        #expect(first.heard.allSatisfy { $0.count > 10 * codec.sampleRate })
        let other = try run(codec, seed: 43)
        #expect(first.json != other.json)
        #expect(first.heard[0] != other.heard[0] && first.heard[1] != other.heard[1])
    }
}
