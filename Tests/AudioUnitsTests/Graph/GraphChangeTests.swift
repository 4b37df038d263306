import AudioDevices
import AudioUnits
import CAudit
import Glibc
import Realtime
import Testing

@Suite("Changing a graph while it renders")
struct GraphChangeTests {
    private func sine(_ frequency: Double, amplitude: Float = 0.25) -> FunctionUnit {
        FunctionUnit { frame, _ in amplitude * Float(sin(2 * .pi * frequency * Double(frame) / 48_000)) }
    }

    /// The largest fourth difference: near nothing for low tones, large at any step.
    private func roughness(_ samples: [Float]) -> Float {
        var values = samples
        for _ in 0..<4 { values = zip(values.dropFirst(), values).map { $0 - $1 } }
        return values.map { abs($0) }.max() ?? 0
    }

    @Test(
        "what is not touched by a change plays on, sample for sample; what comes and goes makes no step",
        arguments: [480, 93, 1024])
    func untouched(slice: Int) throws {
        func run(changing: Bool) throws -> [Float] {
            let rig = try GraphRig()
            let mixer = MultichannelMixer()
            try mixer.setFormat(StreamFormat(sampleRate: 48_000), scope: .output, element: 0)
            try rig.graph.connect(sine(100), to: mixer, input: 0)
            try rig.graph.connect(mixer, to: rig.output)
            try rig.graph.initialize()
            var all: [Float] = []
            for turn in 0..<40 {
                if changing {
                    if turn % 8 == 3 { try rig.graph.connect(sine(130), to: mixer, input: 1) }
                    if turn % 8 == 6 { try rig.graph.disconnect(mixer, input: 1) }
                }
                all += try rig.output.pull(slice, slices: [slice])[0]
            }
            return all
        }
        let steady = try run(changing: false)
        let changed = try run(changing: true)
        let difference = zip(changed, steady).map { $0 - $1 }
        #expect(difference.contains { abs($0) > 0.2 })
        #expect(roughness(steady) < 1e-6)
        // A cut in the middle of this sine would be 0.25.
        #expect(roughness(changed) < 0.001, "\(roughness(changed))")
    }

    @Test("a unit goes into the middle of a chain, and out again, without a step or a lost frame")
    func insertion() throws {
        let rig = try GraphRig()
        let source = sine(100)
        let gain = GainUnit(0.5)
        try rig.graph.connect(source, to: rig.output)
        try rig.graph.initialize()
        var all = try rig.output.pull(4_800)[0]
        try rig.graph.change { (changes) throws(AudioUnitError) in
            try changes.disconnect(rig.output)
            try changes.connect(source, to: gain)
            try changes.connect(gain, to: rig.output)
        }
        #expect(!rig.graph.isSettled)
        all += try rig.output.pull(4_800)[0]
        #expect(rig.graph.isSettled)
        try rig.graph.change { (changes) throws(AudioUnitError) in
            try changes.remove(gain)
            try changes.connect(source, to: rig.output)
        }
        all += try rig.output.pull(4_800)[0]
        #expect(gain.state == .uninitialized)
        #expect(roughness(all) < 0.001)
        func level(_ range: Range<Int>) -> Double { Signals.decibels(Signals.power(all[range]) / (0.25 * 0.25 / 2)) }
        #expect(abs(level(0..<4_800)) < 0.01)
        #expect(abs(level(7_200..<9_600) + 6.02) < 0.01)
        #expect(abs(level(12_000..<14_400)) < 0.01)
        #expect(source.statistics.outputFrames == 14_400)
    }

    @Test("a unit that was uninitialized meanwhile is taken in again with the next change, and heard")
    func initializedAnew() throws {
        let rig = try GraphRig()
        let mixer = MultichannelMixer()
        try mixer.setFormat(StreamFormat(sampleRate: 48_000), scope: .output, element: 0)
        let source = sine(100)
        try rig.graph.connect(source, to: mixer, input: 0)
        try rig.graph.connect(mixer, to: rig.output)
        try rig.graph.initialize()
        _ = try rig.output.pull(4_800)
        source.uninitialize()
        try rig.graph.connect(sine(130, amplitude: 0), to: mixer, input: 1)
        let heard = try rig.output.pull(9_600)[0]
        #expect(source.state == .initialized)
        #expect(abs(Signals.decibels(Signals.power(heard[4_800...]) / (0.25 * 0.25 / 2))) < 0.01)
    }

