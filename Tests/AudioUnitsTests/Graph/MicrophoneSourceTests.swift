import AudioUnits
import CAudit
import Realtime
import Testing

/// A graph over a device moved by hand, whose microphone hears a numbered signal.
private final class MicrophoneRig {
    let device: ManualDevice
    let unit: RemoteIO
    let graph: AudioGraph
    private let heard: (Int) -> Float
    private var captured = 0
    var played: [Float] = []

    init(
        rate: Double = 48_000, channels: Int = 1, maximumFrames: Int = 4_096, _ heard: @escaping (Int) -> Float
    ) throws {
        device = ManualDevice(rate: rate, channels: channels, maximumFrames: maximumFrames)
        unit = RemoteIO(device: device)
        try unit.enable(input: true, output: true)
        graph = AudioGraph(output: unit)
        self.heard = heard
    }

    func begin() throws {
        try graph.initialize()
        try graph.start()
    }

    func capture(_ frames: Int) {
        let channels = device.captureFormat.channels
        device.capture(
            (0..<frames * channels).map { heard(captured + $0 / channels) * ($0 % channels == 0 ? 1 : -1) })
        captured += frames
    }

    /// Both directions by one clock for `frames` frames, in blocks of these sizes.
    func run(_ frames: Int, captureBlock: Int, playBlock: Int, captureFirst: Bool = true) {
        var taken = captured
        let end = captured + frames
        var given = played.count / device.playbackFormat.channels
        for time in captured..<end {
            let captureIsDue = time + 1 - taken == captureBlock
            if captureIsDue, captureFirst { capture(captureBlock) }
            if time + 1 - given == playBlock {
                played += device.play(playBlock)
                given += playBlock
            }
            if captureIsDue, !captureFirst { capture(captureBlock) }
            if captureIsDue { taken = time + 1 }
        }
    }
}

@Suite("The microphone as a source")
struct MicrophoneSourceTests {
    /// What the mixer's middle of two channels makes of a mono source.
    private static let middle = Float(0.5).squareRoot()

    /// Never zero, never the same twice within the test.
    private static func number(_ frame: Int) -> Float { Float(frame + 1) / 262_144 }

    @Test(
        "is heard sample for sample, one captured block and one slice old, whatever the sizes of the blocks",
        arguments: [(480, 480), (480, 128), (128, 480), (441, 64), (93, 512)], [true, false])
    func blockSizes(blocks: (capture: Int, play: Int), captureFirst: Bool) throws {
        let rig = try MicrophoneRig(Self.number)
        try rig.graph.connect(rig.unit, to: rig.unit)
        try rig.begin()
        rig.run(48_000, captureBlock: blocks.capture, playBlock: blocks.play, captureFirst: captureFirst)
        try expectWhole(rig, blocks)
    }

    @Test(
        "is heard without a gap when unit or graph cut a block into slices",
        arguments: [(960, 960), (480, 960), (960, 128), (4_096, 480)], [(128, 1_024), (1_024, 100), (50, 64)])
    func slices(blocks: (capture: Int, play: Int), maximums: (unit: Int, graph: Int)) throws {
        let rig = try MicrophoneRig(Self.number)
        try rig.unit.setMaximumFramesPerSlice(maximums.unit)
        try rig.graph.setMaximumFramesPerSlice(maximums.graph)
        try rig.graph.connect(rig.unit, to: rig.unit)
        try rig.begin()
        rig.run(48_000, captureBlock: blocks.capture, playBlock: blocks.play)
        try expectWhole(rig, blocks)
    }

    @Test("is heard in both channels without a gap when the hardware comes back with longer blocks")
    func longerBlocks() throws {
        let rig = try MicrophoneRig(channels: 2, maximumFrames: 256) { _ in 0.25 }
        let format = StreamFormat(sampleRate: 48_000, channels: 2)
        try rig.unit.setFormat(format, scope: .output, element: Element.input)
        try rig.unit.setMaximumFramesPerSlice(128)
        try rig.graph.connect(rig.unit, to: rig.unit)
        try rig.begin()
        rig.run(4_800, captureBlock: 240, playBlock: 240)
        rig.device.change(
            capture: true, to: DeviceStreamFormat(sampleRate: 48_000, channels: 2, periodFrames: 480, maximumFrames: 480))
        rig.run(9_600, captureBlock: 480, playBlock: 240)
        let before = rig.played.count
        rig.run(9_600, captureBlock: 480, playBlock: 240)
        #expect(rig.played.count - before == 2 * 9_600)
        #expect(rig.played[before...].enumerated().allSatisfy { $1 == ($0 % 2 == 0 ? 0.25 : -0.25) })
        rig.graph.dispose()
    }

