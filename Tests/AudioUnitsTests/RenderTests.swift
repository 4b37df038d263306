import AudioUnits
import Realtime
import Testing

@Suite("Rendering")
struct RenderTests {
    private func started(
        _ device: ManualDevice, _ callback: RenderCallback?, configure: (RemoteIO) throws -> Void = { _ in }
    ) throws -> RemoteIO {
        let unit = RemoteIO(device: device)
        try unit.setRenderCallback(callback)
        try configure(unit)
        try unit.initialize()
        try unit.start()
        return unit
    }

    @Test("at equal formats the samples pass untouched, whatever the block sizes")
    func passesThrough() throws {
        let device = ManualDevice()
        let tone = Signals.sine(300, rate: 48_000, count: 40_000)
        let feeder = OutputFeeder(tone)
        let unit = try started(device, feeder.callback)
        var played: [Float] = []
        let blocks = [93, 93, 92, 1024, 4096, 1, 480]
        for turn in 0..<28 { played += device.play(blocks[turn % 7]) }
        #expect(played == Array(tone[..<played.count]))
        #expect(Set(feeder.sizes) == Set(blocks))
        #expect(unit.statistics.outputFrames == played.count)
        #expect(unit.statistics.shortFills == 0)
        unit.dispose()
    }

    @Test(
        "the device learns whether the application has enough for its next block, at its own rate",
        arguments: [(48_000.0, 480), (16_000.0, 160), (44_100.0, 441)])
    func readiness(rate: Double, block: Int) throws {
        let device = ManualDevice(rate: rate)
        let ready = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        defer { ready.deallocate() }
        ready.initialize(to: 0)
        let callback = RenderCallback(
            context: ready, readiness: { $1 <= $0.assumingMemoryBound(to: Int.self).pointee }, function: { _, _ in })
        let unit = try started(device, callback)
        #expect(!device.mayPlay(block))
        // A rate conversion may want a frame more than the block lasts.
        ready.pointee = 481
        #expect(device.mayPlay(block))
        #expect(!device.mayPlay(2 * block))
        unit.dispose()
    }

    @Test("without a word about it the application is always ready")
    func alwaysReady() throws {
        let device = ManualDevice()
        let unit = try started(device, RenderCallback { $0.outputIsSilence = true })
        #expect(device.mayPlay(4096))
        unit.dispose()
    }

    @Test("a slice marked silent plays zeros whatever it holds, and is not a short fill")
    func silenceFlag() throws {
        let device = ManualDevice()
        let unit = try started(
            device,
            RenderCallback { slice in
                for index in 0..<slice.frames { slice.buffer[index] = 0.7 }
                slice.flags.insert(.outputIsSilence)
            })
        #expect(device.play(480).allSatisfy { $0 == 0 })
        #expect(unit.statistics.shortFills == 0)
        unit.dispose()
    }

    @Test("a short fill is completed with zeros and counted", arguments: [-5, 0, 100, 9_999])
    func shortFill(produced: Int) throws {
        let device = ManualDevice()
        let unit = try started(
            device,
            RenderCallback { slice in
                for index in 0..<slice.frames { slice.buffer[index] = 0.5 }
                slice.producedFrames = produced
            })
        let block = device.play(480)
        let filled = min(480, max(0, produced))
        #expect(block[..<filled].allSatisfy { $0 == 0.5 })
        #expect(block[filled...].allSatisfy { $0 == 0 })
        #expect(unit.statistics.shortFills == (filled < 480 ? 1 : 0))
        #expect(unit.statistics.zeroFilledFrames == 480 - filled)
        unit.dispose()
    }

    @Test("without a callback silence is played and counted")
    func noSource() throws {
        let device = ManualDevice(rate: 44_100, channels: 2)
        let unit = try started(device, nil)
        #expect(device.play(441).allSatisfy { $0 == 0 })
        #expect(unit.statistics.zeroFilledFrames > 440)
        unit.dispose()
    }

    @Test("what is not a number reaches the hardware as it is only in Float32, and never traps")
    func notANumber() throws {
        let device = ManualDevice(rate: 44_100)
        let unit = try started(
            device,
            RenderCallback { slice in
                for index in 0..<slice.frames { slice.buffer[index] = index % 2 == 0 ? .nan : .infinity }
            })
        #expect(device.play(441).count == 441)
        unit.dispose()
    }

