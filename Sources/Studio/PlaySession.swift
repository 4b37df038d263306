import AudioDevices
import AudioUnits
import Glibc
import Reporting
import Softphone
import Terminal

/// Carries `yodel play` from its start to its end.
package struct PlaySession {
    private let playing: PlayGraph
    private let plan: PlayPlan
    private let unit: any InputOutputUnit
    private let duration: Double?
    private var console: MediaConsole
    private let events = DeviceEvents()

    private var isPaused = false
    private var volumeDecibels: Double
    private var toldFile = -1
    private var toldUnderruns = 0
    /// When everything had been handed on.
    private var endedAt: Double?
    private var seconds = 0.0

    /// - Parameter duration: seconds after which it ends; nil plays to the end.
    package init(_ playing: PlayGraph, duration: Double?, console: MediaConsole) {
        self.playing = playing
        (plan, unit) = (playing.plan, playing.unit)
        self.duration = duration
        self.console = console
        volumeDecibels = plan.gainDecibels
    }

    /// Plays to the end, or until somebody ends it.
    ///
    /// - Returns: whether every file was whole.
    package mutating func run() throws(SoftphoneError) -> Bool {
        unit.device.setEventHandler { [events] in events.add($0) }
        applyVolume()
        do { try playing.start() } catch { throw SoftphoneError(error) }
        defer { playing.graph.dispose() }
        let start = Pace.now()
        var stats = Pace(every: 1, from: start)
        tellStart()
        var reason: RunEnd?
        while reason == nil {
            reason = handle(console.wait(seconds: console.isDrawing ? 0.1 : 0.02))
            seconds = Pace.now() - start
            tellDevice()
            tellFile()
            if stats.isDue() { tellPosition() }
            draw()
            if let duration, seconds >= duration { reason = .duration }
            if playing.hasEnded, endedAt == nil { endedAt = seconds }
            if let endedAt, seconds >= endedAt + playing.tailSeconds { reason = .end }
        }
        return finish(reason ?? .end)
    }

    private mutating func handle(_ keys: [MediaKey]) -> RunEnd? {
        for key in keys {
            switch key {
            case .quit: return .stopped
            case .pause:
                isPaused.toggle()
                for player in playing.players { isPaused ? player.pause() : player.play() }
            case .louder, .quieter:
                volumeDecibels = max(-40, min(12, volumeDecibels + (key == .louder ? 2 : -2)))
                applyVolume()
            case .forward, .back: move(by: key == .forward ? 5 : -5)
            case .help: console.help("keys: \(MediaKey.playing)")
            }
        }
        return nil
    }

    private func applyVolume() { try? playing.mixer.setOutputVolume(Float(min(4, pow(10, volumeDecibels / 20)))) }

    private mutating func move(by step: Double) {
        playing.move(by: step)
        endedAt = nil
    }

    // MARK: what is told

    private mutating func tellStart() {
        let lengths = playing.players.flatMap(\.seconds)
        let known = lengths.compactMap { $0 }
        let total = known.count < lengths.count ? nil : plan.mixes ? known.max() : known.reduce(0, +)
        console.tell(
            "playback_started",
            [
                JSONMember("files", .array(plan.paths.map { .string($0) })),
                JSONMember("device", .string(unit.device.identifier)),
                JSONMember("file_seconds", .array(lengths.map { $0.map { .number($0, decimals: 3) } ?? .null })),
            ],
            text: "playing \(plan.paths.count == 1 ? plan.paths[0] : "\(plan.paths.count) files")"
                + (total.map { ", \(Text.clock($0))" } ?? "") + ", device \(unit.device.identifier)")
    }

    private mutating func tellFile() {
        let position = playing.players[0].position
        guard !plan.mixes, plan.paths.count > 1, position.file + position.round * plan.paths.count != toldFile else { return }
        toldFile = position.file + position.round * plan.paths.count
        console.tell(
            "file_started",
            [JSONMember("file", .string(plan.paths[position.file])), JSONMember("round", .integer(position.round))],
            text: "file \(position.file + 1) of \(plan.paths.count): \(plan.paths[position.file])")
    }

    private mutating func tellPosition() {
        let underruns = playing.players.reduce(0) { $0 + $1.underruns.count }
        if underruns > toldUnderruns {
            toldUnderruns = underruns
            warn("the disk was too slow \(underruns) times")
        }
        guard !console.isDrawing else { return }
        console.tell("position", positionMembers)
    }

    private var positionMembers: [JSONMember] {
        let (position, _, path) = playing.place
        return [
            JSONMember("file", .string(path)),
            JSONMember("position_s", .number(position.seconds, decimals: 3)), JSONMember("round", .integer(position.round)),
            JSONMember("level_dbov", .number(level.average, decimals: 1)),
            JSONMember("peak_dbov", .number(level.peak, decimals: 1)), JSONMember("paused", .boolean(isPaused)),
            JSONMember("volume_db", .number(volumeDecibels, decimals: 1)),
        ]
    }

    /// The louder channel.
    private var level: MeterLevel {
        let (left, right) = (playing.mixer.outputLevel(), playing.mixer.outputLevel(channel: 1))
        return MeterLevel(average: max(left.average, right.average), peak: max(left.peak, right.peak))
    }

    private mutating func tellDevice() {
        for event in events.take() {
            switch event {
            case .lost(let error):
                console.tell(
                    "device_lost",
                    [JSONMember("device", .string(unit.device.identifier)), JSONMember("reason", .string(error.reason))],
                    text: "device lost: \(error.reason); it is tried again")
            case .back(let after):
                console.tell(
                    "device_back",
                    [
                        JSONMember("device", .string(unit.device.identifier)),
                        JSONMember("after_ms", .number(after, decimals: 0)),
                    ],
                    text: "device back after \(Text.fixed(after / 1000, 1)) s")
            case .xrun(let capture):
                if !capture {
                    let count = unit.device.status.playbackXruns
                    console.tell(
                        "xrun", [JSONMember("direction", .string("playback")), JSONMember("count", .integer(count))],
                        text: "xrun of playback, \(count) so far")
                }
            case .microphoneSilent, .microphoneHeard: break
            }
        }
    }

    private mutating func warn(_ message: String) {
        console.tell("warning", [JSONMember("message", .string(message))], text: "warning: \(message)")
    }

    private mutating func draw() {
        guard console.isDrawing else { return }
        let (position, length, path) = playing.place
        var parts = ["\(Text.clock(position.seconds))\(length.map { " / " + Text.clock($0) } ?? "")"]
        if isPaused { parts.append("[paused]") }
        let blocks = console.shape.blocks
        parts.append(LevelBar.text(playing.mixer.outputLevel().average, cells: 12, blocks: blocks))
        if plan.pan != nil || (try? playing.mixer.format(scope: .output, element: 0).channels) == 2 {
            parts.append(LevelBar.text(playing.mixer.outputLevel(channel: 1).average, cells: 12, blocks: blocks))
        }
        if volumeDecibels != 0 { parts.append("\(Text.fixed(volumeDecibels, 0)) dB") }
        if plan.rate != 1 { parts.append("x\(Text.fixed(plan.rate, 2))") }
        if position.round > 0 { parts.append("round \(position.round + 1)") }
        parts.append(path.split(separator: "/").last.map(String.init) ?? "")
        parts.append("? keys")
        console.draw(parts)
    }

    /// Says how it went; a file that was damaged is an error, though all there was of it has been played.
    private mutating func finish(_ reason: RunEnd) -> Bool {
        console.close()
        let underruns = playing.players.reduce(0) { $0 + $1.underruns.count }
        let damages = reason == .end ? playing.players.flatMap(\.damages) : []
        console.tell(
            "playback_ended",
            [
                JSONMember("reason", .string(reason.rawValue)), JSONMember("duration_s", .number(seconds, decimals: 2)),
                JSONMember("underruns", .integer(underruns)),
                JSONMember("xruns", .integer(unit.device.status.playbackXruns)),
            ])
        for damage in damages {
            Output.error.line("yodel: \(damage.reason), \(damage.path); it was played as far as it goes: get a whole copy")
        }
        return damages.isEmpty
    }
}
