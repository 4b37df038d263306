import DSP
import Testing

import AudioUnits

@Suite("Echo control")
struct EchoControllerTests {
    private func speech(_ rate: Int, _ seconds: Double, level: Float = 0.1, seed: UInt64) -> [Float] {
        Signals.speechLike(rate: Double(rate), seconds: seconds, level: level, seed: seed)
    }

    private func silence(_ rate: Int, _ seconds: Double) -> [Float] {
        [Float](repeating: 0, count: Int(Double(rate) * seconds))
    }

    /// The microphone without what lies under speech, as the filters get it and as it comes out.
    private func conditioned(_ samples: [Float], rate: Int) -> [Float] {
        var output = samples
        var highPass = HighPass(rate: rate, cutoff: 60)
        highPass.process(samples, count: samples.count, into: &output)
        var notch = DCNotch(rate: rate, decimated: rate > 24_000 ? rate / 16_000 : 1, isGentle: true)
        notch.process(&output, count: output.count)
        return output
    }

    @Test(
        "With a silent far end the microphone comes out 10 ms later, within 0.1 dB of what is over 100 Hz in it",
        arguments: [8_000, 12_000, 16_000, 24_000, 32_000, 48_000])
    func transparent(rate: Int) throws {
        let scene = try EchoScene(rate: rate)
        scene.run(far: silence(rate, 3), near: speech(rate, 3, seed: 8))
        let delay = rate / 100
        let microphone = scene.slice(conditioned(scene.microphone, rate: rate), 1, 2.9)
        let output = scene.output[(rate + delay)..<(rate + delay + microphone.count)]
        #expect(abs(Signals.decibels(Signals.power(output) / Signals.power(microphone))) < 0.1)
        // The right delay correlates best, and nearly wholly.
        func match(_ shift: Int) -> Float {
            zip(microphone, scene.output[(rate + shift)...]).reduce(0) { $0 + $1.0 * $1.1 }
        }
        #expect(match(delay) > 0.98 * Signals.power(microphone) * Float(microphone.count))
        #expect(match(delay) > match(delay - 1) && match(delay) > match(delay + 1))
    }

    @Test(
        "Echo alone: 20 dB down in the first three seconds, 25 later, and what comes out is the room's noise",
        arguments: [8_000, 16_000, 48_000])
    func singleTalk(rate: Int) throws {
        let scene = try EchoScene(rate: rate)
        scene.run(far: speech(rate, 10, seed: 3))
        let (early, late) = (scene.attenuation(0.3, 3), scene.attenuation(6, 10))
        let rest = Signals.decibels(Signals.power(scene.slice(scene.output, 6, 10)) / scene.noisePower)
        print("Echo control at \(rate) Hz: \(early) dB early, \(late) dB late, output over noise \(rest) dB")
        #expect(early > 20)
        #expect(late > 25)
        #expect(abs(rest) < 3)
        #expect(scene.readings.last?.phase == .tracking)
        #expect(scene.readings.dropFirst(100).map(\.nearEndPresence).max()! < 0.5)
    }

    @Test(
        "Double talk: the near end is noticed, its voice comes through",
        arguments: [EchoControlEffort.low, .medium, .high])
    func doubleTalk(effort: EchoControlEffort) throws {
        let rate = 16_000
        let scene = try EchoScene(rate: rate, effort: effort)
        scene.run(far: speech(rate, 12, seed: 3), near: silence(rate, 6) + speech(rate, 6, level: 0.1, seed: 29))
        let near = speech(rate, 6, level: 0.1, seed: 29)
        let delay = rate / 100
        let output = scene.output[(6 * rate + delay)...]
        var common: Float = 0
        for (x, y) in zip(near, output) { common += x * y }
        let gain = common / (Signals.power(near[...]) * Float(output.count))
        print("Double talk, \(effort): near end at", Signals.decibels(gain * gain), "dB")
        #expect(gain > 0.8 && gain < 1.1)
        #expect(scene.readings[600...].map(\.nearEndPresence).reduce(0, +) / 600 > 0.5)
        #expect(!scene.readings.contains { $0.pathHasChanged })
    }

    @Test("Where only the reverberation changes, 60 % of the echo, it is 20 dB down again a second and a half later")
    func partOfThePathChanges() throws {
        let rate = 16_000
        let scene = try EchoScene(rate: rate)
        scene.run(far: speech(rate, 6, seed: 3))
        scene.changeRoom(seed: 99)
        scene.run(far: speech(rate, 6, seed: 4))
        let late = scene.attenuation(7.5, 12)
        print("Echo control, part of the path changed: \(scene.attenuation(6, 7.5)) dB at first, \(late) dB later")
        #expect(late > 20)
    }

