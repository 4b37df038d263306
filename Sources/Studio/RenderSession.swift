import AudioFiles
import AudioUnits
import Glibc
import Reporting
import Softphone
import Terminal

/// Carries `yodel render` from its start to its end.
package struct RenderSession {
    private let run: GraphRun
    private let writer: AudioFileWriter?
    /// nil offline.
    private let speaker: GraphSpeaker?
    private var console: MediaConsole
    private var block: [Float]
    /// Samples of the block that the device's ring had no room for yet.
    private var waiting = 0..<0
    private var meter = Float(0)
    /// Frames the device asked for in vain before the end.
    private var missing = 0
    private let total: Double?

    /// - Parameters:
    ///   - blockFrames: rendered at once, of the graph's description.
    ///   - speaker: nil offline.
    package init(
        _ run: GraphRun, blockFrames: Int, writer: AudioFileWriter?, speaker: GraphSpeaker?, console: MediaConsole
    ) {
        self.run = run
        self.writer = writer
        self.speaker = speaker
        self.console = console
        block = [Float](repeating: 0, count: blockFrames * run.format.channels)
        total = run.seconds
    }

    /// Renders to the end, or until somebody ends it.
    ///
    /// - Returns: whether all of it could be read and written.
    package mutating func start() throws -> Bool {
        let begin = Pace.now()
        var pace = Pace(every: 1, from: begin)
        var line = Pace(every: 0.1, from: begin)
        console.tell(
            "render_started",
            [
                JSONMember("to", (writer?.path).map { .string($0) } ?? .null),
                JSONMember("device", (speaker?.unit.device.identifier).map { .string($0) } ?? .null),
                JSONMember("total_s", total.map { .number($0, decimals: 3) } ?? .null),
            ])
        var reason: RunEnd?
        do {
            if let speaker {
                try prime(speaker)
                do { try speaker.unit.start() } catch { throw SoftphoneError(error) }
            }
            while reason == nil {
                let isOver = try step()
                if !isOver { missing = speaker?.unit.statistics.zeroFilledFrames ?? 0 }
                if speaker != nil || line.isDue() {
                    for key in console.wait(seconds: speaker == nil ? 0 : 0.02) where key == .quit { reason = .stopped }
                    draw(since: begin)
                }
                if pace.isDue() { tellProgress(since: begin) }
                if isOver, reason == nil, speaker?.isEmpty ?? true { reason = .end }
            }
        } catch let error as AudioFileError {
            return finish(.failed, since: begin, failure: error)
        } catch {
            console.close()
            throw error
        }
        if reason == .end { drainDevice() }
        return finish(reason ?? .end, since: begin, failure: writer?.finish())
    }

    /// What the device has taken and not yet played.
    private mutating func drainDevice() {
        guard let speaker else { return }
        let end = Pace.now() + (speaker.unit.latency.playbackDevice ?? 0) / 1000 + 0.02
        while Pace.now() < end { _ = console.wait(seconds: 0.01) }
    }

    private mutating func prime(_ speaker: GraphSpeaker) throws { _ = try step() }

    /// Renders slices: some offline, as many as the ring takes live, whose room may be less than a slice. True at the end.
    private mutating func step() throws -> Bool {
        for _ in 0..<200 {
            handOn()
            guard waiting.isEmpty else { return false }
            let count = try renderBlock()
            if count == 0 { return true }
        }
        return false
    }

    /// Gives the device what its ring takes of the block.
    private mutating func handOn() {
        guard let speaker, !waiting.isEmpty else { return }
        let taken = block.withUnsafeBufferPointer { speaker.play(UnsafeBufferPointer(rebasing: $0[waiting])) }
        waiting = (waiting.lowerBound + taken)..<waiting.upperBound
    }

    private mutating func renderBlock() throws -> Int {
        let count = try block.withUnsafeMutableBufferPointer { try run.next(into: $0) }
        guard count > 0 else { return 0 }
        let samples = count * run.format.channels
        if let writer {
            try block.withUnsafeBufferPointer { try writer.write(UnsafeBufferPointer(rebasing: $0[..<samples])) }
        }
        if speaker != nil { waiting = 0..<samples }
        for index in 0..<samples { meter = max(meter, abs(block[index])) }
        return count
    }

    // MARK: what is told

    private var seconds: Double { Double(run.frames) / run.format.sampleRate }

    private func members(since begin: Double) -> [JSONMember] {
        [
            JSONMember("rendered_s", .number(seconds, decimals: 3)),
            JSONMember("total_s", total.map { .number($0, decimals: 3) } ?? .null),
            JSONMember("speed", .number(seconds / max(1e-3, Pace.now() - begin), decimals: 1)),
        ]
    }

    private mutating func tellProgress(since begin: Double) {
        guard !console.isDrawing else { return }
        console.tell("progress", members(since: begin))
    }

    private mutating func draw(since begin: Double) {
        guard console.isDrawing else { return }
        var parts = [Text.clock(seconds) + (total.map { " / " + Text.clock($0) } ?? "")]
        if let total, total > 0 { parts.append("\(Int(min(1, seconds / total) * 100)) %") }
        if speaker == nil { parts.append("\(Text.fixed(seconds / max(1e-3, Pace.now() - begin), 0)) x real time") }
        parts.append("peak \(Text.fixed(Double(peak), 1)) dB")
        parts.append("q ends")
        console.draw(parts)
    }

    private var peak: Double { MeterLevel.decibels(Double(meter)) }

    private mutating func finish(_ reason: RunEnd, since begin: Double, failure: AudioFileError?) -> Bool {
        speaker?.unit.dispose()
        writer?.finish()
        console.close()
        console.tell(
            "render_ended",
            [JSONMember("reason", .string(failure == nil ? reason.rawValue : RunEnd.failed.rawValue))]
                + members(since: begin) + [
                    JSONMember("frames", .integer(run.frames)), JSONMember("peak_db", .number(peak, decimals: 2)),
                    JSONMember("missing_frames", .integer(missing)),
                ],
            text: "rendered \(Text.fixed(seconds, 2)) s, peak \(Text.fixed(peak, 1)) dB"
                + (meter > 1 ? " (over full scale: files without floating point clip it)" : "")
                + (writer.map { ", to \($0.path)" } ?? ""))
        for damage in reason == .end ? run.damages : [] {
            Output.error.line("yodel: \(damage.reason), \(damage.path); it was played as far as it goes: get a whole copy")
        }
        if let failure {
            Output.error.line(
                "yodel: \(failure.reason), \(failure.path); what is in it can be played: make room or name another place")
        }
        return failure == nil && (reason != .end || run.damages.isEmpty)
    }
}

extension MeterLevel {
    /// A magnitude as dB of full scale, -120 or more.
    static func decibels(_ magnitude: Double) -> Double {
        magnitude > 1e-6 ? 20 * log10(magnitude) : MeterLevel.floor
    }
}
