import AudioUnits
import Realtime
import Testing
import Threads

/// A queue that the test pulls.
final class QueueRig {
    let output = GenericOutput()
    let graph: AudioGraph
    let queue: AudioQueue

    init(_ effect: AudioQueue.Effect = .none, channels: Int = 1) throws {
        queue = AudioQueue(effect: effect)
        let format = StreamFormat(sampleRate: 48_000, channels: channels)
        try queue.setFormat(format, scope: .output, element: 0)
        try output.setFormat(format, scope: .output, element: 0)
        graph = AudioGraph(output: output)
        try graph.connect(queue, to: output)
    }
}

/// Outcomes in the order they were told.
private final class Outcomes: Sendable {
    private let list = Lock<[(Int, AudioQueue.Outcome)]>([])

    func note(_ name: Int) -> @Sendable (AudioQueue.Outcome) -> Void {
        { outcome in self.list.withLock { $0.append((name, outcome)) } }
    }

    /// Waits for `count` of them, a minute at most: only what hangs takes so long.
    func take(_ count: Int) -> [(Int, AudioQueue.Outcome)] {
        let end = HostTime.monotonicNow().advanced(byMilliseconds: 60_000)
        while HostTime.monotonicNow() < end, list.withLock({ $0.count }) < count {
            HostTime.monotonicNow().advanced(byMilliseconds: 1).sleepUntil()
        }
        return list.withLock { $0 }
    }
}

@Suite("Queue")
struct AudioQueueTests {
    private static func ramp(_ first: Int, _ count: Int) -> [Float] {
        (first..<first + count).map { Float($0) / 65_536 }
    }

    @Test(
        "plays buffers in order without a gap, whatever the slices, and tells of each once",
        arguments: [[480], [93, 1, 1024]])
    func order(slices: [Int]) throws {
        let rig = try QueueRig()
        let outcomes = Outcomes()
        var first = 1
        for (index, count) in [480, 7, 2000, 1].enumerated() {
            try rig.queue.enqueue(AudioQueueBuffer(Self.ramp(first, count)), finished: outcomes.note(index))
            first += count
        }
        #expect(rig.queue.waitingBuffers == 4)
        try rig.graph.initialize()
        // One that comes while it is initialized follows those that waited.
        try rig.queue.enqueue(AudioQueueBuffer(Self.ramp(first, 100)), finished: outcomes.note(4))
        let heard = try rig.output.pull(3000, slices: slices)[0]
        #expect(Array(heard[..<2588]) == Self.ramp(1, 2588))
        #expect(heard[2588...].allSatisfy { $0 == 0 })
        let told = outcomes.take(5)
        #expect(told.map(\.0) == [0, 1, 2, 3, 4] && told.allSatisfy { $0.1 == .played })
        #expect(rig.queue.waitingBuffers == 0)
        // Dry, it goes on with the next.
        try rig.queue.enqueue(AudioQueueBuffer(Self.ramp(1, 10)))
        #expect(try Array(rig.output.pull(480)[0][..<10]) == Self.ramp(1, 10))
        rig.graph.dispose()
    }

