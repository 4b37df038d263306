import AudioUnits
import Realtime
import Synchronization
import Testing

@Suite("Graph")
struct GraphTests {
    private func ramp(rate: Double = 48_000, channels: Int = 1) -> FunctionUnit {
        FunctionUnit(rate: rate, channels: channels) { frame, channel in Float(frame) + Float(channel) * 0.5 }
    }

    @Test("units feed each other, and the last one pulls them all")
    func chain() throws {
        let rig = try GraphRig()
        let (source, first, second) = (ramp(), GainUnit(2), GainUnit(0.25))
        try rig.graph.connect(source, to: first)
        try rig.graph.connect(first, to: second)
        try rig.graph.connect(second, to: rig.output)
        try rig.graph.initialize()
        #expect([source, first, second].allSatisfy { $0.state == .initialized })
        let sound = try rig.output.pull(2_000, slices: [93, 92, 441, 1024])[0]
        #expect(sound == (0..<2_000).map { Float($0) * 0.5 })
        #expect(second.statistics.outputFrames == 2_000)
        #expect(second.statistics.zeroFilledFrames == 0)
    }

    @Test("a render callback feeds an input in the format set there, whatever it is")
    func callbackFormats() throws {
        for type in SampleType.allCases {
            for interleaved in [true, false] {
                let rig = try GraphRig(channels: 2)
                let gain = GainUnit(1)
                let format = StreamFormat(
                    sampleRate: 48_000, channels: 2, sampleType: type, interleaved: interleaved)
                try gain.setFormat(format, scope: .input, element: 0)
                try rig.graph.connect(callback(format), to: gain)
                try rig.graph.connect(gain, to: rig.output)
                try rig.graph.initialize()
                let sound = try rig.output.pull(1_000)
                let expected = (0..<1_000).map { Float($0) / 1024 }
                #expect(sound[0] == expected, "\(format)")
                #expect(sound[1] == expected.map { -$0 }, "\(format)")
            }
        }
    }

    /// Fills frame n with n / 1024 and -n / 1024.
    private func callback(_ format: StreamFormat) -> RenderCallback {
        RenderCallback { slice in
            for index in 0..<slice.frames {
                let value = Double(Int(slice.time.sampleTime) + index) / 1024
                for (channel, sign) in [(0, 1.0), (1, -1.0)] {
                    let offset =
                        format.interleaved
                        ? (2 * index + channel) * format.sampleType.bytes
                        : channel * slice.channelByteStride + index * format.sampleType.bytes
                    switch format.sampleType {
                    case .float32: slice.data.storeBytes(of: Float(sign * value), toByteOffset: offset, as: Float.self)
                    case .int16:
                        slice.data.storeBytes(of: Int16(sign * value * 32_768), toByteOffset: offset, as: Int16.self)
                    case .int24:
                        let bits = UInt32(bitPattern: Int32(sign * value * 8_388_608))
                        for byte in 0..<3 {
                            slice.data.storeBytes(
                                of: UInt8(truncatingIfNeeded: bits >> UInt32(8 * byte)), toByteOffset: offset + byte,
                                as: UInt8.self)
                        }
                    case .int32:
                        slice.data.storeBytes(
                            of: Int32(sign * value * 2_147_483_648), toByteOffset: offset, as: Int32.self)
                    case .fixed824:
                        slice.data.storeBytes(of: Int32(sign * value * 16_777_216), toByteOffset: offset, as: Int32.self)
                    }
                }
            }
        }
    }

    @Test("a connected input takes its format from there, and effects hand it on")
    func formatsTravel() throws {
        let rig = try GraphRig(channels: 2, rate: 44_100)
        let (source, gain) = (ramp(rate: 16_000, channels: 2), GainUnit(1))
        try rig.graph.connect(source, to: gain)
        try rig.graph.connect(gain, to: rig.output)
        try rig.graph.initialize()
        let format = StreamFormat(sampleRate: 16_000, channels: 2)
        #expect(try gain.format(scope: .input, element: 0) == format)
        #expect(try gain.format(scope: .output, element: 0) == format)
        #expect(try rig.output.format(scope: .input, element: 0) == format)
        #expect(throws: AudioUnitError.self) { try GainUnit(1).setFormat(format, scope: .output, element: 0) }
    }