    @Test("a slice is never longer than the maximum, however long the device's block")
    func maximumSlice() throws {
        let device = ManualDevice(rate: 44_100)
        let feeder = OutputFeeder(Signals.sine(300, rate: 48_000, count: 60_000))
        let collector = InputCollector()
        let unit = try started(device, feeder.callback) {
            try $0.enable(input: true, output: true)
            try $0.setInputHandler(collector.handler)
            try $0.setMaximumFramesPerSlice(256)
        }
        for _ in 0..<8 {
            #expect(device.play(4096).count == 4096)
            device.capture([Float](repeating: 0.1, count: 4096))
        }
        #expect(feeder.sizes.max() == 256)
        #expect(collector.sizes.max() == 256)
        #expect(collector.samples.count == unit.statistics.inputFrames)
        unit.dispose()
    }

    @Test("unless it is set the maximum is what the device's blocks make, as soon as these are known")
    func longestSlice() throws {
        let feeder = OutputFeeder(Signals.sine(300, rate: 48_000, count: 60_000))
        var before = 0
        let device = ManualDevice(maximumFrames: 4096)
        let unit = try started(device, feeder.callback) { before = $0.maximumFramesPerSlice }
        #expect(device.play(4096).count == 4096)
        #expect(before == 1024 && unit.maximumFramesPerSlice >= 4096)
        #expect(feeder.sizes.max().map { $0 <= unit.maximumFramesPerSlice } == true)
        unit.uninitialize()
        #expect(unit.maximumFramesPerSlice == 1024)
        unit.dispose()
    }

    @Test("blocks longer than the device promised are cut, not overrun")
    func longBlocks() throws {
        let device = ManualDevice(maximumFrames: 128)
        let tone = Signals.sine(300, rate: 48_000, count: 9_000)
        let collector = InputCollector()
        let unit = try started(device, OutputFeeder(tone).callback) {
            try $0.enable(input: true, output: true)
            try $0.setInputHandler(collector.handler)
        }
        #expect(device.play(4_000) == Array(tone[..<4_000]))
        device.capture(Array(tone[..<4_000]))
        #expect(collector.samples == Array(tone[..<4_000]))
        unit.dispose()
    }

    @Test("time stamps count frames and follow the host clock across conversion")
    func timeStamps() throws {
        let device = ManualDevice(rate: 44_100)
        let feeder = OutputFeeder([Float](repeating: 0, count: 99_999))
        let unit = try started(device, feeder.callback) {
            try $0.setFormat(StreamFormat(sampleRate: 16_000), scope: .input, element: Element.output)
        }
        for turn in 0..<300 { _ = device.play([93, 93, 92, 441][turn % 4]) }
        for (earlier, later) in zip(feeder.times, feeder.times.dropFirst()) {
            let frames = Double(later.sampleTime - earlier.sampleTime)
            let elapsed = later.hostTime.milliseconds(since: earlier.hostTime)
            #expect(abs(elapsed - frames / 16) < 0.001)
        }
        let sizes = zip(feeder.times, feeder.sizes).reduce(into: Int64(0)) { sum, pair in
            #expect(pair.0.sampleTime == sum)
            sum += Int64(pair.1)
        }
        #expect(abs(Double(sizes) - Double(75 * 719) * 16_000 / 44_100) < 10)
        unit.dispose()
    }

    @Test("input is rendered in parts or not at all; more than there is is refused and counted")
    func inputInParts() throws {
        let device = ManualDevice()
        nonisolated(unsafe) var parts: [Int] = []
        let samples = UnsafeMutablePointer<Float>.allocate(capacity: 1024)
        samples.initialize(repeating: 9, count: 1024)
        defer { samples.deallocate() }
        nonisolated(unsafe) let buffer = samples
        let unit = RemoteIO(device: device)
        try unit.enable(input: true, output: false)
        try unit.setInputHandler(
            InputHandler { notice in
                parts = [
                    notice.render(into: buffer, frames: notice.frames + 1), notice.render(into: buffer, frames: -1),
                    notice.render(into: buffer, frames: 100), notice.render(into: buffer + 100, frames: 380),
                    notice.render(into: buffer + 480, frames: 1),
                ]
            })
        try unit.initialize()
        try unit.start()
        let block = (0..<480).map { Float($0) / 480 }
        device.capture(block)
        #expect(parts == [0, 0, 100, 380, 0])
        #expect((0..<480).map { buffer[$0] } == block)
        #expect(buffer[480] == 9)
        #expect(unit.statistics.oversizedAsks == 3)
        unit.dispose()
    }
}
