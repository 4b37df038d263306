import AudioUnits
import Testing

@Suite("Generic output")
struct GenericOutputTests {
    private func render(_ unit: GenericOutput, _ frames: Int, bytesPerFrame: Int = 4) throws -> [UInt8] {
        var block = [UInt8](repeating: 0xAA, count: frames * bytesPerFrame)
        try block.withUnsafeMutableBytes { try unit.render(into: $0, frames: frames) }
        return block
    }

    @Test("the application pulls, and gets what an I/O unit would have played")
    func equalsRemoteIO() throws {
        let tone = Signals.speechLike(rate: 16_000, seconds: 2, seed: 1)
        let device = ManualDevice(rate: 44_100, channels: 2)
        let remote = RemoteIO(device: device)
        try remote.setFormat(StreamFormat(sampleRate: 16_000), scope: .input, element: Element.output)
        try remote.setRenderCallback(OutputFeeder(tone).callback)
        try remote.initialize()
        try remote.start()
        let unit = GenericOutput()
        try unit.setFormat(StreamFormat(sampleRate: 16_000), scope: .input, element: Element.output)
        let outer = StreamFormat(sampleRate: 44_100, channels: 2, interleaved: true)
        try unit.setFormat(outer, scope: .output, element: Element.output)
        try unit.setRenderCallback(OutputFeeder(tone).callback)
        try unit.initialize()
        for turn in 0..<200 {
            let frames = [93, 92, 441, 1024][turn % 4]
            let bytes = try render(unit, frames, bytesPerFrame: 8)
            let pulled = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
            #expect(pulled == device.play(frames))
        }
        remote.dispose()
    }

    @Test("host times count on from the first call's at the exact rate, however long the slices", arguments: [480, 93, 1024])
    func hostTimes(frames: Int) throws {
        let feeder = OutputFeeder([Float](repeating: 0, count: 100_000))
        let unit = GenericOutput()
        try unit.setFormat(StreamFormat(sampleRate: 48_000), scope: .input, element: Element.output)
        try unit.setFormat(StreamFormat(sampleRate: 48_000), scope: .output, element: Element.output)
        try unit.setRenderCallback(feeder.callback)
        try unit.initialize()
        for _ in 0..<90 { _ = try render(unit, frames) }
        for time in feeder.times {
            #expect(abs(time.hostTime.milliseconds(since: .zero) - Double(time.sampleTime) / 48) < 0.001)
        }
        #expect(feeder.times.count >= 90)
    }

    @Test("the unit lends a buffer of its own, with what it would have put into the application's")
    func ownBuffer() throws {
        let tone = Signals.sine(440, rate: 48_000, count: 48_000)
        let (lending, filling) = (GenericOutput(), GenericOutput())
        #expect(throws: AudioUnitError.notInitialized) { try lending.withRendered(frames: 1) { $0.count } }
        for unit in [lending, filling] {
            try unit.setFormat(
                StreamFormat(sampleRate: 44_100, channels: 2, sampleType: .int16), scope: .output, element: Element.output)
            try unit.setRenderCallback(OutputFeeder(tone).callback)
            try unit.initialize()
        }
        for frames in [93, 1024, 1, 480] {
            let lent = try lending.withRendered(frames: frames) { Array($0) }
            #expect(try lent == render(filling, frames, bytesPerFrame: 4))
        }
        #expect(throws: AudioUnitError.tooManyFrames(asked: 1025, maximum: 1024)) {
            try lending.withRendered(frames: 1025) { $0.count }
        }
        lending.dispose()
        #expect(throws: AudioUnitError.disposed) { try lending.withRendered(frames: 1) { $0.count } }
    }

    @Test("runs again are identical")
    func deterministic() throws {
        func run() throws -> [UInt8] {
            let unit = GenericOutput()
            try unit.setFormat(
                StreamFormat(sampleRate: 8_000, sampleType: .int16), scope: .output, element: Element.output)
            try unit.setRenderCallback(OutputFeeder(Signals.sine(440, rate: 48_000, count: 48_000)).callback)
            try unit.initialize()
            return try (0..<10).flatMap { _ in try render(unit, 800, bytesPerFrame: 2) }
        }
        let first = try run()
        #expect(try run() == first)
        #expect(first.contains { $0 != 0 })
    }

    @Test("asking for more than the maximum, or with too little room, is an error and writes nothing")
    func overAsk() throws {
        let unit = GenericOutput()
        #expect(throws: AudioUnitError.notInitialized) { try render(unit, 1) }
        try unit.initialize()
        #expect(throws: AudioUnitError.tooManyFrames(asked: 1025, maximum: 1024)) { try render(unit, 1025) }
        #expect(throws: AudioUnitError.tooManyFrames(asked: -1, maximum: 1024)) {
            var block = [UInt8](repeating: 0, count: 4)
            try block.withUnsafeMutableBytes { try unit.render(into: $0, frames: -1) }
        }
        #expect(throws: AudioUnitError.bufferTooSmall(bytes: 10, needed: 40)) {
            var block = [UInt8](repeating: 0, count: 10)
            try block.withUnsafeMutableBytes { try unit.render(into: $0, frames: 10) }
        }
        #expect(try render(unit, 1024).allSatisfy { $0 == 0 })
        #expect(unit.statistics.zeroFilledFrames == 1024)
        #expect(unit.statistics.oversizedAsks == 2)
        unit.dispose()
        unit.dispose()
        #expect(throws: AudioUnitError.disposed) { try render(unit, 1) }
    }
}
