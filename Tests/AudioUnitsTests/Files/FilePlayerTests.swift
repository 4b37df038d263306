import AudioFiles
import AudioUnits
import CAudit
import Foundation
import Synchronization
import Testing

@Suite("File player") struct FilePlayerTests {
    private let files: SoundFiles

    init() throws { files = try SoundFiles() }

    /// A player that the application fills, in a graph it pulls.
    private func rig(
        _ paths: [String], channels: Int = 1, rate: Double = 48_000, loops: Int? = 1, plays: Bool = true
    ) throws -> (player: FilePlayer, rig: GraphRig) {
        let player = FilePlayer()
        try player.setFiles(paths)
        try player.setReading(.manual)
        try player.setLoopCount(loops)
        let rig = try GraphRig(channels: channels, rate: rate)
        try rig.graph.connect(player, to: rig.output)
        try rig.graph.initialize()
        if plays { player.play() }
        return (player, rig)
    }

    @Test("a file comes out sample for sample, whatever the slices, and silence follows")
    func exact() throws {
        let path = try files.write("a.wav", frames: 200_000, channels: 2) { numbered($0, $1) }
        let (player, rig) = try rig([path], channels: 2)
        #expect(try player.format(scope: .output, element: 0).channels == 2)
        let out = try rig.output.pull(220_000, slices: [480, 93, 1024, 1], filling: [player])
        for channel in 0..<2 {
            #expect((0..<200_000).allSatisfy { out[channel][$0] == numbered($0, channel) })
            #expect(out[channel][200_000...].allSatisfy { $0 == 0 })
        }
        #expect(player.hasEnded && player.underruns == (0, 0) && player.damages.isEmpty)
    }

    @Test("every format plays, and a loop of it has neither gap nor seam", arguments: AudioFileFormat.allCases)
    func formats(format: AudioFileFormat) throws {
        let path = try files.write("a." + format.rawValue, frames: 48_000) { frame, _ in
            0.5 * Float(sin(2 * Double.pi * 500 * Double(frame) / 48_000))
        }
        let once = try files.read("a." + format.rawValue)
        let (player, rig) = try rig([path], loops: 3)
        let out = try rig.output.pull(3 * once.count + 100, filling: [player])[0]
        for round in 0..<3 {
            let part = out[(round * once.count)..<((round + 1) * once.count)]
            #expect(zip(part, once).allSatisfy { abs($0 - $1) < 1e-4 }, "round \(round)")
        }
        // A sine whose last period is whole goes on over the seam as if nothing were there; what an encoder makes of a
        // file's first and last milliseconds is its own.
        let steepest = zip(out[1..<(3 * once.count)], out).map { abs($0 - $1) }.max() ?? 1
        #expect(!format.isLossless || steepest < 0.5 * 2 * 3.1416 * 500 / 48_000 * 1.01)
        #expect(player.hasEnded)
    }

