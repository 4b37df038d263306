import AudioUnits
import Glibc
import Realtime
import Synchronization
import TestThreads
import Testing

/// A voice-processing unit on a device whose route changes all the time, a mixer with sources of every kind before it, and
/// everything that may be done to them at random.
private final class Anvil: Sendable {
    static let threads = 8
    let unit = VoiceProcessingIO(device: BusyDevice())
    let graph: AudioGraph
    let mixer = MultichannelMixer()
    let queue = AudioQueue(effect: .timePitch)
    let equalizer = Equalizer()
    let buffer: AudioQueueBuffer
    /// The longest `stop` so far, in milliseconds, waiting for the graph's other callers included.
    let slowestStop = Lock(0.0)
    let done = Atomic<Int>(0)
    let tapped = Atomic<Int>(0)

    init() throws {
        graph = AudioGraph(output: unit)
        buffer = try AudioQueueBuffer(Signals.sine(300, rate: 48_000, count: 4800))
        try unit.enable(input: true, output: true)
        try mixer.setFormat(StreamFormat(sampleRate: 48_000), scope: .output, element: 0)
        try mixer.setInputElements(Self.threads + 1)
        mixer.isMetering = true
        try graph.connect(queue, to: equalizer)
        try graph.connect(equalizer, to: mixer, input: Self.threads)
        try graph.connect(mixer, to: unit)
        try graph.initialize()
        try graph.start()
    }

    /// Strikes until `end`; refusals (taken, not connected) are part of the game, traps and hangs are not.
    func strike(thread: Int, seed: UInt64, until end: HostTime) {
        var noise = Noise(seed: seed &* 100 &+ UInt64(thread))
        let own = FunctionUnit(rate: thread % 2 == 0 ? 48_000 : 16_000) { _, _ in 0.1 }
        let gain = GainUnit(0.5)
        func below(_ limit: Int) -> Int { Int(abs(noise.next()) * Float(limit)) % limit }
        while HostTime.monotonicNow() < end {
            switch below(16) {
            case 0, 1: try? graph.start()
            case 2: stop()
            case 3: try? graph.connect(own, to: mixer, input: thread)
            case 4:
                try? graph.change { (changes) throws(AudioUnitError) in
                    try changes.disconnect(mixer, input: thread)
                    try changes.connect(own, to: gain)
                    try changes.connect(gain, to: mixer, input: thread)
                }
            case 5: try? graph.disconnect(mixer, input: below(Self.threads))
            case 6: try? graph.connect(unit, to: mixer, input: below(Self.threads))
            case 7: try? graph.remove(gain)
            case 8: try? mixer.setVolume(abs(noise.next()), input: thread)
            case 9: equalizer.setPreset(EqualizerPreset.all[below(EqualizerPreset.all.count)])
            case 10: unit.isMuted.toggle()
            case 11: unit.isBypassed.toggle()
            case 12: try? queue.enqueue(buffer) { [self] _ in done.wrappingAdd(1, ordering: .relaxed) }
            case 13:
                try? queue.setRate(0.5 + Double(abs(noise.next())))
                if below(4) == 0 { queue.reset() }
            case 14:
                try? queue.installTap(
                    ProcessingTap(below(2) == 0 ? .beforeEffects : .afterEffects, below(2) == 0 ? .siphon : .source) {
                        [self] slice in
                        tapped.wrappingAdd(1, ordering: .relaxed)
                        slice.producedFrames =
                            slice.sourceAudio(
                                into: slice.buffer, channelStride: slice.channelStride, frames: slice.frames
                            ).frames
                    })
            default:
                queue.removeTap()
                _ = try? mixer.level(input: thread)
            }
            done.wrappingAdd(1, ordering: .relaxed)
        }
    }

    private func stop() {
        let before = HostTime.monotonicNow()
        graph.stop()
        let taken = HostTime.monotonicNow().milliseconds(since: before)
        slowestStop.withLock { $0 = max($0, taken) }
    }
}

/// A unit that writes down what its hooks are told, and whether one of them came in the middle of another.
private final class HookedUnit: ProcessingUnit, @unchecked Sendable {
    static let mostInputs = 64
    private let inside = Atomic<Int>(0)
    let overlaps = Atomic<Int>(0)
    let wrongLayouts = Atomic<Int>(0)
    let toldInputs = Atomic<Int>(1)
    let hasKernel = Atomic<Bool>(false)

