import CAudit
import Testing

import AudioUnits

@Suite("Echo control under the render contract", .enabled(if: audit_available(), "a sanitizer brings its own malloc"))
struct EchoControlAllocationTests {
    @Test(
        "No allocation and no lock, from the first block on, with a path change and a new delay on the way",
        arguments: [8_000, 16_000, 48_000])
    func none(rate: Int) throws {
        let block = rate / 100
        var controller = try EchoController(rate: rate, effort: .high)
        let room = EchoRoom(rate: Double(rate), rt60: 0.1, delaySeconds: 0.004, gain: 0.5, block: block, seed: 3)
        let output = UnsafeMutablePointer<Float>.allocate(capacity: 2 * block)
        output.initialize(repeating: 0, count: 2 * block)
        defer { output.deallocate() }
        let far = Signals.speechLike(rate: Double(rate), seconds: 6, seed: 4)
        var worst = audit_counts()
        var changes = 0
        for turn in 0..<600 {
            let played = Array(far[turn * block..<(turn + 1) * block])
            let heard = room.hear(played).map { turn < 400 ? $0 : -$0 }
            var alignment = ReferenceAlignment()
            alignment.farIsActive = meanPower(played, count: block) > 1e-5
            alignment.isLocked = turn > 20
            alignment.hasMoved = turn == 21 || turn == 550
            played.withUnsafeBufferPointer { played in
                heard.withUnsafeBufferPointer { heard in
                    audit_begin()
                    if turn % 30 == 0 { controller.setEffort(turn % 90 == 0 ? .low : turn % 60 == 0 ? .medium : .high) }
                    controller.process(
                        microphone: heard.baseAddress!, reference: played.baseAddress!, alignment: alignment,
                        into: output, linear: output + block)
                    let counts = audit_end()
                    worst.allocations += counts.allocations
                    worst.frees += counts.frees
                    worst.locks += counts.locks
                }
            }
            if controller.readings.pathHasChanged { changes += 1 }
        }
        #expect(worst.allocations == 0 && worst.frees == 0 && worst.locks == 0, "\(worst)")
        #expect(changes > 0)
    }
}
