import AudioFiles
import AudioUnits
import Reporting
import Softphone
import Terminal

/// Carries `yodel record` from its start to its end.
package struct RecordSession {
    private let recorder: FileRecorder
    private let unit: any InputOutputUnit
    private let duration: Double?
    private var console: MediaConsole
    private let events = DeviceEvents()

    private var level = (dBov: -127.0, peak: Float(0))
    private var peak: Float = 0
    /// When something other than digital zeros came last, in seconds of the recording.
    private var heardAt = 0.0
    private var isSilent = false
    private var toldDropped = 0

    /// A microphone that delivers nothing but zeros for so long is told, in seconds.
    private static let silenceSeconds = 3.0

    /// - Parameter duration: of what is recorded, as the person is shown it.
    package init(_ recording: Recording, duration: Double?, console: MediaConsole) {
        (recorder, unit) = (recording.recorder, recording.unit)
        self.duration = duration
        self.console = console
    }

    /// Records until the duration is over or somebody ends it.
    ///
    /// - Returns: whether all of it is in the file.
    package mutating func run() throws(SoftphoneError) -> Bool {
        unit.device.setEventHandler { [events] in events.add($0) }
        do { try unit.start() } catch { throw SoftphoneError(error) }
        let start = Pace.now()
        var stats = Pace(every: 1, from: start)
        console.tell(
            "recording_started",
            [
                JSONMember("path", .string(recorder.path)), JSONMember("device", .string(unit.device.identifier)),
                JSONMember("rate_hz", .integer(Int(recorder.format.sampleRate))),
                JSONMember("channels", .integer(recorder.format.channels)),
            ],
            text: "recording \(unit.device.identifier) to \(recorder.path): \(recorder.format.channels) "
                + "channel\(recorder.format.channels == 1 ? "" : "s"), \(Int(recorder.format.sampleRate)) Hz")
        var reason: RunEnd?
        while reason == nil {
            for key in console.wait(seconds: 0.1) {
                if key == .quit { reason = .stopped }
                if key == .help { console.help(MediaKey.recording) }
            }
            level = recorder.level
            peak = max(peak, level.peak)
            listen()
            tellDevice()
            draw()
            if stats.isDue(), !console.isDrawing { console.tell("level", levelMembers) }
            if recorder.isComplete { reason = .duration }
            if recorder.failure != nil { reason = .failed }
        }
        return finish(reason ?? .stopped)
    }

    private var seconds: Double { Double(recorder.framesWritten) / recorder.format.sampleRate }

    /// A microphone that is muted or not there delivers zeros.
    private mutating func listen() {
        if level.peak > 0 {
            heardAt = seconds
            if isSilent { console.tell("microphone_heard", text: "the microphone delivers sound") }
            isSilent = false
        } else if !isSilent, seconds - heardAt >= Self.silenceSeconds {
            isSilent = true
            warn("the microphone delivers nothing but silence: is it muted, or the wrong one (`yodel devices`)?")
        }
        if recorder.droppedFrames > toldDropped, recorder.failure == nil {
            toldDropped = recorder.droppedFrames
            warn("the disk is too slow: \(toldDropped) frames are lost so far")
        }
    }

    private mutating func tellDevice() {
        for event in events.take() {
            switch event {
            case .lost(let error): warn("device lost: \(error.reason); silence is recorded until it is back")
            case .back(let after): warn("device back after \(Text.fixed(after / 1000, 1)) s")
            case .xrun(let capture): if capture { warn("sound was lost: the device was not read in time") }
            case .microphoneSilent, .microphoneHeard: break
            }
        }
    }

    private mutating func warn(_ message: String) {
        console.tell("warning", [JSONMember("message", .string(message))], text: "warning: \(message)")
    }

    private var levelMembers: [JSONMember] {
        [
            JSONMember("duration_s", .number(seconds, decimals: 2)),
            JSONMember("level_dbov", .number(level.dBov, decimals: 1)), JSONMember("clipped", .boolean(peak >= 1)),
        ]
    }

    private mutating func draw() {
        guard console.isDrawing else { return }
        var parts = [Text.clock(seconds), LevelBar.text(level.dBov, cells: 24, blocks: console.shape.blocks)]
        parts.append("\(Text.fixed(level.dBov, 0)) dBov")
        if level.peak >= 1 { parts.append("[clipping]") }
        if isSilent { parts.append("[silent]") }
        if let duration { parts.append("of \(Text.clock(duration))") }
        parts.append(recorder.path.split(separator: "/").last.map(String.init) ?? "")
        parts.append("q ends")
        console.draw(parts)
    }

    private mutating func finish(_ reason: RunEnd) -> Bool {
        unit.stop()
        var failure: AudioFileError?
        do { try recorder.close() } catch { if case .file(let error) = error { failure = error } }
        unit.dispose()
        console.close()
        console.tell(
            "recording_ended",
            [
                JSONMember("reason", .string(failure == nil ? reason.rawValue : RunEnd.failed.rawValue)),
                JSONMember("path", .string(recorder.path)), JSONMember("duration_s", .number(seconds, decimals: 3)),
                JSONMember("frames", .integer(recorder.framesWritten)),
                JSONMember("dropped_frames", .integer(recorder.droppedFrames)), JSONMember("silent", .boolean(peak == 0)),
            ],
            text: "recorded \(Text.fixed(seconds, 1)) s to \(recorder.path)" + (peak == 0 ? ", all of it silence" : ""))
        guard let failure else { return true }
        Output.error.line(
            "yodel: \(failure.reason), \(failure.path); \(Text.fixed(seconds, 1)) s are in it and can be played: make room or name another place"
        )
        return false
    }
}
