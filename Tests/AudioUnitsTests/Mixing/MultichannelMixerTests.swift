import AudioUnits
import Glibc
import Testing

@Suite("Multichannel mixer")
struct MultichannelMixerTests {
    private func constant(_ left: Float, _ right: Float? = nil, rate: Double = 48_000) -> FunctionUnit {
        FunctionUnit(rate: rate, channels: right == nil ? 1 : 2) { _, channel in channel == 0 ? left : right ?? 0 }
    }

    /// A mixer over `sources`, its parameters set before it is initialized.
    private func rig(
        _ sources: [FunctionUnit], channels: Int = 2, configure: (MultichannelMixer) throws -> Void = { _ in }
    ) throws -> (GraphRig, MultichannelMixer) {
        let rig = try GraphRig(channels: channels)
        let mixer = MultichannelMixer()
        try mixer.setInputElements(sources.count)
        try mixer.setFormat(StreamFormat(sampleRate: 48_000, channels: channels), scope: .output, element: 0)
        for (index, source) in sources.enumerated() { try rig.graph.connect(source, to: mixer, input: index) }
        try configure(mixer)
        try rig.graph.connect(mixer, to: rig.output)
        try rig.graph.initialize()
        return (rig, mixer)
    }

    @Test("inputs add up with their volume, pan and the output's volume")
    func sums() throws {
        let (rig, _) = try rig([constant(0.5), constant(0.25, -0.5), constant(0.1)]) {
            try $0.setPan(-1, input: 0)
            try $0.setVolume(2, input: 1)
            try $0.setPan(1, input: 2)
            try $0.setOutputVolume(0.5)
        }
        let sound = try rig.output.pull(1_000, slices: [93, 500])
        #expect(sound[0].allSatisfy { abs($0 - 0.5 * (0.5 + 2 * 0.25)) < 1e-6 })
        #expect(sound[1].allSatisfy { abs($0 - 0.5 * (0.1 - 2 * 0.5)) < 1e-6 })
    }

    @Test("pan keeps the power of a mono input and balances a stereo one")
    func panLaw() throws {
        for pan in stride(from: Float(-1), through: 1, by: 0.25) {
            let (mono, _) = try rig([constant(0.5)]) { try $0.setPan(pan, input: 0) }
            let sound = try mono.output.pull(100)
            #expect(abs(sound[0][50] * sound[0][50] + sound[1][50] * sound[1][50] - 0.25) < 1e-6)
            #expect(abs(Double(sound[1][50]) - 0.5 * sin(Double(pan + 1) * .pi / 4)) < 1e-6)
            let (stereo, _) = try rig([constant(0.5, 0.5)]) { try $0.setPan(pan, input: 0) }
            let both = try stereo.output.pull(100)
            #expect(abs(both[0][50] - 0.5 * min(1, 1 - pan)) < 1e-6)
            #expect(abs(both[1][50] - 0.5 * min(1, 1 + pan)) < 1e-6)
        }
    }

    @Test("a mono output takes the mean of stereo and the whole of mono")
    func monoOutput() throws {
        let (rig, _) = try rig([constant(0.5), constant(0.25, 0.75)], channels: 1) { try $0.setPan(-1, input: 0) }
        #expect(try rig.output.pull(500)[0].allSatisfy { abs($0 - 1) < 1e-6 })
    }

    @Test("each input has a format of its own; more than two channels are mixed down by the converter's rule")
    func formats() throws {
        let four = FunctionUnit(rate: 16_000, channels: 4) { _, channel in [0.1, 0.2, 0.3, 0.6][channel] }
        let (rig, _) = try rig([constant(0.5, rate: 44_100), four]) { try $0.setPan(-1, input: 0) }
        let sound = try rig.output.pull(9_600)
        #expect(abs(sound[0][9_000] - 0.7) < 1e-3 && abs(sound[1][9_000] - 0.4) < 1e-3)
    }

    @Test("an input that is off stands still, and goes on from there when it is on again")
    func disabled() throws {
        let source = FunctionUnit { frame, _ in Float(frame) / 1_000_000 }
        let (rig, mixer) = try rig([source], channels: 1)
        _ = try rig.output.pull(4_800)
        try mixer.setEnabled(false, input: 0)
        #expect(try !mixer.isEnabled(input: 0))
        let fading = try rig.output.pull(480)[0]
        #expect(fading[0] > 0.004 && fading[479] == 0)
        #expect(try rig.output.pull(4_800)[0].allSatisfy { $0 == 0 })
        #expect(source.statistics.outputFrames == 5_280)
        try mixer.setEnabled(true, input: 0)
        _ = try rig.output.pull(480)
        #expect(try rig.output.pull(1)[0] == [5_760 / 1_000_000])
    }

