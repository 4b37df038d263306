import AudioFiles
import Codecs
import Foundation
import Simulation
import Testing

/// Measured on the dumped signals, as a person with an editor would.
@Suite("Echo cancellation in a room") struct EchoCancellationTests {
    @Test(
        "takes at least 25 dB off the echo, however late the room answers and whatever the clocks do",
        arguments: [Codec.l16, .opus], [(0.0, 0.0), (40, 0), (120, 100), (40, -200)])
    func erle(codec: Codec, room: (delayMilliseconds: Double, driftPPM: Double)) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var plan = LoopbackPlan()
        plan.codec = codec
        plan.seconds = 22
        plan.dumpFolder = folder
        plan.room.delayMilliseconds = room.delayMilliseconds
        plan.room.driftPPM = room.driftPPM
        // Far below the echo, or it would be taken for what the canceller left.
        plan.room.noiseDecibels = -80
        let call = try OfflineCall(plan)
        try call.run()
        for (side, name) in ["a", "b"].enumerated() {
            func signal(_ file: String) throws -> [Float] {
                let reader = try AudioFileReader(path: "\(folder)/\(name)/\(file).wav")
                #expect(reader.fileRate == codec.sampleRate)
                return reader.read(maximumFrames: 25 * codec.sampleRate)
            }
            let microphone = try signal("microphone")
            let cancelled = try signal("after_echo_cancellation")
            let sent = try signal("sent")
            // The turn in which only the other side speaks, with room for the way of the voice and its echo.
            let turn = side == 0 ? (from: 12.4, to: 15.9) : (from: 16.4, to: 19.9)
            func decibels(_ signal: [Float]) -> Double {
                level(of: signal, rate: codec.sampleRate, from: turn.from, to: turn.to)
            }
            let echo = decibels(microphone)
            let linear = echo - decibels(cancelled)
            let whole = echo - decibels(sent)
            print(
                "ERLE \(codec.name), room + \(Int(room.delayMilliseconds)) ms, \(room.driftPPM) ppm, side \(name): echo \(rounded(echo)) dBov, "
                    + "canceller \(rounded(linear)) dB, with suppressor \(rounded(whole)) dB")
            #expect(echo > -50, "there was an echo")
            #expect(whole >= 25)
            #expect(linear >= 10)
        }
    }

    private func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