    @Test("no unit is asked for more than its maximum, however much the output asks for")
    func slicesAreCut() throws {
        let rig = try GraphRig()
        let sizes = SizeLog()
        let gain = GainUnit(1)
        try rig.graph.setMaximumFramesPerSlice(100)
        try rig.graph.connect(sizes.callback, to: gain)
        try rig.graph.connect(gain, to: rig.output)
        try rig.graph.initialize()
        _ = try rig.output.pull(1_950, slices: [1_024, 926])
        #expect(sizes.sizes.max() == 100)
        // Each part is heard after the one before it; `pull` hands in no time, so each pull starts at 0.
        #expect(sizes.times[1].hostTime.nanoseconds == 2_083_333 && sizes.times[1].sampleTime == 100)
        #expect(sizes.sizes.reduce(0, +) == 1_950)
        #expect(gain.statistics.oversizedAsks == 0)
    }

    @Test("what a source leaves is zeros and counted; what it calls silence is zeroed and not counted")
    func shortAndSilent() throws {
        let rig = try GraphRig()
        let gain = GainUnit(1)
        let short = RenderCallback { slice in
            for index in 0..<slice.frames { slice.buffer[index] = 1 }
            slice.producedFrames = slice.time.sampleTime == 0 ? 400 : slice.frames
            if slice.time.sampleTime == 480 { slice.outputIsSilence = true }
        }
        try rig.graph.connect(short, to: gain)
        try rig.graph.connect(gain, to: rig.output)
        try rig.graph.initialize()
        let sound = try rig.output.pull(1_440)[0]
        #expect(sound[..<400].allSatisfy { $0 == 1 } && sound[400..<960].allSatisfy { $0 == 0 })
        #expect(sound[960...].allSatisfy { $0 == 1 })
        #expect(gain.statistics.shortFills == 1 && gain.statistics.zeroFilledFrames == 80)
    }