    /// Expects that of what is numbered nothing is left out, repeated or zeroed once it sounds; ends the graph.
    private func expectWhole(_ rig: MicrophoneRig, _ blocks: (capture: Int, play: Int)) throws {
        let first = try #require(rig.played.firstIndex { $0 != 0 })
        let start = rig.played[first]
        for (index, sample) in rig.played[first...].enumerated() {
            guard sample == start + Float(index) / 262_144 else {
                Issue.record("frame \(index) of \(blocks) is \(sample)")
                break
            }
        }
        let age = first + 1 - Int(start * 262_144)
        #expect(age <= 2 * (blocks.capture + blocks.play), "\(age) frames old")
        #expect(rig.unit.statistics.shortFills == 0 && rig.unit.statistics.droppedInputFrames == 0)
        rig.graph.dispose()
    }

    @Test("mixes with other sources of the graph, and the input handler still gets all of it")
    func karaoke() throws {
        let rig = try MicrophoneRig { _ in 0.25 }
        let mixer = MultichannelMixer()
        let collector = InputCollector()
        try rig.unit.setInputHandler(collector.handler)
        try rig.graph.connect(FunctionUnit { _, _ in 0.5 }, to: mixer, input: 0)
        try rig.graph.connect(rig.unit, to: mixer, input: 1)
        try rig.graph.connect(mixer, to: rig.unit)
        try rig.begin()
        rig.run(9600, captureBlock: 480, playBlock: 480)
        #expect(rig.played[..<480].allSatisfy { abs($0 - 0.5 * Self.middle) < 1e-6 })
        #expect(rig.played[2400...].allSatisfy { abs($0 - 0.75 * Self.middle) < 1e-6 })
        #expect(collector.samples == Array(repeating: 0.25, count: 9600))
        rig.graph.dispose()
    }

    @Test("comes at its own rate, channels and sample type, and is converted")
    func formats() throws {
        let tone = Signals.sine(440, rate: 48_000, count: 96_000, amplitude: 0.25)
        let rig = try MicrophoneRig(channels: 2) { tone[$0] }
        try rig.unit.setFormat(
            StreamFormat(sampleRate: 16_000, channels: 2, sampleType: .int16, interleaved: true), scope: .output,
            element: Element.input)
        let mixer = MultichannelMixer()
        try mixer.setFormat(StreamFormat(sampleRate: 48_000, channels: 2), scope: .output, element: 0)
        try rig.graph.connect(rig.unit, to: mixer)
        try rig.graph.connect(mixer, to: rig.unit)
        try rig.begin()
        #expect(try mixer.format(scope: .input, element: 0) == StreamFormat(sampleRate: 16_000, channels: 2))
        rig.run(48_000, captureBlock: 480, playBlock: 256)
        let left = stride(from: 48_000, to: 90_000, by: 2).map { rig.played[$0] }
        let right = stride(from: 48_001, to: 90_001, by: 2).map { rig.played[$0] }
        #expect(abs(Signals.power(left[...]) - 0.03125) < 0.0005, "\(Signals.power(left[...]))")
        #expect(zip(left, right).allSatisfy { abs($0 + $1) < 1e-4 })
        rig.graph.dispose()
    }

