import AudioFiles
import AudioUnits
import CAudit
import Foundation
import Testing

@Suite("File writer") struct FileWriterTests {
    private let files: SoundFiles

    init() throws { files = try SoundFiles() }

    /// `source` through a writer to an output the test pulls.
    private func rig(_ source: ProcessingUnit, _ writer: FileWriter, channels: Int = 2) throws -> GraphRig {
        let rig = try GraphRig(channels: channels)
        try rig.graph.connect(source, to: writer)
        try rig.graph.connect(writer, to: rig.output)
        try rig.graph.initialize()
        return rig
    }

    @Test("what passes is recorded sample for sample, and passes unchanged")
    func exact() throws {
        let writer = FileWriter(path: files.path("a.wav"), depth: .float32)
        let rig = try rig(FunctionUnit(channels: 2) { numbered($0, $1) }, writer)
        let out = try rig.output.pull(60_000, slices: [480, 93, 1024, 1])
        rig.graph.dispose()
        try writer.close()
        let kept = try files.read("a.wav")
        #expect(kept.count == 120_000 && writer.recorder?.droppedFrames == 0)
        #expect((0..<60_000).allSatisfy { kept[2 * $0] == numbered($0) && kept[2 * $0 + 1] == numbered($0, 1) })
        #expect((0..<60_000).allSatisfy { out[0][$0] == numbered($0) && out[1][$0] == numbered($0, 1) })
    }

    @Test("the name's ending chooses the format, and a player plays it back", arguments: AudioFileFormat.allCases)
    func formats(format: AudioFileFormat) throws {
        let name = "a." + format.rawValue
        let writer = FileWriter(path: files.path(name))
        let rig = try rig(
            FunctionUnit { frame, _ in 0.5 * Float(sin(2 * Double.pi * 500 * Double(frame) / 48_000)) }, writer, channels: 1)
        _ = try rig.output.pull(48_000)
        rig.graph.dispose()
        try writer.close()
        let player = try FilePlayer(path: files.path(name))
        try player.setReading(.manual)
        let heard = try GraphRig()
        try heard.graph.connect(player, to: heard.output)
        try heard.graph.initialize()
        player.play()
        let out = try heard.output.pull(40_000, filling: [player])[0]
        let power = out[5_000...].reduce(0) { $0 + Double($1 * $1) } / Double(out.count - 5_000)
        #expect(abs(10 * log10(power / 0.125)) < 0.5)
    }

    @Test("an observer records a unit without being in the chain")
    func observer() throws {
        let format = StreamFormat(sampleRate: 48_000)
        let recorder = try FileRecorder(path: files.path("a.flac"), format: format, depth: .int24)
        let source = FunctionUnit { frame, _ in numbered(frame) }
        try source.addRenderObserver(recorder.makeObserver(maximumFrames: 1024))
        let rig = try GraphRig()
        try rig.graph.connect(source, to: rig.output)
        try rig.graph.initialize()
        _ = try rig.output.pull(20_000)
        rig.graph.dispose()
        try recorder.close()
        #expect(throws: AudioUnitError.noFile) { _ = try recorder.makeObserver(maximumFrames: 1024) }
        let kept = try files.read("a.flac")
        #expect(kept.count == 20_000 && (0..<20_000).allSatisfy { kept[$0] == numbered($0) })
    }

    @Test("a disk that stands still costs samples of the recording, counted, and the pull never waits")
    func dropped() throws {
        let writer = FileWriter(path: files.path("a.wav"))
        try writer.setManual(true)
        let rig = try rig(FunctionUnit { _, _ in 0.5 }, writer, channels: 1)
        _ = try rig.output.pull(480_000)
        let lost = try #require(writer.recorder).droppedFrames
        // The ring holds at least 4 s.
        #expect(lost > 0 && lost <= 480_000 - 4 * 48_000)
        writer.drain()
        _ = try rig.output.pull(48_000)
        #expect(writer.recorder?.droppedFrames == lost)
        rig.graph.dispose()
        try writer.close()
        #expect(try files.read("a.wav").count == 528_000 - lost)
    }

    @Test("initialized again it goes on in the same file, but not in another format")
    func again() throws {
        let writer = FileWriter(path: files.path("a.wav"), depth: .float32)
        try writer.setManual(true)
        let source = FunctionUnit { frame, _ in numbered(frame) }
        let rig = try rig(source, writer, channels: 1)
        _ = try rig.output.pull(1_000)
        rig.graph.uninitialize()
        try rig.graph.initialize()
        _ = try rig.output.pull(500)
        rig.graph.uninitialize()
        try source.setFormat(StreamFormat(sampleRate: 44_100), scope: .output, element: 0)
        #expect(throws: AudioUnitError.self) { try rig.graph.initialize() }
        rig.graph.dispose()
        try writer.close()
        let kept = try files.read("a.wav")
        #expect(kept.count == 1_500 && kept[999] == numbered(999) && kept[1_000] == numbered(0))
    }