    @Test("A path that changes is noticed within half a second, and 20 dB down again a second later")
    func pathChange() throws {
        let rate = 16_000
        let scene = try EchoScene(rate: rate)
        scene.run(far: speech(rate, 6, seed: 3))
        scene.changeRoom(seed: 99, delaySeconds: 0.006)
        scene.run(far: speech(rate, 6, seed: 4))
        let change = scene.readings.firstIndex { $0.pathHasChanged }
        #expect(change != nil && (600..<650).contains(change!), "\(String(describing: change))")
        #expect(scene.readings.filter(\.pathHasChanged).count == 1)
        #expect(scene.attenuation(7.5, 12) > 20)
    }

    @Test("After far silence, mute and a gap the echo is 20 dB down within a second")
    func resumes() throws {
        let rate = 16_000
        let scene = try EchoScene(rate: rate)
        scene.run(far: speech(rate, 5, seed: 3))
        scene.run(far: silence(rate, 3))
        scene.run(far: speech(rate, 3, seed: 5))
        #expect(scene.attenuation(9, 11) > 20)
        for _ in 0..<100 {
            scene.step(microphone: silence(rate, 0.01), reference: silence(rate, 0.01))
        }
        scene.run(far: speech(rate, 3, seed: 6))
        #expect(scene.attenuation(13, 15) > 20)
    }

    @Test("No echo path, delay never found: after a second the near end is untouched")
    func headset() throws {
        let rate = 16_000
        let scene = try EchoScene(rate: rate)
        let near = speech(rate, 8, seed: 2)
        let far = speech(rate, 8, seed: 3)
        for start in stride(from: 0, to: far.count, by: scene.block) {
            scene.step(
                microphone: Array(near[start..<start + scene.block]),
                reference: Array(far[start..<start + scene.block]), isLocked: false)
        }
        let lost = scene.attenuation(3, 8)
        #expect(abs(lost) < 0.5, "\(lost) dB")
    }

    @Test("Bad input: only numbers come out, and not louder than the microphone", arguments: [8_000, 16_000, 48_000])
    func badInput(rate: Int) throws {
        let scene = try EchoScene(rate: rate)
        scene.run(far: speech(rate, 2, seed: 3))
        let block = scene.block
        let square = (0..<block).map { $0 % 40 < 20 ? Float(1) : -1 }
        let zero = [Float](repeating: 0, count: block)
        let blocks: [[Float]] = [
            square, zero, [Float](repeating: .nan, count: block), [Float](repeating: .infinity, count: block),
            [Float](repeating: -.greatestFiniteMagnitude, count: block),
            [Float](repeating: .leastNonzeroMagnitude, count: block),
        ]
        for mic in blocks {
            for far in blocks { for _ in 0..<20 { scene.step(microphone: mic, reference: far) } }
        }
        #expect(scene.output.allSatisfy { $0.isFinite && $0.magnitude < 8 })
        let calm = scene.output.count
        scene.run(far: speech(rate, 4, seed: 7))
        let start = Double(calm) / Double(rate)
        #expect(scene.attenuation(start + 3, start + 4) > 15)
    }

    @Test("Full-scale squares on both sides come out no louder than they went in, over 100 ms")
    func loudSquares() throws {
        let scene = try EchoScene(rate: 16_000)
        for turn in 0..<400 {
            let square = (0..<160).map { ($0 + turn * 7) % 40 < 20 ? Float(1) : -1 }
            let other = (0..<160).map { ($0 + turn * 3) % 26 < 13 ? Float(1) : -1 }
            scene.step(microphone: square, reference: other)
            if turn > 10 {
                #expect(Signals.power(scene.output.suffix(1600)) < 1.1, "block \(turn)")
            }
        }
    }

    @Test("Reset, it starts like new")
    func reset() throws {
        var controller = try EchoController(rate: 16_000, effort: .low)
        var noise = Noise(seed: 6)
        var alignment = ReferenceAlignment()
        alignment.isLocked = true
        alignment.farIsActive = true
        var output = [Float](repeating: 0, count: 160)
        for _ in 0..<300 {
            let far = (0..<160).map { _ in noise.next() * 0.1 }
            controller.process(microphone: far, reference: far, alignment: alignment, into: &output)
        }
        let before = controller.readings
        controller.reset()
        let after = controller.readings
        #expect(before.phase == .tracking)
        #expect(after.phase == .waiting)
        #expect(after.cancellation == 1)
    }

    @Test("A rate that it cannot run at is refused", arguments: [0, -16_000, 11_025, 22_050, 44_100, 96_000])
    func refused(rate: Int) {
        #expect(!EchoController.supports(rate: rate))
        #expect(throws: AudioUnitError.self) { _ = try EchoController(rate: rate, effort: .high) }
    }
}