    @Test("a player that was uninitialized meanwhile plays on where it was, whatever changes come after")
    func playsOnAnew() throws {
        let files = try SoundFiles()
        let path = try files.write("a.wav", frames: 480_000) { frame, _ in
            0.25 * Float(sin(2 * .pi * 100 * Double(frame) / 48_000))
        }
        let player = try FilePlayer(path: path)
        try player.setReading(.manual)
        let rig = try GraphRig()
        try rig.graph.connect(player, to: rig.output)
        try rig.graph.initialize()
        player.play()
        _ = try rig.output.pull(4_800, filling: [player])
        player.uninitialize()
        for _ in 0..<2 {
            try rig.graph.change { _ in }
            // Longer than what the player had read ahead.
            let heard = try rig.output.pull(144_000, filling: [player])[0]
            #expect(abs(Signals.decibels(Signals.power(heard[48_000...]) / (0.25 * 0.25 / 2))) < 0.01)
        }
        #expect(rig.graph.isSettled && player.statistics.outputFrames == 292_800)
        #expect(abs(player.position.seconds - 292_800 / 48_000) < 0.02)
    }

    @Test("a unit that was uninitialized and set to another rate hears its sources at that rate")
    func anotherRate() throws {
        let rig = try GraphRig()
        let mixer = MultichannelMixer()
        try mixer.setFormat(StreamFormat(sampleRate: 48_000), scope: .output, element: 0)
        try rig.graph.connect(sine(1_000), to: mixer)
        try rig.graph.connect(mixer, to: rig.output)
        try rig.graph.initialize()
        _ = try rig.output.pull(4_800)
        mixer.uninitialize()
        try mixer.setFormat(StreamFormat(sampleRate: 24_000), scope: .output, element: 0)
        try rig.graph.change { _ in }
        let heard = try rig.output.pull(48_000)[0][24_000...]
        let crossings = zip(heard.dropFirst(), heard).filter { ($0 < 0) != ($1 < 0) }.count
        #expect(abs(crossings - 1_000) <= 2, "\(crossings)")
    }

    @Test("a source that is taken away while it still fades in turns back from there, without a step")
    func takenAwayWhileFadingIn() throws {
        let rig = try GraphRig()
        let mixer = MultichannelMixer()
        try mixer.setFormat(StreamFormat(sampleRate: 48_000), scope: .output, element: 0)
        try rig.graph.connect(mixer, to: rig.output)
        try rig.graph.initialize()
        var all = try rig.output.pull(480)[0]
        try rig.graph.connect(FunctionUnit { _, _ in 0.5 }, to: mixer)
        all += try rig.output.pull(64, slices: [64])[0]
        try rig.graph.disconnect(mixer)
        all += try rig.output.pull(480)[0]
        #expect((all.max() ?? 0) > 0.05 && all.last == 0)
        // The ramp of 240 frames is steepest in its middle: 1.5 / 240.
        #expect(zip(all.dropFirst(), all).allSatisfy { abs($0 - $1) < 0.5 * 2 / 240 })
    }

    @Test("several changes take effect between the same two slices")
    func together() throws {
        let rig = try GraphRig()
        let mixer = MultichannelMixer()
        try mixer.setFormat(StreamFormat(sampleRate: 48_000), scope: .output, element: 0)
        let (plus, minus) = (FunctionUnit { _, _ in 0.5 }, FunctionUnit { _, _ in -0.5 })
        try rig.graph.connect(mixer, to: rig.output)
        try rig.graph.initialize()
        _ = try rig.output.pull(480)
        try rig.graph.change { (changes) throws(AudioUnitError) in
            try changes.connect(plus, to: mixer, input: 0)
            try changes.connect(minus, to: mixer, input: 1)
        }
        #expect(try rig.output.pull(9_600, slices: [37])[0].allSatisfy { abs($0) < 1e-6 })
    }

    @Test("changes nobody has rendered yet replace each other, and what is no longer used is let go")
    func superseded() throws {
        let rig = try GraphRig()
        let mixer = MultichannelMixer()
        try rig.graph.connect(mixer, to: rig.output)
        try rig.graph.initialize()
        weak var lost: FunctionUnit?
        for turn in 0..<50 {
            let unit = FunctionUnit { _, _ in 0.5 }
            if turn == 20 { lost = unit }
            try rig.graph.connect(unit, to: mixer, input: turn % 8)
            try rig.graph.remove(unit)
        }
        #expect(lost == nil)
        #expect(try rig.output.pull(4_800)[0].allSatisfy { $0 == 0 })
        #expect(rig.graph.isSettled)
    }