    @Test("has to be on, belongs to the graph's own output, and feeds one input")
    func refusals() throws {
        let rig = try MicrophoneRig { _ in 0 }
        let mixer = MultichannelMixer()
        let stranger = RemoteIO(device: ManualDevice())
        #expect(throws: AudioUnitError.notInGraph(unit: "auou/rioc/yodl")) {
            try rig.graph.connect(stranger, to: mixer)
        }
        #expect(throws: AudioUnitError.noSuchElement(0)) { try rig.graph.connect(rig.unit, output: 0, to: mixer) }
        try rig.graph.connect(rig.unit, to: mixer, input: 3)
        #expect(throws: AudioUnitError.outputTaken(unit: "auou/rioc/yodl", element: 1)) {
            try rig.graph.connect(rig.unit, to: mixer, input: 4)
        }
        #expect(throws: AudioUnitError.inputTaken(unit: "aumx/mcmx/yodl", element: 3)) {
            try rig.graph.connect(FunctionUnit { _, _ in 0 }, to: mixer, input: 3)
        }
        try rig.graph.connect(mixer, to: rig.unit)
        try rig.unit.enable(input: false, output: true)
        #expect(throws: AudioUnitError.inputDisabled(unit: "auou/rioc/yodl")) { try rig.graph.initialize() }
        try rig.unit.enable(input: true, output: true)
        try rig.begin()
        rig.graph.dispose()
    }

    @Test("is taken away and comes back while it runs: nothing of before is heard again")
    func reconnection() throws {
        let rig = try MicrophoneRig { frame in frame < 48_000 ? 0.5 : -0.5 }
        let mixer = MultichannelMixer()
        try rig.graph.connect(rig.unit, to: mixer)
        try rig.graph.connect(mixer, to: rig.unit)
        try rig.begin()
        rig.run(24_000, captureBlock: 480, playBlock: 480)
        #expect(abs((rig.played.last ?? 0) - 0.5 * Self.middle) < 1e-6)
        try rig.graph.disconnect(mixer)
        rig.run(48_000, captureBlock: 480, playBlock: 480)
        #expect(rig.graph.isSettled && rig.played.last == 0)
        let away = rig.played.count
        try rig.graph.connect(rig.unit, to: mixer)
        rig.run(9_600, captureBlock: 480, playBlock: 480)
        #expect(rig.played[away...].allSatisfy { $0 <= 0 })
        #expect(abs((rig.played.last ?? 0) + 0.5 * Self.middle) < 1e-6)
        rig.graph.dispose()
    }

    @Test("of a device whose playback stood still is cut back to the reserve, and that is counted")
    func surplus() throws {
        let rig = try MicrophoneRig(Self.number)
        try rig.graph.connect(rig.unit, to: rig.unit)
        try rig.begin()
        rig.run(4_800, captureBlock: 480, playBlock: 480)
        for _ in 0..<5 { rig.capture(480) }
        rig.played += rig.device.play(480)
        let dropped = rig.unit.statistics.droppedInputFrames
        #expect(dropped >= 5 * 480 - 960 && dropped <= 5 * 480, "\(dropped)")
        // A stop so long that the line is full begins anew.
        for _ in 0..<40 { rig.capture(480) }
        let before = rig.played.count
        rig.run(9_600, captureBlock: 480, playBlock: 480)
        #expect(rig.played[before...].allSatisfy { $0 == 0 || $0 > Self.number(4_800 + 40 * 480) })
        #expect((rig.played.last ?? 0) > 0)
        rig.graph.dispose()
    }

    @Test("passes through voice processing, bypassed or not")
    func voiceProcessing() throws {
        let device = ManualDevice(rate: 16_000)
        let unit = VoiceProcessingIO(device: device)
        let format = StreamFormat(sampleRate: 16_000)
        try unit.setFormat(format, scope: .output, element: Element.input)
        try unit.enable(input: true, output: true)
        unit.isBypassed = true
        let graph = AudioGraph(output: unit)
        try graph.connect(unit, to: unit)
        try graph.initialize()
        try graph.start()
        var played: [Float] = []
        for turn in 0..<100 {
            device.capture((0..<160).map { Self.number(turn * 160 + $0) })
            played += device.play(160)
        }
        let first = try #require(played.firstIndex { $0 != 0 })
        #expect(zip(played[first...], played[(first + 1)...]).allSatisfy { abs($1 - $0 - 1 / 262_144) < 1e-7 })
        graph.dispose()
    }

    @Test("keeps the render contract: no allocation, free or lock on either device thread")
    func contract() throws {
        let rig = try MicrophoneRig(channels: 2) { _ in 0 }
        let format = StreamFormat(sampleRate: 44_100, channels: 2, sampleType: .int16, interleaved: true)
        try rig.unit.setFormat(format, scope: .output, element: Element.input)
        let mixer = MultichannelMixer()
        try rig.graph.connect(rig.unit, to: mixer)
        try rig.graph.connect(mixer, to: rig.unit)
        try rig.begin()
        let block = UnsafeMutablePointer<Float>.allocate(capacity: 960)
        defer { block.deallocate() }
        audit_begin()
        for _ in 0..<50 { rig.device.turn(block, frames: 480) }
        let counts = audit_end()
        #expect(counts.allocations == 0 && counts.frees == 0 && counts.locks == 0)
        rig.graph.dispose()
    }
}
