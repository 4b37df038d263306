import AudioUnits
import Testing

@Suite("Echo control")
struct VoiceEchoTests {
    @Test(
        "the echo of a room is 25 dB down after three seconds, wherever it comes from",
        arguments: [
            (8000.0, 0.04), (16_000, 0), (16_000, 0.04), (16_000, 0.25), (32_000, 0.04), (48_000, 0), (48_000, 0.04),
        ])
    func cancelsTheRoom(rate: Double, delay: Double) throws {
        let far = Signals.speechLike(rate: rate, seconds: 12, seed: 3)
        let bench = try VoiceBench(rate: rate, delaySeconds: delay, far: far)
        bench.run(seconds: 10)
        let early = bench.attenuation(from: 0, to: 3)
        let late = bench.attenuation(from: 4, to: 10)
        print("ERLE \(Int(rate)) Hz, \(Int(delay * 1000)) ms: first 3 s \(early), later \(late)", bench.unit.echoState)
        #expect(late >= 25)
        #expect(early >= 20)
        let state = bench.unit.echoState
        #expect(state.converged)
        #expect(try #require(state.erleDB) > 20)
        #expect(state.realignCount == 0)
        #expect(state.doubleTalk == false)
        #expect(!state.hasNoEchoPath && !state.echoIsAudible && !state.microphoneIsClipping)
        #expect(abs(try #require(state.driftPPM)) < 5)
        #expect(abs(try #require(state.delayMs) - delay * 1000) < 2)
    }

    @Test("drift of either sign costs nothing, and is told", arguments: [-200.0, -50, 100, 300])
    func drift(ppm: Double) throws {
        let far = Signals.speechLike(rate: 16_000, seconds: 21, seed: 6)
        let bench = try VoiceBench(rate: 16_000, delaySeconds: 0.08, driftPPM: ppm, far: far)
        bench.run(seconds: 20)
        let early = bench.attenuation(from: 0, to: 3)
        let late = bench.attenuation(from: 6, to: 20)
        print("ERLE at \(ppm) ppm: first 3 s \(early), later \(late)", bench.unit.echoState)
        #expect(late >= 25)
        let state = bench.unit.echoState
        #expect(abs(try #require(state.driftPPM) - ppm) < 5)
        #expect(state.realignCount == 0)
    }

    @Test("an echo that jumps by 100 ms is under control again within 2 s", arguments: [0.05, 0.25])
    func jump(to delay: Double) throws {
        let far = Signals.speechLike(rate: 16_000, seconds: 21, seed: 3)
        let bench = try VoiceBench(rate: 16_000, delaySeconds: 0.15, far: far)
        bench.run(seconds: 8)
        bench.room = EchoRoom(rate: 16_000, rt60: 0.28, delaySeconds: delay, gain: 0.7, block: 160, seed: 12)
        bench.run(seconds: 8)
        let first = bench.attenuation(from: 8, to: 10)
        let then = bench.attenuation(from: 10, to: 16)
        print("jump from 150 ms to \(delay * 1000): 2 s after \(first), then \(then)", bench.unit.echoState)
        #expect(then >= 20)
        #expect(bench.unit.echoState.realignCount == 1)
        #expect(abs(try #require(bench.unit.echoState.delayMs) - delay * 1000) < 2)
    }

    @Test("SpeexDSP alone takes the echo of a near room 20 dB down after six seconds", arguments: [0, 0.04])
    func speexAlone(delay: Double) throws {
        let far = Signals.speechLike(rate: 16_000, seconds: 12, seed: 3)
        let bench = try VoiceBench(rate: 16_000, delaySeconds: delay, far: far) { try $0.useSpeexAlone() }
        bench.run(seconds: 10)
        let attenuation = bench.attenuation(from: 6, to: 10)
        print("ERLE of SpeexDSP alone, \(Int(delay * 1000)) ms:", attenuation, bench.unit.echoState)
        #expect(attenuation >= 20)
        #expect(bench.unit.echoState.doubleTalk == nil)
        #expect(bench.unit.echoState.delayMs == nil)
    }