    @Test("what changes while an input is silent has changed when it sounds again")
    func changedInSilence() throws {
        let rig = try GraphRig(channels: 1)
        let (queue, mixer) = (AudioQueue(), MultichannelMixer())
        try queue.setFormat(StreamFormat(sampleRate: 48_000), scope: .output, element: 0)
        try mixer.setInputElements(1)
        try mixer.setFormat(StreamFormat(sampleRate: 48_000), scope: .output, element: 0)
        try rig.graph.connect(queue, to: mixer, input: 0)
        try rig.graph.connect(mixer, to: rig.output)
        try rig.graph.initialize()
        _ = try rig.output.pull(480)
        for (volume, heard) in [(0.5, 0.25), (0, 0), (1, 0.5)] as [(Float, Float)] {
            try mixer.setVolume(volume, input: 0)
            _ = try rig.output.pull(960)
            try queue.enqueue(AudioQueueBuffer([Float](repeating: 0.5, count: 480)))
            #expect(try rig.output.pull(480)[0].allSatisfy { abs($0 - heard) < 1e-6 }, "volume \(volume)")
            _ = try rig.output.pull(480)
        }
    }

    @Test("volume and pan move without a step")
    func noSteps() throws {
        let sine = FunctionUnit { frame, _ in Float(sin(2 * .pi * 100 * Double(frame) / 48_000)) }
        let (rig, mixer) = try rig([sine])
        var sound: [Float] = []
        for turn in 0..<60 {
            try mixer.setVolume(turn % 2 == 0 ? 0 : 1, input: 0)
            try mixer.setPan(turn % 3 == 0 ? -1 : 1, input: 0)
            try mixer.setOutputVolume(turn % 5 == 0 ? 0.1 : 1)
            sound += try rig.output.pull(333, slices: [333])[0]
        }
        let steps = zip(sound.dropFirst(), sound).map { abs($0 - $1) }
        #expect(try #require(steps.max()) < 0.02)
    }

    @Test("meters show average and peak of the last 100 ms within 0.1 dB, whatever the slices", arguments: [64, 93, 1024])
    func meters(slice: Int) throws {
        var noise = Noise(seed: 9)
        let samples = (0..<48_000).map { _ in noise.next() * 0.4 }
        let tone = FunctionUnit(channels: 2) { frame, channel in
            (channel == 0 ? 0.5 : 0.05) * Float(sin(2 * .pi * 437 * Double(frame) / 48_000))
        }
        let hiss = FunctionUnit { frame, _ in samples[frame % 48_000] }
        let (rig, mixer) = try rig([tone, hiss]) {
            $0.isMetering = true
            try $0.setVolume(0.5, input: 1)
            try $0.setPan(-1, input: 1)
        }
        let sound = try rig.output.pull(24_000, slices: [slice])
        let whole = 24_000 / 4_800 * 4_800
        func truth(_ samples: ArraySlice<Float>) -> MeterLevel {
            MeterLevel(
                average: Signals.decibels(Signals.power(samples)),
                peak: 20 * log10(Double(samples.map { abs($0) }.max()!)))
        }
        func check(_ level: MeterLevel, _ truth: MeterLevel) {
            #expect(abs(level.average - truth.average) < 0.01 && abs(level.peak - truth.peak) < 0.01, "\(level) \(truth)")
        }
        check(try mixer.level(input: 0), MeterLevel(average: -9.03, peak: -6.02))
        check(try mixer.level(input: 0, channel: 1), MeterLevel(average: -29.03, peak: -26.02))
        check(try mixer.level(input: 1), truth(samples[(whole - 4_800)..<whole]))
        check(mixer.outputLevel(), truth(sound[0][(whole - 4_800)..<whole]))
        check(mixer.outputLevel(channel: 1), truth(sound[1][(whole - 4_800)..<whole]))
        try rig.graph.disconnect(mixer, input: 0)
        _ = try rig.output.pull(14_400)
        #expect(try mixer.level(input: 0) == .silence)
        mixer.isMetering = false
        _ = try rig.output.pull(480)
        #expect(mixer.outputLevel() == .silence)
    }

    @Test("the element count is set before, parameters at any time; each wrong order says so")
    func order() throws {
        let (rig, mixer) = try rig([constant(0.5), constant(0.5)], channels: 1)
        #expect(throws: AudioUnitError.initialized(setting: "input elements")) { try mixer.setInputElements(3) }
        #expect(throws: AudioUnitError.noSuchElement(2)) { try mixer.setVolume(1, input: 2) }
        #expect(throws: AudioUnitError.noSuchElement(-1)) { try mixer.level(input: -1) }
        #expect(throws: AudioUnitError.outOfRange(setting: "volume", allowed: "0 to 4")) {
            try mixer.setVolume(.nan, input: 0)
        }
        #expect(throws: AudioUnitError.outOfRange(setting: "pan", allowed: "-1 to 1")) { try mixer.setPan(2, input: 0) }
        try mixer.setVolume(0.25, input: 1)
        rig.graph.uninitialize()
        try mixer.setInputElements(3)
        #expect(try mixer.volume(input: 1) == 0.25 && mixer.volume(input: 2) == 1)
        #expect(throws: AudioUnitError.outOfRange(setting: "input elements", allowed: "1 to 1024")) {
            try mixer.setInputElements(0)
        }
        let six = StreamFormat(sampleRate: 48_000, channels: 6)
        #expect(throws: AudioUnitError.self) { try mixer.setFormat(six, scope: .output, element: 0) }
    }
}
