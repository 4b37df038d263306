import AudioUnits
import Realtime
import Testing

@Suite("Processing tap")
struct ProcessingTapTests {
    private static func ramp(_ first: Int, _ count: Int) -> [Float] { (first..<first + count).map { Float($0) / 65_536 } }

    /// What a tap saw.
    private final class Log: @unchecked Sendable {
        var layouts: [ProcessingTap.Layout] = []
        var samples: [Float] = []
        var times: [Int64] = []
        var sourceTimes: [Int64] = []
        var sizes: [Int] = []
    }

    @Test("as a siphon is handed what is heard, before or after the effect, and told maximum and format first")
    func siphon() throws {
        for place in [ProcessingTap.Place.beforeEffects, .afterEffects] {
            let rig = try QueueRig(.varispeed)
            try rig.queue.setRate(2)
            let log = Log()
            try rig.queue.installTap(
                ProcessingTap(place, .siphon, prepare: { log.layouts.append($0) }) { slice in
                    #expect(slice.frames <= log.layouts[0].maximumFrames)
                    log.samples += (0..<slice.producedFrames).map { slice.buffer[$0] }
                    log.times.append(slice.time.sampleTime)
                    log.sizes.append(slice.producedFrames)
                    // A siphon has been handed what there is: it cannot ask for more.
                    #expect(slice.sourceAudio(into: slice.buffer, channelStride: 0, frames: 1).frames == 0)
                })
            let tone = Signals.sine(500, rate: 48_000, count: 48_000)
            try rig.queue.enqueue(AudioQueueBuffer(tone))
            try rig.graph.setMaximumFramesPerSlice(480)
            try rig.graph.initialize()
            let heard = try rig.output.pull(9600)[0]
            #expect(log.layouts.map(\.maximumFrames) == [480])
            #expect(log.layouts.map(\.format) == [StreamFormat(sampleRate: 48_000)])
            if place == .afterEffects {
                #expect(log.samples == heard)
            } else {
                #expect(log.samples.count > 19_000 && log.samples == Array(tone[..<log.samples.count]))
            }
            let starts = log.sizes.indices.map { Int64(log.sizes[..<$0].reduce(0, +)) }
            #expect(log.times == starts)
            rig.graph.dispose()
        }
    }

    @Test("asks for the source audio itself, with its own time stamps: half as fast, twice as fast, not at all")
    func pulls() throws {
        let rig = try QueueRig()
        let log = Log()
        let pace = Lock(1.0)
        try rig.queue.installTap(
            ProcessingTap(.beforeEffects, .source) { slice in
                // A pace of one half doubles each sample, one of two leaves every second out.
                let speed = pace.withLock { $0 }
                var source = [Float](repeating: 0, count: 2 * slice.frames)
                let wanted = Int(Double(slice.frames) * speed)
                var got = 0
                if wanted > 0 {
                    // In two asks, as often as it likes.
                    let first = source.withUnsafeMutableBufferPointer {
                        slice.sourceAudio(into: $0.baseAddress!, channelStride: 0, frames: wanted / 2)
                    }
                    let second = source.withUnsafeMutableBufferPointer {
                        slice.sourceAudio(into: $0.baseAddress! + wanted / 2, channelStride: 0, frames: wanted - wanted / 2)
                    }
                    got = first.frames + second.frames
                    log.sourceTimes += [first.time.sampleTime, second.time.sampleTime]
                }
                log.times.append(slice.time.sampleTime)
                for index in 0..<slice.frames { slice.buffer[index] = wanted > 0 ? source[Int(Double(index) * speed)] : -1 }
                log.sizes.append(got)
            })
        try rig.queue.enqueue(AudioQueueBuffer(Self.ramp(1, 48_000)))
        try rig.graph.initialize()
        #expect(try rig.output.pull(480)[0] == Self.ramp(1, 480))
        pace.withLock { $0 = 0.5 }
        #expect(try rig.output.pull(480)[0] == Self.ramp(481, 240).flatMap { [$0, $0] })
        pace.withLock { $0 = 2 }
        #expect(try rig.output.pull(480)[0] == stride(from: 721, to: 1681, by: 2).map { Float($0) / 65_536 })
        pace.withLock { $0 = 0 }
        #expect(try rig.output.pull(480)[0].allSatisfy { $0 == -1 })
        #expect(log.times == [0, 480, 960, 1440])
        #expect(log.sourceTimes == [0, 240, 480, 600, 720, 1200])
        #expect(log.sizes == [480, 240, 960, 0])
        rig.queue.removeTap()
        // What the tap did not take is still there.
        #expect(try rig.output.pull(480)[0] == Self.ramp(1681, 480))
        rig.graph.dispose()
    }

    @Test("that makes less than its slice leaves silence, and one that asks for more than the maximum gets nothing")
    func shortfalls() throws {
        let rig = try QueueRig()
        let log = Log()
        try rig.queue.installTap(
            ProcessingTap(.afterEffects, .source) { slice in
                var room = [Float](repeating: 0, count: 2048)
                log.sizes.append(
                    room.withUnsafeMutableBufferPointer {
                        slice.sourceAudio(into: $0.baseAddress!, channelStride: 0, frames: 1025).frames
                    })
                slice.producedFrames = slice.sourceAudio(into: slice.buffer, channelStride: 0, frames: 100).frames
            })
        try rig.queue.enqueue(AudioQueueBuffer(Self.ramp(1, 150)))
        try rig.graph.initialize()
        let heard = try rig.output.pull(960)[0]
        #expect(Array(heard[..<100]) == Self.ramp(1, 100) && Array(heard[480..<530]) == Self.ramp(101, 50))
        #expect(heard[100..<480].allSatisfy { $0 == 0 } && heard[530...].allSatisfy { $0 == 0 })
        #expect(log.sizes == [0, 0])
        rig.graph.dispose()
    }

    @Test("is one a queue: a second is refused until the first was removed")
    func second() throws {
        let rig = try QueueRig()
        let log = Log()
        let tap = ProcessingTap(.beforeEffects, .siphon, prepare: { log.layouts.append($0) }, { _ in })
        try rig.queue.installTap(tap)
        #expect(throws: AudioUnitError.tapInstalled) { try rig.queue.installTap(tap) }
        try rig.graph.initialize()
        #expect(throws: AudioUnitError.tapInstalled) { try rig.queue.installTap(tap) }
        rig.queue.removeTap()
        rig.queue.removeTap()
        try rig.queue.installTap(tap)
        #expect(log.layouts.count == 2)
        rig.graph.uninitialize()
        try rig.graph.initialize()
        #expect(log.layouts.count == 3)
        rig.graph.dispose()
    }

    @Test("is not called any more once removal has returned, however fast it renders")
    func removal() async throws {
        let rig = try QueueRig()
        try rig.graph.initialize()
        let isWanted = Lock(true)
        let output = rig.output
        let renderer = Task.detached {
            while isWanted.withLock({ $0 }) { _ = try output.pull(64, slices: [64]) }
        }
        for _ in 0..<200 {
            let isThere = Lock(true)
            try rig.queue.installTap(
                ProcessingTap(.beforeEffects, .siphon) { _ in #expect(isThere.withLock { $0 }) })
            if Bool.random() { await Task.yield() }
            rig.queue.removeTap()
            isThere.withLock { $0 = false }
        }
        isWanted.withLock { $0 = false }
        try await renderer.value
        rig.graph.dispose()
    }
}