    @Test("what was taken out is let go once it is heard no more and somebody asks whether the change has settled")
    func letGo() throws {
        let rig = try GraphRig()
        let mixer = MultichannelMixer()
        try rig.graph.connect(mixer, to: rig.output)
        weak var source: SizeLog?
        func connectSource() throws {
            let log = SizeLog()
            source = log
            try rig.graph.connect(log.callback, to: mixer)
        }
        try connectSource()
        try rig.graph.initialize()
        _ = try rig.output.pull(480)
        let isHeard = source?.sizes.isEmpty == false
        #expect(isHeard)
        try rig.graph.disconnect(mixer)
        _ = try rig.output.pull(4_800)
        #expect(rig.graph.isSettled)
        #expect(source == nil)
    }

    @Test(
        "what was taken out may call the graph as it ends: by a later change, a refused one, none, uninitialize or dispose",
        arguments: ["change", "refusal", "same change", "before initialize", "uninitialize", "dispose"])
    func endCallsGraph(way: String) throws {
        let rig = try GraphRig()
        let endings = Endings()
        func connectAsker(_ changes: inout GraphChanges) throws(AudioUnitError) {
            try changes.connect(Asker(graph: rig.graph, endings: endings).callback, to: rig.output)
        }
        if way == "refusal" || way == "same change" {
            try rig.graph.connect(sine(100), to: rig.output)
        } else {
            try rig.graph.change { (changes) throws(AudioUnitError) in try connectAsker(&changes) }
        }
        if way != "before initialize" {
            try rig.graph.initialize()
            _ = try rig.output.pull(480)
        }
        switch way {
        case "change":
            try rig.graph.disconnect(rig.output)
            _ = try rig.output.pull(4_800)
            try rig.graph.connect(sine(100), to: rig.output)
        case "refusal":
            #expect(throws: AudioUnitError.self) {
                try rig.graph.change { (changes) throws(AudioUnitError) in
                    try changes.disconnect(rig.output)
                    try connectAsker(&changes)
                    try changes.connect(sine(100), to: rig.output)
                }
            }
        case "same change":
            try rig.graph.change { (changes) throws(AudioUnitError) in
                try changes.disconnect(rig.output)
                try connectAsker(&changes)
                try changes.disconnect(rig.output)
            }
        case "before initialize": try rig.graph.disconnect(rig.output)
        case "uninitialize":
            try rig.graph.disconnect(rig.output)
            rig.graph.uninitialize()
        default: rig.graph.dispose()
        }
        #expect(endings.count.load(ordering: .relaxed) == 1)
    }

    @Test(
        "live through the virtual device and offline are bit for bit the same, changes and all",
        arguments: [480, 160])
    func liveEqualsOffline(period: Int) throws {
        func graph(_ graph: AudioGraph, _ mixer: MultichannelMixer, _ output: any AudioUnit) throws {
            try mixer.setFormat(StreamFormat(sampleRate: 48_000), scope: .output, element: 0)
            try graph.connect(sine(200), to: mixer, input: 0)
            try graph.connect(FunctionUnit(rate: 44_100) { frame, _ in Float(frame % 100) / 400 }, to: mixer, input: 1)
            try graph.connect(mixer, to: output)
            try graph.initialize()
        }
        func step(_ turn: Int, _ graph: AudioGraph, _ mixer: MultichannelMixer, _ extra: FunctionUnit) throws {
            if turn == 5 { try mixer.setVolume(0.3, input: 0) }
            if turn == 9 { try graph.connect(extra, to: mixer, input: 2) }
            if turn == 17 { try graph.disconnect(mixer, input: 1) }
            if turn == 25 { try graph.remove(extra) }
        }
        let heard = SoundLog()
        let device = VirtualDevice(.null, options: DeviceOptions(clock: .manual))
        let recorded = RecordingDevice(device, into: heard)
        let unit = RemoteIO(device: recorded)
        var request = DeviceRequest()
        request.sampleRate = 48_000
        request.periodMilliseconds = Double(period) / 48
        try unit.setDevicePreferences(request)
        let live = AudioGraph(output: unit)
        let liveMixer = MultichannelMixer()
        try graph(live, liveMixer, unit)
        try live.start()
        let liveExtra = sine(333)
        let rig = try GraphRig()
        let mixer = MultichannelMixer()
        try graph(rig.graph, mixer, rig.output)
        let extra = sine(333)
        var offline: [Float] = []
        for turn in 0..<60 {
            try step(turn, live, liveMixer, liveExtra)
            device.advance(frames: period, now: HostTime(milliseconds: Double(turn + 1) * Double(period) / 48))
            try step(turn, rig.graph, mixer, extra)
            offline += try rig.output.pull(period, slices: [period])[0]
        }
        live.dispose()
        #expect(heard.samples.count == 60 * period)
        #expect(heard.samples == offline)
        #expect(offline.contains { $0 > 0.1 })
    }

    @Test(
        "no allocation, free or lock on the render thread, changes being taken over included",
        .enabled(if: audit_available(), "a sanitizer brings its own malloc"))
    func audited() throws {
        let rig = try GraphRig(channels: 2)
        let mixer = MultichannelMixer()
        mixer.isMetering = true
        let quiet = RenderCallback(context: UnsafeMutableRawPointer(bitPattern: 1)!) { _, slice in
            let slice = slice.assumingMemoryBound(to: RenderSlice.self)
            for index in 0..<slice.pointee.frames { slice.pointee.buffer[index] = 0.1 }
        }
        let source = StreamFormat(sampleRate: 16_000)
        try rig.graph.connect(quiet, format: source, to: mixer, input: 0)
        let gain = GainUnit(1)
        try rig.graph.connect(quiet, format: source, to: gain)
        try rig.graph.connect(gain, to: mixer, input: 1)
        try rig.graph.connect(mixer, to: rig.output)
        try rig.graph.initialize()
        var block = [Float](repeating: 0, count: 2 * 480)
        var audit = AuditedRender()
        for turn in 0..<200 {
            if turn % 10 == 2 { try rig.graph.connect(quiet, format: source, to: mixer, input: 2) }
            if turn % 10 == 6 { try rig.graph.disconnect(mixer, input: 2) }
            if turn % 10 == 7 { try mixer.setVolume(Float(turn) / 200, input: 0) }
            try audit.render(rig.output, into: &block)
        }
        #expect(audit.isClean, "\(audit.counts)")
        #expect(block.contains { $0 != 0 })
    }
}