    init() {
        super.init(
            shape: UnitShape(
                component: AudioComponentDescription(type: "aumx", subtype: "hook", manufacturer: "test"),
                inputElements: 1...Self.mostInputs, formats: .mixes(inputChannels: 1)))
    }

    private func hook(_ body: () -> Void) {
        if inside.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue != 0 {
            overlaps.wrappingAdd(1, ordering: .relaxed)
        }
        // Another thread's turn, if it may have one.
        sched_yield()
        body()
        inside.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    }

    override func inputElementsChanged(to count: Int) { hook { toldInputs.store(count, ordering: .relaxed) } }

    override func makeKernel(_ layout: UnitLayout) throws(AudioUnitError) -> RenderKernel {
        hook {
            if layout.inputs.count != toldInputs.load(ordering: .relaxed) { wrongLayouts.wrappingAdd(1, ordering: .relaxed) }
            hasKernel.store(true, ordering: .relaxed)
        }
        return RenderKernel { slice, _ in slice.outputIsSilence = true }
    }

    override func kernelEnded() { hook { hasKernel.store(false, ordering: .relaxed) } }
}

@Suite("Graph under the hammer")
struct GraphHammerTests {
    /// Seconds of hammering: 2, or what `YODEL_HAMMER_SECONDS` says (`scripts/hammer`).
    private static let seconds = getenv("YODEL_HAMMER_SECONDS").flatMap { Double(String(cString: $0)) } ?? 2
    /// A `stop` that takes longer, in milliseconds, hangs; how long it takes is printed.
    private static let limit = 20_000.0
    private static let seed = getenv("YODEL_HAMMER_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1

    @Test("set up, initialized and uninitialized from 8 threads at once, a unit's hooks come one at a time and in order")
    func hooks() throws {
        let unit = HookedUnit()
        try onOwnThreads(8) { thread in
            for turn in 0..<300 {
                switch (thread + turn) % 4 {
                case 0: try? unit.setInputElements(1 + (thread * 7 + turn) % HookedUnit.mostInputs)
                case 1: try? unit.initialize()
                default: unit.uninitialize()
                }
            }
        }
        #expect(unit.overlaps.load(ordering: .relaxed) == 0)
        #expect(unit.wrongLayouts.load(ordering: .relaxed) == 0)
        #expect(unit.toldInputs.load(ordering: .relaxed) == unit.inputElements)
        #expect(unit.hasKernel.load(ordering: .relaxed) == (unit.state == .initialized))
    }

    @Test("start, stop, mute, bypass, route, connections, parameters and taps at random from 8 threads: stop stays quick")
    func hammer() throws {
        let anvil = try Anvil()
        let end = HostTime.monotonicNow().advanced(byMilliseconds: Self.seconds * 1000)
        try onOwnThreads(Anvil.threads) { thread in
            anvil.strike(thread: thread, seed: Self.seed, until: end)
        }
        // It still works: what is started renders, and a tap is still called.
        anvil.queue.removeTap()
        try anvil.graph.start()
        let before = anvil.mixer.statistics.outputFrames
        let tapped = anvil.tapped.load(ordering: .relaxed)
        try anvil.queue.installTap(
            ProcessingTap(.afterEffects, .siphon) { _ in anvil.tapped.wrappingAdd(1, ordering: .relaxed) })
        let patience = HostTime.monotonicNow().advanced(byMilliseconds: 60_000)
        while HostTime.monotonicNow() < patience,
            anvil.mixer.statistics.outputFrames == before || anvil.tapped.load(ordering: .relaxed) == tapped
        {
            usleep(1000)
        }
        #expect(anvil.mixer.statistics.outputFrames > before, "seed \(Self.seed)")
        #expect(anvil.tapped.load(ordering: .relaxed) > tapped, "seed \(Self.seed)")
        anvil.queue.removeTap()
        anvil.graph.dispose()
        let slowest = anvil.slowestStop.withLock { $0 }
        let strikes = anvil.done.load(ordering: .relaxed)
        print("hammer: \(strikes) strikes in \(Self.seconds) s, slowest stop \(slowest) ms, seed \(Self.seed)")
        #expect(slowest < Self.limit, "stop took \(slowest) ms, seed \(Self.seed)")
        #expect(strikes > 1_000)
    }
}
