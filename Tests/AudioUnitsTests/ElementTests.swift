import AudioUnits
import Testing

@Suite("Elements and scopes")
struct ElementTests {
    @Test("the hardware's sides cannot be set, and are known once initialized")
    func hardwareSides() throws {
        let device = ManualDevice(rate: 44_100, channels: 2)
        let unit = RemoteIO(device: device)
        let format = StreamFormat(sampleRate: 16_000)
        #expect(throws: AudioUnitError.imposedByHardware(scope: .output, element: 0)) {
            try unit.setFormat(format, scope: .output, element: Element.output)
        }
        #expect(throws: AudioUnitError.imposedByHardware(scope: .input, element: 1)) {
            try unit.setFormat(format, scope: .input, element: Element.input)
        }
        #expect(throws: AudioUnitError.noSuchElement(2)) { try unit.setFormat(format, scope: .input, element: 2) }
        #expect(throws: AudioUnitError.notInitialized) { try unit.format(scope: .output, element: 0) }
        try unit.initialize()
        let hardware = try unit.format(scope: .output, element: Element.output)
        #expect(hardware.sampleRate == 44_100 && hardware.channels == 2 && hardware.interleaved)
    }

    @Test("the default format is 48 kHz Float32 mono, output on and input off")
    func defaults() throws {
        let device = ManualDevice()
        let unit = RemoteIO(device: device)
        #expect(try unit.format(scope: .input, element: 0) == StreamFormat(sampleRate: 48_000))
        #expect(try unit.format(scope: .output, element: 1) == StreamFormat(sampleRate: 48_000))
        try unit.initialize()
        #expect(device.lastRequest.playback && !device.lastRequest.capture)
    }

    @Test("formats outside of the ranges are refused", arguments: [0.0, 3_999, 400_000, .nan, .infinity, 8000.5])
    func badRates(rate: Double) {
        let unit = RemoteIO(device: ManualDevice())
        #expect(throws: AudioUnitError.self) {
            try unit.setFormat(StreamFormat(sampleRate: rate), scope: .input, element: Element.output)
        }
        #expect(throws: AudioUnitError.self) {
            try unit.setFormat(StreamFormat(sampleRate: 8000, channels: 9), scope: .input, element: Element.output)
        }
    }

    @Test("the application's int16 stereo meets hardware of another rate and channel count")
    func convertsBothWays() throws {
        let device = ManualDevice(rate: 44_100, channels: 1)
        let unit = RemoteIO(device: device)
        let format = StreamFormat(sampleRate: 16_000, channels: 2, sampleType: .int16, interleaved: true)
        try unit.enable(input: true, output: true)
        try unit.setFormat(format, scope: .input, element: Element.output)
        try unit.setFormat(format, scope: .output, element: Element.input)
        nonisolated(unsafe) var heard: [Int16] = []
        try unit.setInputHandler(
            InputHandler { notice in
                var block = [Int16](repeating: 0, count: notice.frames * 2)
                let count = block.withUnsafeMutableBytes {
                    notice.render(into: $0.baseAddress!, channelByteStride: 0, frames: notice.frames)
                }
                #expect(count == notice.frames)
                heard += block
            })
        try unit.setRenderCallback(
            RenderCallback { slice in
                let samples = slice.data.assumingMemoryBound(to: Int16.self)
                for index in 0..<slice.frames { (samples[2 * index], samples[2 * index + 1]) = (16_384, 8_192) }
            })
        try unit.initialize()
        try unit.start()
        var played: [Float] = []
        for _ in 0..<50 {
            device.capture([Float](repeating: 0.25, count: 441))
            played += device.play(441)
        }
        #expect(abs(heard.count / 2 - 8_000) < 20)
        #expect(heard[8_000...].allSatisfy { abs(Int($0) - 8_192) < 20 })
        #expect(played[10_000...].allSatisfy { abs($0 - 0.375) < 1e-3 }, "the mean of both channels")
        unit.dispose()
    }

    @Test("a route change rebuilds the converter while the application's format stays")
    func formatChange() throws {
        let device = ManualDevice(rate: 8_000)
        let unit = RemoteIO(device: device)
        let collector = InputCollector()
        let tone = Signals.sine(440, rate: 16_000, count: 64_000)
        let feeder = OutputFeeder(tone)
        try unit.enable(input: true, output: true)
        try unit.setFormat(StreamFormat(sampleRate: 16_000), scope: .input, element: Element.output)
        try unit.setFormat(StreamFormat(sampleRate: 16_000), scope: .output, element: Element.input)
        try unit.setInputHandler(collector.handler)
        try unit.setRenderCallback(feeder.callback)
        try unit.initialize()
        try unit.start()
        func second(_ rate: Int, channels: Int) -> [Float] {
            var played: [Float] = []
            for _ in 0..<100 {
                device.capture([Float](repeating: 0.2, count: rate / 100 * channels))
                played += device.play(rate / 100)
            }
            return played
        }
        _ = second(8_000, channels: 1)
        #expect(abs(collector.samples.count - 16_000) < 50)
        let after = DeviceStreamFormat(sampleRate: 44_100, channels: 2, periodFrames: 441, maximumFrames: 441)
        device.change(capture: true, to: after)
        device.change(capture: false, to: after)
        #expect(unit.statistics.formatChanges == 2)
        let played = second(44_100, channels: 2)
        #expect(played.count == 88_200)
        #expect(abs(collector.samples.count - 32_000) < 100)
        #expect(collector.samples[20_000...].allSatisfy { abs($0 - 0.2) < 1e-3 })
        #expect(abs(feeder.position - 32_000) < 100)
        // The tone is still 440 Hz: it repeats after 44,100 / 440 frames.
        let left = stride(from: 20_000, to: 80_000, by: 2).map { played[$0] }
        let crossings = zip(left, left.dropFirst()).filter { $0 < 0 && $1 >= 0 }.count
        #expect(abs(Double(crossings) - 440 * 30_000 / 44_100) < 2)
        unit.dispose()
    }
}
