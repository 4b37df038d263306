import AudioSession
import Foundation
import Realtime
import TestPrograms

extension PulseServer {
    /// Runs `pactl`; what it printed.
    @discardableResult
    func pactl(_ arguments: String...) -> String {
        shell((["pactl", "--server", "unix:" + directory + "/native"] + arguments).joined(separator: " "))
    }

    /// Another program that plays silence into `sink`.
    func player(into sink: String) -> Background {
        Background(
            "pacat --server unix:\(directory)/native --playback --device=\(sink) --raw --client-name=player /dev/zero")
    }

    /// Volume in percent of the stream whose client is called `player`.
    func playersVolume() -> Int? {
        let text = pactl("list", "sink-inputs")
        for part in text.components(separatedBy: "Sink Input #") where part.contains("application.name = \"player\"") {
            guard let volume = part.components(separatedBy: "Volume:").dropFirst().first,
                let percent = volume.split(separator: "%").first?.split(separator: " ").last
            else { continue }
            return Int(percent)
        }
        return nil
    }
}

/// Keeps session events.
final class SessionEventLog: Sendable {
    private let events = Lock<[SessionEvent]>([])

    /// A copy of its own: that a shared array was let go of is told by its reference count, which ThreadSanitizer cannot see.
    var all: [SessionEvent] { events.withLock { $0.map { $0 } } }
    func add(_ event: SessionEvent) { events.withLock { $0.append(event) } }
    func forget() { events.withLock { $0 = [] } }

    /// Waits until an event satisfies `matches`; false when patience is over.
    func wait(for matches: (SessionEvent) -> Bool) async -> Bool {
        await eventually { all.contains(where: matches) }
    }
}

/// Only what hangs takes longer, however slow the machine is: no test here judges how fast something comes.
let patience = Duration.seconds(60)

/// Asks every 20 ms until `holds` does, or patience is over.
func eventually(_ holds: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + patience
    while ContinuousClock.now < end {
        if holds() { return true }
        try? await Task.sleep(for: .milliseconds(20))
    }
    return holds()
}

/// Runs a command to its end; what it printed.
@discardableResult
func shell(_ command: String) -> String {
    guard let process = try? ChildProcess(["/bin/sh", "-c", command], errors: .nowhere) else { return "" }
    let said = process.readAll(withinSeconds: hangSeconds).output
    _ = process.status(afterSeconds: 60)
    return String(decoding: said, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
}

/// A command that runs until it is ended.
final class Background {
    private let process: ChildProcess?

    init(_ command: String) {
        process = try? ChildProcess(["/bin/sh", "-c", "exec " + command], output: .nowhere, errors: .nowhere)
    }

    deinit { end() }

    func end() { process?.signal(SIGTERM) }
}
