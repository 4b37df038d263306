import AudioUnits
import Glibc
import Testing

@Suite("Mute and bypass")
struct VoiceMuteBypassTests {
    @Test("muted, the input handler gets exact zeros and the canceller goes on learning")
    func muteIsSilence() throws {
        let far = Signals.speechLike(rate: 16_000, seconds: 12, seed: 3)
        let bench = try VoiceBench(rate: 16_000, far: far) { $0.isMuted = true }
        bench.run(seconds: 6)
        #expect(bench.collector.samples.count == 96_000)
        #expect(bench.collector.samples.allSatisfy { $0 == 0 })
        bench.unit.isMuted = false
        bench.run(seconds: 3)
        #expect(bench.attenuation(from: 6.1, to: 9) >= 20)
    }

    @Test("mute works in bypass")
    func muteInBypass() throws {
        let bench = try VoiceBench(rate: 16_000, far: Signals.sine(440, rate: 16_000, count: 16_000)) {
            $0.isBypassed = true
            $0.isMuted = true
        }
        bench.run(seconds: 1)
        #expect(bench.collector.samples.allSatisfy { $0 == 0 })
    }

    /// Runs one unit over ragged blocks and returns input, slice sizes, and what was played.
    private func run(
        _ unit: any InputOutputUnit, _ device: ManualDevice, rate: Double
    ) throws -> (input: [Float], sizes: [Int], output: [Float]) {
        let collector = InputCollector()
        let feeder = OutputFeeder(Signals.speechLike(rate: rate, seconds: 2, seed: 21))
        try unit.enable(input: true, output: true)
        try unit.setFormat(StreamFormat(sampleRate: rate), scope: .output, element: Element.input)
        try unit.setFormat(StreamFormat(sampleRate: rate), scope: .input, element: Element.output)
        try unit.setInputHandler(collector.handler)
        try unit.setRenderCallback(feeder.callback)
        try unit.initialize()
        try unit.start()
        var noise = Noise(seed: 2)
        var output: [Float] = []
        for turn in 0..<200 {
            let frames = [93, 93, 92, 480, 1024, 7, 4096][turn % 7]
            device.capture((0..<frames).map { _ in noise.next() * 1.5 })
            output += device.play(frames)
        }
        unit.dispose()
        return (collector.samples, collector.sizes, output)
    }

    @Test("bypassed, the unit equals RemoteIO bit for bit", arguments: [16_000.0, 24_000, 48_000])
    func bypassIsRemoteIO(rate: Double) throws {
        let remoteDevice = ManualDevice()
        let remote = try run(RemoteIO(device: remoteDevice), remoteDevice, rate: rate)
        let voiceDevice = ManualDevice()
        let voice = VoiceProcessingIO(device: voiceDevice)
        voice.isBypassed = true
        let bypassed = try run(voice, voiceDevice, rate: rate)
        #expect(remote.input == bypassed.input)
        #expect(remote.sizes == bypassed.sizes)
        #expect(remote.output == bypassed.output)
        #expect(remote.input.contains { $0.magnitude > 0.5 })
    }

    @Test("the output is RemoteIO's also while processing")
    func outputIsUntouched() throws {
        let remoteDevice = ManualDevice()
        let remote = try run(RemoteIO(device: remoteDevice), remoteDevice, rate: 48_000)
        let voiceDevice = ManualDevice()
        let voice = try run(VoiceProcessingIO(device: voiceDevice), voiceDevice, rate: 48_000)
        #expect(remote.output == voice.output)
    }

    @Test("switching bypass on and off loses no frame")
    func toggling() throws {
        let bench = try VoiceBench(rate: 16_000, far: [])
        for turn in 0..<40 {
            bench.unit.isBypassed = turn % 3 == 0
            bench.device.capture([Float](repeating: 0.1, count: 93 + turn))
        }
        bench.unit.isBypassed = true
        bench.device.capture([Float](repeating: 0.1, count: 200))
        #expect(bench.collector.samples.count == (0..<40).reduce(200) { $0 + 93 + $1 })
    }

    /// Switches that are thrown.
    enum Switches: CaseIterable { case mute, bypass, quality, all }

    @Test(
        "mute, bypass and quality thrown at random a thousand times make no click, and the canceller stays converged",
        arguments: Switches.allCases)
    func noClicks(switches: Switches) throws {
        let rate = 16_000.0
        let speech = Signals.speechLike(rate: rate, seconds: 8, seed: 3)
        let bench = try VoiceBench(rate: rate, far: speech + [Float](repeating: 0, count: 192_000) + speech) {
            $0.automaticGainControl = false
            $0.noiseSuppression = false
        }
        bench.run(seconds: 9)
        var noise = Noise(seed: 77)
        // The loudspeaker is silent, so that all there is to hear is a low tone whose steps would stand out.
        var start = 0
        var phase = 0.0
        for turn in -20..<1000 {
            // The tone's own beginning is none of the switches' doing.
            if turn == 0 { start = bench.collector.samples.count }
            let draw = switches == .mute ? -1 : switches == .bypass ? 0 : switches == .quality ? 1 : noise.next()
            switch turn < 0 ? nil : draw {
            case nil: break
            case .some(..<(-0.33)): bench.unit.isMuted.toggle()
            case .some(..<0.33): bench.unit.isBypassed.toggle()
            default: bench.unit.quality = noise.next() < -0.33 ? .low : noise.next() < 0 ? .medium : .high
            }
            let tone = (0..<160).map { _ -> Float in
                phase += 2 * .pi * 200 / rate
                return 0.1 * Float(sin(phase))
            }
            bench.device.capture(tone)
            _ = bench.device.play(160)
        }
        let heard = Array(bench.collector.samples[start...])
        var worst: Float = 0
        for index in 6..<heard.count {
            // Sixth difference: a tone of 200 Hz is 130 dB down in it, a step comes out at 20 times its height.
            let x = heard[index - 6...index]
            let c: [Float] = [1, -6, 15, -20, 15, -6, 1]
            worst = max(worst, zip(x, c).reduce(Float(0)) { $0 + $1.0 * $1.1 }.magnitude / 20)
        }
        print("loudest click, \(switches):", 2 * Signals.decibels(worst), "dBFS")
        #expect(worst < 1e-3)
        bench.unit.isMuted = false
        bench.unit.isBypassed = false
        bench.unit.quality = .high
        bench.run(seconds: 1.5)
        let from = bench.microphone.count
        let before = bench.collector.samples.count
        bench.run(seconds: 4)
        let mic = Signals.power(bench.microphone[from...])
        let out = Signals.power(bench.collector.samples[before...])
        print("attenuation after the switches:", Signals.decibels(mic / out))
        #expect(Signals.decibels(mic / out) > 20)
    }
}
