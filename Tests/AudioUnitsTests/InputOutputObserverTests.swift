import AudioUnits
import Realtime
import Testing

@Suite("Observers of I/O units")
struct InputOutputObserverTests {
    private final class Log: @unchecked Sendable {
        var seen: [(isAfter: Bool, element: Int, frames: Int, first: Float, rate: Double)] = []

        var observer: RenderObserver {
            RenderObserver { [self] isAfter, slice in
                seen.append((isAfter, slice.element, slice.frames, slice.buffer[0], slice.format.sampleRate))
            }
        }
    }

    @Test("see every slice of either element, before and after, in the application's format whatever its sample type")
    func elements() throws {
        let device = ManualDevice()
        let unit = RemoteIO(device: device)
        try unit.enable(input: true, output: true)
        let format = StreamFormat(sampleRate: 48_000, sampleType: .int16)
        try unit.setFormat(format, scope: .input, element: Element.output)
        try unit.setFormat(format, scope: .output, element: Element.input)
        let (output, input) = (Log(), Log())
        try unit.addRenderObserver(output.observer, element: Element.output)
        try unit.addRenderObserver(input.observer, element: Element.input)
        #expect(throws: AudioUnitError.noSuchElement(2)) { try unit.addRenderObserver(input.observer, element: 2) }
        try unit.setRenderCallback(
            RenderCallback { slice in
                for frame in 0..<slice.frames { slice.data.storeBytes(of: 8192, toByteOffset: 2 * frame, as: Int16.self) }
            })
        try unit.initialize()
        #expect(throws: AudioUnitError.initialized(setting: "render observer")) {
            try unit.addRenderObserver(input.observer, element: Element.input)
        }
        try unit.start()
        #expect(device.play(480).allSatisfy { $0 == 0.25 })
        device.capture(Array(repeating: 0.5, count: 480))
        #expect(device.play(93).allSatisfy { $0 == 0.25 })
        #expect(output.seen.map(\.isAfter) == [false, true, false, true])
        #expect(output.seen.map(\.frames) == [480, 480, 93, 93])
        #expect(output.seen.filter(\.isAfter).map(\.first) == [0.25, 0.25])
        #expect(output.seen.allSatisfy { $0.element == Element.output && $0.rate == 48_000 })
        #expect(input.seen.map(\.isAfter) == [false, true])
        #expect(input.seen.allSatisfy { $0.element == Element.input && $0.frames == 480 && $0.first == 0.5 })
        unit.dispose()
    }

    @Test("of a generic output see what its source rendered, silence as zeros")
    func genericOutput() throws {
        let output = GenericOutput()
        let log = Log()
        try output.addRenderObserver(log.observer)
        try output.setRenderCallback(
            RenderCallback { slice in
                slice.buffer[0] = 0.75
                slice.outputIsSilence = slice.time.sampleTime > 0
            })
        try output.initialize()
        _ = try output.pull(960)
        #expect(log.seen.filter(\.isAfter).map(\.first) == [0.75, 0])
        output.dispose()
    }
}