    @Test("closed, it records again only into another file; the closed one stays as it is")
    func closed() throws {
        let writer = FileWriter(path: files.path("a.wav"))
        try writer.setManual(true)
        let rig = try rig(FunctionUnit { _, _ in 0.5 }, writer, channels: 1)
        _ = try rig.output.pull(1_000)
        try writer.close()
        #expect(throws: AudioUnitError.initialized(setting: "file")) { try writer.setFile(files.path("b.wav")) }
        rig.graph.uninitialize()
        #expect(throws: AudioUnitError.noFile) { try rig.graph.initialize() }
        try writer.setManual(true)
        #expect(throws: AudioUnitError.noFile) { try rig.graph.initialize() }
        try writer.setFile(files.path("b.wav"))
        try rig.graph.initialize()
        _ = try rig.output.pull(500)
        rig.graph.dispose()
        try writer.close()
        #expect(try files.read("a.wav").count == 1_000)
        #expect(try files.read("b.wav").count == 500)
    }

    @Test("a full disk ends the recording with its reason; the sound passes on")
    func full() throws {
        let writer = FileWriter(path: "/dev/full")
        try writer.setManual(true)
        let rig: GraphRig
        do {
            rig = try self.rig(FunctionUnit { _, _ in 0.5 }, writer, channels: 1)
        } catch AudioUnitError.file(let error) {
            // libsndfile may fail on the header already.
            #expect(error.path == "/dev/full" && error.reason.contains("No space left"))
            return
        }
        for _ in 0..<20 {
            #expect(try rig.output.pull(4_800)[0].allSatisfy { $0 == 0.5 })
            writer.drain()
        }
        rig.graph.dispose()
        #expect { try writer.close() } throws: {
            guard case .file(let error)? = $0 as? AudioUnitError else { return false }
            return error.path == "/dev/full" && error.reason.contains("No space left")
        }
    }

    @Test("without a file, or in a format that takes no such sound, it says so before anything renders")
    func refusals() throws {
        #expect(throws: AudioUnitError.noFile) { try FileWriter().initialize() }
        let writer = FileWriter(path: files.path("a.opus"))
        try writer.setFormat(StreamFormat(sampleRate: 44_100), scope: .input, element: 0)
        #expect { try writer.initialize() } throws: {
            if case .file(let error)? = $0 as? AudioUnitError { error.reason.contains("48000 Hz") } else { false }
        }
        let other = FileWriter(path: files.path("b.wav"))
        try other.setManual(true)
        try other.initialize()
        #expect(throws: AudioUnitError.initialized(setting: "file")) { try other.setFile("c.wav") }
    }

    @Test("a recording at a rate, or with slices, that cannot be is refused")
    func oddNumbers() throws {
        for rate in [Double.nan, .infinity, -1, 0, 44_100.5] {
            #expect {
                _ = try FileRecorder(path: files.path("a.wav"), format: StreamFormat(sampleRate: rate))
            } throws: {
                if case .formatUnsupported? = $0 as? AudioUnitError { true } else { false }
            }
        }
        #expect(!FileManager.default.fileExists(atPath: files.path("a.wav")))
        let recorder = try FileRecorder(path: files.path("a.wav"), format: StreamFormat(sampleRate: 48_000), onThread: false)
        for frames in [-1, 0, Int.max] {
            #expect(throws: AudioUnitError.self) { _ = try recorder.makeObserver(maximumFrames: frames) }
            #expect(throws: AudioUnitError.self) { _ = try recorder.makeInputHandler(maximumFrames: frames) }
        }
        try recorder.close()
    }

    @Test("the render thread neither allocates nor locks", .enabled(if: audit_available()))
    func audit() throws {
        let writer = FileWriter(path: files.path("a.wav"))
        try writer.setManual(true)
        let rig = try rig(GainlessSource(), writer, channels: 2)
        var audited = AuditedRender()
        var block = [Float](repeating: 0, count: 960)
        for turn in 0..<1_200 {
            if turn % 20 == 0, turn < 500 { writer.drain() }
            try audited.render(rig.output, into: &block)
        }
        #expect(audited.isClean, "\(audited.counts)")
        #expect(try #require(writer.recorder).droppedFrames > 0)
    }
}

/// Half of full scale in two channels, without a closure that an audit would blame.
private final class GainlessSource: ProcessingUnit, @unchecked Sendable {
    init() {
        super.init(
            shape: UnitShape(
                component: AudioComponentDescription(type: "augn", subtype: "half", manufacturer: "test"),
                inputElements: 0...0, formats: .source, defaultChannels: 2))
    }

    override func makeKernel(_ layout: UnitLayout) throws(AudioUnitError) -> RenderKernel {
        RenderKernel(0) { _, slice, _ in
            let slice = slice.assumingMemoryBound(to: RenderSlice.self)
            for channel in 0..<2 {
                for frame in 0..<slice.pointee.frames { slice.pointee.channel(channel)[frame] = 0.5 }
            }
        }
    }
}