    @Test("takes any sample type and layout at its own rate and channels, and refuses others")
    func formats() throws {
        let rig = try QueueRig(channels: 2)
        let stereo = StreamFormat(sampleRate: 48_000, channels: 2, sampleType: .int16, interleaved: true)
        try rig.queue.enqueue(
            AudioQueueBuffer(format: stereo, frames: 100) { bytes in
                let samples = bytes.bindMemory(to: Int16.self)
                for frame in 0..<100 { (samples[2 * frame], samples[2 * frame + 1]) = (8192, -16_384) }
            })
        let runs = StreamFormat(sampleRate: 48_000, channels: 2)
        try rig.queue.enqueue(
            AudioQueueBuffer(format: runs, frames: 100) { bytes in
                let samples = bytes.bindMemory(to: Float.self)
                for frame in 0..<100 { (samples[frame], samples[100 + frame]) = (0.75, 0.125) }
            })
        try rig.graph.initialize()
        let heard = try rig.output.pull(200, slices: [33])
        #expect(heard[0] == Array(repeating: 0.25, count: 100) + Array(repeating: 0.75, count: 100))
        #expect(heard[1] == Array(repeating: -0.5, count: 100) + Array(repeating: 0.125, count: 100))
        #expect(throws: AudioUnitError.self) { try rig.queue.enqueue(AudioQueueBuffer([0])) }
        #expect(throws: AudioUnitError.self) {
            try rig.queue.enqueue(AudioQueueBuffer(format: StreamFormat(sampleRate: 8000, channels: 2), frames: 1) { _ in })
        }
        #expect(throws: AudioUnitError.self) { try AudioQueueBuffer([]) }
        rig.graph.dispose()
    }

    @Test("holds a bounded number of buffers, and refuses to start with some of another format")
    func bounds() throws {
        let rig = try QueueRig()
        let buffer = try AudioQueueBuffer([0.5])
        for _ in 0..<AudioQueue.maximumBuffers { try rig.queue.enqueue(buffer) }
        #expect(throws: AudioUnitError.queueFull(maximum: 1024)) { try rig.queue.enqueue(buffer) }
        try rig.queue.setFormat(StreamFormat(sampleRate: 16_000), scope: .output, element: 0)
        #expect(throws: AudioUnitError.self) { try rig.graph.initialize() }
        try rig.queue.setFormat(StreamFormat(sampleRate: 48_000), scope: .output, element: 0)
        try rig.graph.initialize()
        #expect(try rig.output.pull(1030)[0].reduce(0, +) == 512)
        rig.graph.dispose()
    }

    @Test("drops what waits when it is reset or ends, and tells so; memory of finished buffers is given back")
    func dropping() throws {
        let rig = try QueueRig()
        let outcomes = Outcomes()
        weak var gone: AudioQueueBuffer?
        do {
            let buffer = try AudioQueueBuffer(Self.ramp(1, 480))
            gone = buffer
            try rig.queue.enqueue(buffer, finished: outcomes.note(0))
        }
        try rig.queue.enqueue(AudioQueueBuffer(Self.ramp(1, 960)), finished: outcomes.note(1))
        try rig.queue.enqueue(AudioQueueBuffer(Self.ramp(1, 960)), finished: outcomes.note(2))
        try rig.graph.initialize()
        _ = try rig.output.pull(600)
        rig.queue.reset()
        try rig.queue.enqueue(AudioQueueBuffer(Self.ramp(2000, 300)), finished: outcomes.note(3))
        #expect(try Array(rig.output.pull(200)[0]) == Self.ramp(2000, 200))
        #expect(outcomes.take(3).map(\.0) == [0, 1, 2])
        #expect(outcomes.take(3).map(\.1) == [.played, .dropped, .dropped])
        #expect(gone == nil)
        rig.graph.dispose()
        #expect(outcomes.take(4).map(\.0) == [0, 1, 2, 3])
        #expect(outcomes.take(4).last?.1 == .dropped)
    }

    @Test("tells of buffers that never had a chance, when it is disposed of")
    func disposed() throws {
        let queue = AudioQueue()
        let outcomes = Outcomes()
        try queue.enqueue(AudioQueueBuffer([0.5]), finished: outcomes.note(0))
        queue.dispose()
        #expect(outcomes.take(1).map(\.1) == [.dropped] && queue.waitingBuffers == 0)
        #expect(throws: AudioUnitError.disposed) { try queue.enqueue(AudioQueueBuffer([0.5])) }
    }

    @Test("has its speed changed by its own effect, with the pitch or without")
    func effect() throws {
        for effect in [AudioQueue.Effect.varispeed, .timePitch] {
            let rig = try QueueRig(effect)
            let outcomes = Outcomes()
            try rig.queue.setRate(1.5)
            #expect(throws: AudioUnitError.self) { try rig.queue.setRate(5) }
            let tone = Signals.sine(500, rate: 48_000, count: 96_000)
            try rig.queue.enqueue(AudioQueueBuffer(tone), finished: outcomes.note(0))
            try rig.graph.initialize()
            let heard = try rig.output.pull(48_000)[0]
            let crossings = zip(heard[8000..<32_000], heard[8001...32_000]).filter { $0 < 0 && $1 >= 0 }.count
            let expected = effect == .varispeed ? 375.0 : 250.0
            #expect(abs(Double(crossings) - expected) <= 2, "\(effect): \(crossings)")
            #expect(rig.queue.waitingBuffers == 1)
            _ = try rig.output.pull(20_000)
            #expect(outcomes.take(1).count == 1)
            rig.graph.dispose()
        }
    }

    @Test(
        "keeps the render contract, with and without a tap: no allocation, free or lock",
        arguments: AudioQueue.Effect.allCases)
    func contract(effect: AudioQueue.Effect) throws {
        let rig = try QueueRig(effect)
        try rig.queue.setRate(1.25)
        let buffer = try AudioQueueBuffer(Signals.sine(500, rate: 48_000, count: 100))
        for _ in 0..<1000 { try rig.queue.enqueue(buffer, finished: { _ in }) }
        try rig.graph.initialize()
        var audited = AuditedRender()
        var block = [Float](repeating: 0, count: 480)
        for _ in 0..<50 { try audited.render(rig.output, into: &block) }
        let scratch = UnsafeMutablePointer<Float>.allocate(capacity: 1024)
        defer { scratch.deallocate() }
        try rig.queue.installTap(
            ProcessingTap(.beforeEffects, .source, context: scratch) { context, slice in
                let slice = slice.assumingMemoryBound(to: TapSlice.self)
                _ = slice.pointee.sourceAudio(
                    into: slice.pointee.buffer, channelStride: slice.pointee.channelStride, frames: slice.pointee.frames)
            })
        for _ in 0..<50 { try audited.render(rig.output, into: &block) }
        // The slice's own lock is `render`'s; the rest is the queue's.
        #expect(audited.isClean, "\(audited.counts)")
        rig.graph.dispose()
    }
}