/// Keeps what a device was given to play.
final class SoundLog: @unchecked Sendable {
    var samples: [Float] = []
}

/// A device that writes down what it plays.
final class RecordingDevice: HardwareDevice, @unchecked Sendable {
    private let device: any HardwareDevice
    private let log: SoundLog
    private var callbacks: DeviceCallbacks?

    init(_ device: any HardwareDevice, into log: SoundLog) {
        self.device = device
        self.log = log
    }

    var identifier: String { device.identifier }
    var status: DeviceStatus { device.status }
    func open(_ request: DeviceRequest) throws(DeviceError) -> DeviceGrant { try device.open(request) }
    func stop() { device.stop() }
    func close() { device.close() }
    func setEventHandler(_ handler: (@Sendable (DeviceEvent) -> Void)?) { device.setEventHandler(handler) }

    func start(_ callbacks: DeviceCallbacks) throws(DeviceError) {
        self.callbacks = callbacks
        var copy = callbacks
        copy.context = Unmanaged.passUnretained(self).toOpaque()
        copy.isReady = nil
        copy.capture = { _, _, _, _ in }
        copy.formatChanged = { _, _, _ in }
        copy.playback = { context, samples, frames, time in
            let recorder = Unmanaged<RecordingDevice>.fromOpaque(context).takeUnretainedValue()
            guard let unit = recorder.callbacks else { return }
            unit.playback(unit.context, samples, frames, time)
            recorder.log.samples += UnsafeBufferPointer(start: samples, count: frames)
        }
        try device.start(copy)
    }
}

/// The owner of a source, which asks the graph as it ends.
private final class Asker: Sendable {
    private let graph: AudioGraph
    private let endings: Endings

    init(graph: AudioGraph, endings: Endings) {
        self.graph = graph
        self.endings = endings
    }

    deinit {
        _ = graph.isSettled
        endings.count.add(1, ordering: .relaxed)
    }

    var callback: RenderCallback { RenderCallback { [self] _ in withExtendedLifetime(self) {} } }
}