    @Test("errors name the unit and what is missing, and nothing is left half done")
    func errors() throws {
        let rig = try GraphRig()
        let (source, gain, other) = (ramp(), GainUnit(1), GainUnit(1))
        #expect(throws: AudioUnitError.notInitialized) { try rig.graph.start() }
        #expect(throws: AudioUnitError.notConnected(unit: "auou/genr/yodl", element: 0)) { try rig.graph.initialize() }
        try rig.graph.connect(gain, to: rig.output)
        #expect(throws: AudioUnitError.notConnected(unit: "aufx/gain/test", element: 0)) { try rig.graph.initialize() }
        #expect(gain.state == .uninitialized && rig.output.state == .uninitialized)
        #expect(throws: AudioUnitError.inputTaken(unit: "auou/genr/yodl", element: 0)) {
            try rig.graph.connect(source, to: rig.output)
        }
        #expect(throws: AudioUnitError.outputTaken(unit: "aufx/gain/test", element: 0)) {
            try rig.graph.connect(gain, to: other)
        }
        try rig.graph.connect(other, to: gain)
        #expect(throws: AudioUnitError.loop(unit: "aufx/gain/test")) {
            try rig.graph.disconnect(rig.output)
            try rig.graph.connect(gain, to: other)
        }
        #expect(throws: AudioUnitError.noSuchElement(1)) { try rig.graph.connect(source, to: other, input: 1) }
        #expect(throws: AudioUnitError.noSuchElement(1)) { try rig.graph.connect(source, output: 1, to: other) }
        #expect(throws: AudioUnitError.notInGraph(unit: "auou/genr/yodl")) {
            try rig.graph.connect(source, to: GenericOutput())
        }
        #expect(throws: AudioUnitError.notInGraph(unit: "augn/func/test")) { try rig.graph.remove(source) }
        let second = try GraphRig()
        #expect(throws: AudioUnitError.inAnotherGraph(unit: "aufx/gain/test")) {
            try second.graph.connect(gain, to: second.output)
        }
        rig.graph.dispose()
        rig.graph.dispose()
        #expect(throws: AudioUnitError.disposed) { try rig.graph.initialize() }
        try second.graph.connect(gain, to: second.output)
        gain.dispose()
        #expect(throws: AudioUnitError.disposed) { try second.graph.connect(source, to: gain) }
    }

    @Test("an input that is connected and no longer there is told of, and can be disconnected")
    func fewerInputs() throws {
        let rig = try GraphRig()
        let (source, mixer) = (ramp(), MultichannelMixer())
        try rig.graph.connect(source, to: mixer, input: 7)
        try rig.graph.connect(mixer, to: rig.output)
        try mixer.setInputElements(4)
        #expect(throws: AudioUnitError.noSuchElement(7)) { try rig.graph.initialize() }
        #expect(mixer.state == .uninitialized && rig.graph.state == .uninitialized)
        try rig.graph.disconnect(mixer, input: 7)
        #expect(throws: AudioUnitError.noSuchElement(7)) { try rig.graph.disconnect(mixer, input: 7) }
        try rig.graph.connect(source, to: mixer, input: 3)
        try rig.graph.initialize()
    }

    @Test("a unit's failure to initialize comes through, and the graph can be mended and tried again")
    func failedInitialize() throws {
        let rig = try GraphRig()
        let mixer = MultichannelMixer()
        try mixer.setFormat(StreamFormat(sampleRate: 48_000, channels: 2), scope: .output, element: 0)
        let failing = FailingUnit()
        try rig.graph.connect(ramp(), to: failing)
        try rig.graph.connect(failing, to: mixer)
        try rig.graph.connect(mixer, to: rig.output)
        #expect(throws: AudioUnitError.noResources(reason: "as told")) { try rig.graph.initialize() }
        #expect(mixer.state == .uninitialized && rig.graph.state == .uninitialized)
        try rig.graph.remove(failing)
        try rig.graph.initialize()
        #expect(try rig.output.pull(480)[0].allSatisfy { $0 == 0 })
        // While it renders, too: the change is refused as a whole.
        #expect(throws: AudioUnitError.noResources(reason: "as told")) {
            try rig.graph.change { (changes) throws(AudioUnitError) in
                try changes.connect(ramp(), to: failing)
                try changes.connect(failing, to: mixer)
            }
        }
        try rig.graph.connect(ramp(), to: mixer)
    }

    @Test("observers see every slice before and after the unit rendered, and are not in the chain")
    func observers() throws {
        let rig = try GraphRig()
        let log = Lock<[(Bool, Float, Int)]>([])
        let gain = GainUnit(3)
        try gain.addRenderObserver(
            RenderObserver { isAfter, slice in
                log.withLock { $0.append((isAfter, isAfter ? slice.buffer[slice.frames - 1] : 0, slice.frames)) }
            })
        try rig.graph.connect(ramp(), to: gain)
        try rig.graph.connect(gain, to: rig.output)
        try rig.graph.initialize()
        let sound = try rig.output.pull(300, slices: [100, 200])[0]
        #expect(sound == (0..<300).map { Float($0) * 3 })
        let seen = log.withLock { $0 }
        #expect(seen.map(\.0) == [false, true, false, true])
        #expect(seen.map(\.2) == [100, 100, 200, 200])
        #expect(seen[1].1 == 99 * 3 && seen[3].1 == 299 * 3)
        #expect(throws: AudioUnitError.initialized(setting: "render observer")) {
            try gain.addRenderObserver(RenderObserver { _, _ in })
        }
    }

    @Test("hardware pulls a graph as it does a callback: start and stop go through, disposing frees the device")
    func hardware() throws {
        let device = ManualDevice(rate: 44_100, channels: 2)
        let unit = RemoteIO(device: device)
        let graph = AudioGraph(output: unit)
        try graph.connect(FunctionUnit(rate: 44_100) { _, _ in 0.25 }, to: unit)
        try graph.initialize()
        #expect(device.isOpen && !device.isStarted)
        try graph.start()
        try graph.start()
        #expect(graph.state == .running && unit.state == .running)
        #expect(device.play(480).allSatisfy { $0 == 0.25 })
        graph.stop()
        graph.stop()
        #expect(!device.isStarted && graph.state == .initialized)
        try graph.start()
        graph.dispose()
        #expect(!device.isOpen && unit.state == .uninitialized)
    }

    @Test("an output that the application, or another graph, runs is refused and left alone")
    func outputInUse() throws {
        let device = ManualDevice()
        let unit = RemoteIO(device: device)
        try unit.setRenderCallback(
            RenderCallback { slice in for index in 0..<slice.frames { slice.buffer[index] = 0.5 } })
        try unit.initialize()
        try unit.start()
        let graph = AudioGraph(output: unit)
        let source = FunctionUnit { _, _ in 0.25 }
        try graph.connect(source, to: unit)
        #expect(throws: AudioUnitError.initialized(setting: "the graph's output")) { try graph.initialize() }
        #expect(graph.state == .uninitialized && source.state == .uninitialized)
        graph.dispose()
        #expect(unit.state == .running && device.play(480).allSatisfy { $0 == 0.5 })
    }

    @Test("an old graph that stops or is let go leaves the output to the one that took it over")
    func outputTakenOver() throws {
        let device = ManualDevice()
        let unit = RemoteIO(device: device)
        func start(_ value: Float) throws -> AudioGraph {
            let graph = AudioGraph(output: unit)
            try graph.connect(FunctionUnit { _, _ in value }, to: unit)
            try graph.initialize()
            try graph.start()
            return graph
        }
        var old: AudioGraph? = try start(0.5)
        unit.uninitialize()
        let new = try start(0.25)
        old?.stop()
        #expect(unit.state == .running)
        old = nil
        #expect(unit.state == .running && device.play(480).allSatisfy { $0 == 0.25 })
        new.dispose()
        #expect(unit.state == .uninitialized && !device.isOpen)
    }

    @Test("a unit that mixes is told the channels that a callback's own format brings")
    func callbackChannels() throws {
        let rig = try GraphRig(channels: 2)
        let unit = AskingUnit()
        let stereo = StreamFormat(sampleRate: 48_000, channels: 2)
        try rig.graph.connect(RenderCallback { _ in }, format: stereo, to: unit)
        try rig.graph.connect(unit, to: rig.output)
        try rig.graph.initialize()
        #expect(unit.told.withLock { $0?.inputs.map(\.channels) } == [2])
        // A mono one in a stereo mixer is placed from the first sample on.
        let heard = try GraphRig(channels: 2)
        let mixer = MultichannelMixer()
        let ones = RenderCallback { slice in for index in 0..<slice.frames { slice.buffer[index] = 1 } }
        try heard.graph.connect(ones, format: StreamFormat(sampleRate: 48_000), to: mixer)
        try heard.graph.connect(mixer, to: heard.output)
        try heard.graph.initialize()
        #expect(try heard.output.pull(480)[0].allSatisfy { abs($0 - 0.7071) < 1e-3 })
    }

    @Test("while it makes its kernel a unit may be asked for anything")
    func askedWhileMaking() throws {
        let unit = AskingUnit()
        try unit.setFormat(StreamFormat(sampleRate: 16_000), scope: .output, element: 0)
        try unit.initialize()
        #expect(unit.said.withLock { $0 } == "uninitialized 1 1024 16000 0")
        #expect(unit.state == .initialized)
    }

    @Test("a graph may be let go while its output still pulls")
    func lettingGo() throws {
        let output = GenericOutput()
        do {
            let graph = AudioGraph(output: output)
            try graph.connect(ramp(), to: output)
            try graph.initialize()
            _ = try output.pull(480)
        }
        #expect(output.state == .uninitialized)
        try output.initialize()
        #expect(try output.pull(480)[0].allSatisfy { $0 == 0 })
    }
}

