import AudioUnits
import Testing

@Suite("Voice-processing settings")
struct VoiceConfigurationTests {
    @Test("settings out of range are refused by name")
    func ranges() {
        let unit = VoiceProcessingIO(device: ManualDevice())
        func refused(_ name: String, _ change: (inout VoiceProcessingConfiguration) -> Void) {
            var configuration = VoiceProcessingConfiguration()
            change(&configuration)
            #expect {
                try unit.setConfiguration(configuration)
            } throws: {
                if case .outOfRange(let setting, _) = $0 as? AudioUnitError { setting == name } else { false }
            }
        }
        func refusedBySpeex(_ name: String, _ change: @escaping (inout SpeexDSPSettings) -> Void) {
            refused(name) {
                var settings = SpeexDSPSettings()
                change(&settings)
                $0.canceller = .speexdsp(settings)
            }
        }
        refusedBySpeex("tailMilliseconds") { $0.tailMilliseconds = 5 }
        refusedBySpeex("tailMilliseconds") { $0.tailMilliseconds = .nan }
        refusedBySpeex("residualSuppressionDecibels") { $0.residualSuppressionDecibels = -100 }
        refusedBySpeex("doubleTalkSuppressionDecibels") { $0.doubleTalkSuppressionDecibels = .infinity }
        refused("noiseSuppressionDecibels") { $0.noiseSuppressionDecibels = 3 }
        refused("gainTargetDecibels") { $0.gainTargetDecibels = 0 }
        refused("maximumGainDecibels") { $0.maximumGainDecibels = 31 }
        refused("gainReleaseMilliseconds") { $0.gainReleaseMilliseconds = 50 }
        refused("suppression.leakage.rising") { $0.tuning.suppression.leakage.rising = -1 }
        refused("tuning") { $0.tuning.cancellation.estimator.boldBlocks = 1000 }
    }

    @Test(
        "every quality of every canceller initializes and its tail is in force",
        arguments: VoiceProcessingConfiguration.Quality.allCases,
        VoiceProcessingConfiguration.Canceller.Name.allCases)
    func qualities(
        quality: VoiceProcessingConfiguration.Quality, canceller: VoiceProcessingConfiguration.Canceller.Name
    ) throws {
        let bench = try VoiceBench(rate: 16_000, far: []) {
            var configuration = VoiceProcessingConfiguration()
            configuration.quality = quality
            configuration.canceller = VoiceProcessingConfiguration.Canceller(canceller)
            try $0.setConfiguration(configuration)
        }
        bench.run(seconds: 0.1)
        #expect(bench.unit.configuration.canceller.name == canceller)
        #expect(throws: AudioUnitError.initialized(setting: "voice-processing configuration")) {
            try bench.unit.setConfiguration(VoiceProcessingConfiguration())
        }
    }

    @Test("formats that voice processing cannot run at are refused at initialize, and the device is given back")
    func formats() throws {
        func refusal(_ input: StreamFormat, _ output: StreamFormat) throws -> StreamFormat? {
            let device = ManualDevice()
            let unit = VoiceProcessingIO(device: device)
            try unit.enable(input: true, output: true)
            try unit.setFormat(input, scope: .output, element: Element.input)
            try unit.setFormat(output, scope: .input, element: Element.output)
            defer { #expect(!device.isOpen) }
            do throws(AudioUnitError) {
                try unit.initialize()
            } catch {
                if case .formatUnsupported(let format, _) = error { return format }
            }
            return nil
        }
        let good = StreamFormat(sampleRate: 16_000)
        let stereo = StreamFormat(sampleRate: 16_000, channels: 2)
        let fast = StreamFormat(sampleRate: 96_000)
        let odd = StreamFormat(sampleRate: 22_051)
        #expect(try refusal(stereo, good) == stereo)
        #expect(try refusal(fast, fast) == fast)
        #expect(try refusal(odd, odd) == odd)
        let disc = StreamFormat(sampleRate: 44_100)
        #expect(try refusal(disc, disc) == disc, "SpeexDSP alone runs at it")
        #expect(try refusal(good, StreamFormat(sampleRate: 48_000)) == StreamFormat(sampleRate: 48_000))
    }

    @Test("the delay is told stage by stage, and is what the samples show")
    func latency() throws {
        let bench = try VoiceBench(rate: 48_000, callRate: 16_000, far: []) {
            $0.echoCancellation = false
            $0.noiseSuppression = false
            $0.automaticGainControl = false
        }
        var near = [Float](repeating: 0, count: 48_000)
        for index in 0..<480 { near[24_000 + index] = 0.5 }
        bench.run(seconds: 1, near: near)
        let latency = bench.unit.latency
        #expect(latency.processing == 10)
        #expect(latency.captureDevice == 10)
        #expect(latency.playbackDevice == 10)
        #expect(try #require(latency.captureConversion) > 0)
        #expect(try #require(latency.playbackConversion) > 0)
        let arrived = try #require(bench.collector.samples.firstIndex { $0 > 0.25 })
        let expected = 500 + latency.processing! + latency.captureConversion!
        #expect(abs(Double(arrived) / 16 - expected) < 1)
        // The stamps say when a sample was at the microphone, whatever the delay.
        let notice = bench.collector.notices[arrived / 160]
        let first = notice.time.hostTime.milliseconds(since: .init(nanoseconds: 1_000_000_000_000))
        #expect(abs(first + Double(arrived % 160) / 16 - 500) < 1)
        bench.unit.uninitialize()
        #expect(bench.unit.latency.processing == nil)
    }
}