    @Test("a device at another rate than the call is cancelled too")
    func cancelsThroughConversion() throws {
        let far = Signals.speechLike(rate: 16_000, seconds: 12, seed: 4)
        let bench = try VoiceBench(rate: 48_000, callRate: 16_000, far: far)
        bench.run(seconds: 10)
        let attenuation = bench.attenuation(from: 6, to: 10)
        print("ERLE 48000 Hz device, 16000 Hz call:", attenuation, bench.unit.echoState)
        #expect(attenuation >= 20)
    }

    @Test("with the canceller off the echo stays")
    func offIsOff() throws {
        let far = Signals.speechLike(rate: 16_000, seconds: 8, seed: 3)
        let bench = try VoiceBench(rate: 16_000, far: far) {
            $0.echoCancellation = false
            $0.noiseSuppression = false
            $0.automaticGainControl = false
        }
        bench.run(seconds: 7)
        #expect(abs(bench.attenuation(from: 4, to: 7)) < 1)
        #expect(!bench.unit.echoState.converged)
    }

    @Test("the near end comes through while the far end is silent")
    func passesTheNearEnd() throws {
        let near = Signals.speechLike(rate: 16_000, seconds: 6, seed: 8)
        let bench = try VoiceBench(rate: 16_000, far: []) { $0.automaticGainControl = false }
        bench.run(seconds: 6, near: near)
        #expect(abs(bench.attenuation(from: 2, to: 6)) < 3)
        #expect(bench.unit.echoState.erleDB == nil)
    }

    @Test("stamps that jump while the echo stays move nothing")
    func lyingStamps() throws {
        let far = Signals.speechLike(rate: 16_000, seconds: 20, seed: 3)
        let bench = try VoiceBench(rate: 16_000, delaySeconds: 0.1, far: far)
        bench.run(seconds: 4)
        bench.device.captureStampError = -0.2
        bench.run(seconds: 8)
        #expect(bench.unit.echoState.realignCount == 0)
        #expect(bench.attenuation(from: 5, to: 12) >= 25)
    }

    @Test("SpeexDSP alone: stamps that jump move the reference once, after half a second, and it is counted")
    func realigns() throws {
        let far = Signals.speechLike(rate: 16_000, seconds: 20, seed: 3)
        let bench = try VoiceBench(rate: 16_000, far: far) { try $0.useSpeexAlone() }
        bench.run(seconds: 3)
        #expect(bench.unit.echoState.realignCount == 0)
        bench.device.captureStampError = -0.2
        bench.run(seconds: 0.4)
        #expect(bench.unit.echoState.realignCount == 0)
        bench.run(seconds: 3)
        #expect(bench.unit.echoState.realignCount == 1)
        bench.device.captureStampError = -0.202
        bench.run(seconds: 3)
        #expect(bench.unit.echoState.realignCount == 1, "2 ms are within the tolerance")
    }

    @Test("without an output element the microphone is still processed")
    func inputAlone() throws {
        let device = ManualDevice(rate: 16_000)
        let unit = VoiceProcessingIO(device: device)
        let collector = InputCollector()
        try unit.enable(input: true, output: false)
        try unit.setFormat(StreamFormat(sampleRate: 16_000), scope: .output, element: Element.input)
        try unit.setInputHandler(collector.handler)
        try unit.initialize()
        try unit.start()
        for _ in 0..<50 { device.capture([Float](repeating: 0.01, count: 160)) }
        #expect(collector.samples.count == 8_000)
        unit.dispose()
    }
}

extension VoiceProcessingIO {
    /// The canceller to compare with.
    func useSpeexAlone() throws {
        var configuration = self.configuration
        configuration.canceller = .speexdsp(SpeexDSPSettings())
        configuration.quality = .medium
        try setConfiguration(configuration)
    }
}