/// Remembers how much was asked for.
final class SizeLog: @unchecked Sendable {
    var sizes: [Int] = []
    var times: [AudioTimeStamp] = []
    var callback: RenderCallback {
        RenderCallback { [self] slice in
            sizes.append(slice.frames)
            times.append(slice.time)
        }
    }
}

/// A unit that mixes nothing, remembers what it was told, and asks itself while it makes its kernel.
private final class AskingUnit: ProcessingUnit, @unchecked Sendable {
    let told = Lock<UnitLayout?>(nil)
    let said = Lock("")

    init() {
        super.init(
            shape: UnitShape(
                component: AudioComponentDescription(type: "aumx", subtype: "asks", manufacturer: "test"),
                formats: .mixes(inputChannels: 2)))
    }

    override func makeKernel(_ layout: UnitLayout) throws(AudioUnitError) -> RenderKernel {
        let rate = Int(try format(scope: .output, element: 0).sampleRate)
        let all = "\(state) \(inputElements) \(maximumFramesPerSlice) \(rate) \(Int(latencySeconds))"
        told.withLock { $0 = layout }
        said.withLock { $0 = all }
        return RenderKernel { slice, _ in slice.outputIsSilence = true }
    }
}

/// A unit that cannot be initialized.
private final class FailingUnit: ProcessingUnit, @unchecked Sendable {
    init() { super.init(shape: UnitShape(component: GainUnit.component)) }

    override func makeKernel(_ layout: UnitLayout) throws(AudioUnitError) -> RenderKernel {
        throw .noResources(reason: "as told")
    }
}