    @Test("without an end it plays for ever; several files follow each other without a gap")
    func endless() throws {
        let paths = [
            try files.write("a.wav", frames: 1_000) { frame, _ in numbered(frame) },
            try files.write("b.aiff", frames: 700) { frame, _ in numbered(frame, 1) },
        ]
        let (player, rig) = try rig(paths, loops: nil)
        let out = try rig.output.pull(170_000, slices: [999], filling: [player])[0]
        #expect(
            (0..<170_000).allSatisfy { index in
                let place = index % 1_700
                return out[index] == (place < 1_000 ? numbered(place) : numbered(place - 1_000, 1))
            })
        #expect(!player.hasEnded)
        #expect(player.position.round == 100 && player.position.file == 0 && player.position.seconds == 0)
    }

    @Test("files of other rates and channels are brought to the first one's rate and the widest one's channels")
    func mixed() throws {
        let paths = [
            try files.write("a.wav", frames: 16_000, rate: 16_000) { _, _ in 0.25 },
            try files.write("b.flac", frames: 48_000, channels: 2) { _, channel in channel == 0 ? 0.125 : -0.5 },
        ]
        let (player, rig) = try rig(paths, channels: 2)
        let format = try player.format(scope: .output, element: 0)
        #expect(format.sampleRate == 16_000 && format.channels == 2)
        let out = try rig.output.pull(96_000, filling: [player])
        func near(_ values: ArraySlice<Float>, _ wanted: Float) -> Bool { values.allSatisfy { abs($0 - wanted) < 0.01 } }
        #expect(near(out[0][2_000..<46_000], 0.25) && near(out[1][2_000..<46_000], 0.25))
        #expect(near(out[0][50_000..<94_000], 0.125) && near(out[1][50_000..<94_000], -0.5))
    }

    @Test("several players at once are mixed, each with its own volume")
    func several() throws {
        let first = try FilePlayer(path: files.write("a.wav", frames: 48_000) { frame, _ in numbered(frame) })
        let second = try FilePlayer(path: files.write("b.flac", frames: 24_000) { _, _ in 0.5 })
        let mixer = MultichannelMixer()
        try mixer.setFormat(StreamFormat(sampleRate: 48_000), scope: .output, element: 0)
        let rig = try GraphRig()
        for (input, player) in [first, second].enumerated() {
            try player.setReading(.manual)
            try rig.graph.connect(player, to: mixer, input: input)
            player.play()
        }
        try mixer.setVolume(0.5, input: 1)
        try rig.graph.connect(mixer, to: rig.output)
        try rig.graph.initialize()
        let out = try rig.output.pull(48_000, filling: [first, second])[0]
        #expect((0..<48_000).allSatisfy { abs(out[$0] - numbered($0) - ($0 < 24_000 ? 0.25 : 0)) < 1e-4 })
    }

    @Test("pause stands still without a click, and goes on with the next sample")
    func pause() throws {
        let path = try files.write("a.wav", frames: 96_000) { frame, _ in Float(frame) / 96_000 }
        let (player, rig) = try rig([path], plays: false)
        #expect(try rig.output.pull(4_800, filling: [player])[0].allSatisfy { $0 == 0 })
        #expect(player.position.seconds == 0)
        player.play()
        let before = try rig.output.pull(48_000, filling: [player])[0]
        #expect(before[0] == 0 && before[1] == 1.0 / 96_000 && before[47_999] == 47_999.0 / 96_000)
        player.pause()
        let fading = try rig.output.pull(4_800, filling: [player])[0]
        #expect(fading[300...].allSatisfy { $0 == 0 })
        #expect(zip(fading, fading.dropFirst()).allSatisfy { abs($0 - $1) < 0.005 })
        let stopped = player.position.seconds
        #expect(stopped > 1 && stopped < 1.006)
        _ = try rig.output.pull(48_000, filling: [player])
        #expect(player.position.seconds == stopped)
        player.play()
        let after = try rig.output.pull(4_800, filling: [player])[0]
        #expect(zip(after, after.dropFirst()).allSatisfy { abs($0 - $1) < 0.005 })
        #expect(abs(after[4_799] - Float(stopped * 48_000 + 4_799) / 96_000) < 1e-4)
        #expect(player.underruns == (0, 0))
    }

    @Test("a seek leaves nothing of the old place, fades, and begins exactly where it was sent")
    func seek() throws {
        let path = try files.write("a.wav", frames: 480_000) { frame, _ in Float(frame) / 480_000 }
        let (player, rig) = try rig([path])
        _ = try rig.output.pull(4_800, filling: [player])
        try player.seek(to: FilePlayerPosition(seconds: 8))
        let out = try rig.output.pull(4_800, slices: [4_800 / 10], filling: [player])[0]
        // 5 ms of the old place fade out, then the new one fades in.
        #expect(out[..<230].allSatisfy { $0 <= 0.011 } && out[800...].allSatisfy { $0 > 0.79 && $0 < 0.82 })
        #expect(zip(out, out.dropFirst()).allSatisfy { abs($0 - $1) < 0.005 })
        let heard = player.position.seconds
        #expect(abs(Float(heard / 10) - out[4_799]) < 1e-4)
        try player.seek(to: FilePlayerPosition(seconds: 9.99))
        _ = try rig.output.pull(4_800, filling: [player])
        #expect(player.hasEnded)
        try player.seek(to: FilePlayerPosition(seconds: 1))
        #expect(!player.hasEnded)
        #expect(try rig.output.pull(4_800, filling: [player])[0][4_799] > 0.1)
        #expect(player.underruns == (0, 0))
        #expect(throws: AudioUnitError.self) { try player.seek(to: FilePlayerPosition(file: 1)) }
        #expect(throws: AudioUnitError.self) { try player.seek(to: FilePlayerPosition(seconds: -1)) }
    }

    @Test("sent beyond the end of a file it is at its end, and says so")
    func seekBeyondTheEnd() throws {
        let path = try files.write("a.wav", frames: 96_000) { frame, _ in numbered(frame) }
        let (player, rig) = try rig([path])
        try player.seek(to: FilePlayerPosition(seconds: 9_999))
        _ = try rig.output.pull(4_800, filling: [player])
        #expect(player.hasEnded && player.position.seconds == 2)
        rig.graph.uninitialize()
        try player.seek(to: FilePlayerPosition(seconds: .infinity))
        #expect(player.position.seconds == 2)
    }

    @Test("the end is told once, again after a seek, and never while looping")
    func endNotice() throws {
        final class Count: Sendable { let value = Atomic<Int>(0) }
        let count = Count()
        let player = try FilePlayer(path: files.write("a.wav", frames: 4_800) { frame, _ in numbered(frame) })
        try player.setReading(.manual)
        try player.setLoopCount(2)
        try player.setEndHandler { count.value.wrappingAdd(1, ordering: .relaxed) }
        let rig = try GraphRig()
        try rig.graph.connect(player, to: rig.output)
        try rig.graph.initialize()
        player.play()
        _ = try rig.output.pull(9_600, filling: [player])
        player.fill()
        #expect(count.value.load(ordering: .relaxed) == 0)
        for _ in 0..<3 { _ = try rig.output.pull(480, filling: [player]) }
        player.fill()
        #expect(count.value.load(ordering: .relaxed) == 1)
        try player.seek(to: FilePlayerPosition(round: 1))
        _ = try rig.output.pull(9_600, filling: [player])
        player.fill()
        #expect(count.value.load(ordering: .relaxed) == 2)
    }

    @Test("whoever hears of the end may end the graph", .timeLimit(.minutes(1)))
    func graphEnds() async throws {
        let player = try FilePlayer(path: files.write("a.wav", frames: 480) { frame, _ in numbered(frame) })
        let rig = try GraphRig()
        let graph = rig.graph
        let (told, end) = AsyncStream.makeStream(of: Void.self)
        try player.setEndHandler {
            graph.uninitialize()
            end.finish()
        }
        try graph.connect(player, to: rig.output)
        try graph.initialize()
        player.play()
        for _ in 0..<3 { _ = try rig.output.pull(480) }
        for await _ in told {}
        #expect(player.state == .uninitialized)
    }

    @Test("four times as fast, faster than real time, at another rate: every sample is there")
    func faster() throws {
        let path = try files.write("a.wav", frames: 480_000) { frame, _ in Float(frame) / 480_000 }
        let player = try FilePlayer(path: path)
        try player.setReading(.manual)
        let speed = Varispeed()
        try speed.setRate(4)
        let rig = try GraphRig(rate: 44_100)
        try rig.graph.connect(player, to: speed)
        try rig.graph.connect(speed, to: rig.output)
        try rig.graph.initialize()
        player.play()
        let out = try rig.output.pull(110_000, slices: [1024], filling: [player])[0]
        // A ramp stays a ramp.
        #expect((1_000..<109_000).allSatisfy { abs(out[$0] - out[$0 - 1] - 4 * 48_000 / 44_100 / 480_000) < 2e-5 })
        #expect(player.underruns == (0, 0))
    }

    @Test("live, a thread of the player's own reads ahead; a pull that outruns it is silence, counted, and it catches up")
    func underrun() throws {
        let path = try files.write("a.wav", frames: 480_000) { _, _ in 0.5 }
        let player = try FilePlayer(path: path)
        let rig = try GraphRig()
        try rig.graph.connect(player, to: rig.output)
        try rig.graph.initialize()
        player.play()
        // What was read before the start holds 2 s and more; nobody can read 60 s within the time of no sleep.
        var block = [Float](repeating: 0, count: 1024)
        var missed = 0
        for _ in 0..<100_000 where player.underruns.count == 0 && !player.hasEnded {
            try block.withUnsafeMutableBytes { try rig.output.render(into: $0, frames: 1024) }
            missed += 1
        }
        #expect(missed >= 94)
        if !player.hasEnded { #expect(player.underruns.count == 1 && player.underruns.frames > 0) }
        // It goes on and reaches the end.
        for _ in 0..<60_000 where !player.hasEnded {
            try block.withUnsafeMutableBytes { try rig.output.render(into: $0, frames: 480) }
            usleep(1_000)
        }
        #expect(player.hasEnded)
    }

    @Test("uninitialized and initialized again it goes on where it was")
    func again() throws {
        let path = try files.write("a.wav", frames: 96_000) { frame, _ in numbered(frame) }
        let (player, rig) = try rig([path])
        _ = try rig.output.pull(10_000, filling: [player])
        rig.graph.uninitialize()
        #expect(player.position.seconds == 10_000.0 / 48_000)
        try rig.graph.initialize()
        let out = try rig.output.pull(1_000, filling: [player])[0]
        #expect((0..<1_000).allSatisfy { out[$0] == numbered(10_000 + $0) })
    }

    @Test("a file that is missing, silent or foreign is refused by name, and so are settings at the wrong time")
    func refusals() throws {
        let player = FilePlayer()
        #expect(throws: AudioUnitError.noFile) { try player.setFiles([]) }
        #expect(throws: AudioUnitError.noFile) { try player.initialize() }
        #expect(throws: AudioUnitError.self) { try player.setFiles(["/nonexistent/a.wav"]) }
        let empty = try files.write("empty.wav", frames: 0) { _, _ in 0 }
        #expect(throws: AudioUnitError.file(AudioFileError(path: empty, reason: "it holds no sound"))) {
            try player.setFiles([empty])
        }
        #expect(throws: AudioUnitError.self) { try player.setLoopCount(0) }
        try player.setFiles([files.write("a.wav", frames: 10) { _, _ in 0 }])
        try player.setReading(.manual)
        try player.initialize()
        #expect(throws: AudioUnitError.initialized(setting: "loop count")) { try player.setLoopCount(2) }
        #expect(throws: AudioUnitError.initialized(setting: "reading")) { try player.setReading(.automatic) }
        player.dispose()
        #expect(throws: AudioUnitError.disposed) { try player.initialize() }
    }

    @Test(
        "the render thread neither allocates nor locks: playing, pausing, seeking, at the end",
        .enabled(if: audit_available()))
    func audit() throws {
        let path = try files.write("a.wav", frames: 96_000, channels: 2) { numbered($0, $1) }
        let (player, rig) = try rig([path], channels: 2, loops: 2)
        var audited = AuditedRender()
        var block = [Float](repeating: 0, count: 960)
        for turn in 0..<600 {
            player.fill()
            if turn % 50 == 20 { player.pause() }
            if turn % 50 == 30 { player.play() }
            if turn % 80 == 79, turn < 400 { try player.seek(to: FilePlayerPosition(seconds: 1.5, round: 1)) }
            try audited.render(rig.output, into: &block)
        }
        #expect(audited.isClean, "\(audited.counts)")
        #expect(player.hasEnded)
    }
}
