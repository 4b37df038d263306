import AudioDevices
import AudioUnits
import JitterBuffer
import Media
import Realtime

/// Writes every internal signal of a call into a folder (`--dump`): what was in the microphone, what the canceller was
/// given as reference, what it left, what was sent and heard as WAV; the jitter buffer's state for each pull as CSV.
public final class SignalDump: MediaTap {
    let writers: [any DiskWriter]
    private let sent: SignalChannel
    private let heard: SignalChannel
    private let decisions: TextWriter
    private let start: HostTime
    private var rowDue: HostTime

    /// Creates the folder (and one for `side` in it) and its files; `unit`'s taps are set, so it must not be initialized
    /// yet.
    public init(
        folder: String, side: String? = nil, sampleRate: Int, unit: any InputOutputUnit, now: HostTime
    ) throws(CallError) {
        try VoiceDump.create(folder)
        let folder = side.map { "\(folder)/\($0)" } ?? folder
        try VoiceDump.create(folder)
        var writers: [any DiskWriter] = []
        func mono(_ name: String) throws(CallError) -> SignalChannel {
            let (writer, channels) = try SignalWriter.open(
                path: "\(folder)/\(name).wav", sampleRate: sampleRate, channels: 1)
            writers.append(writer)
            return channels[0]
        }
        sent = try mono("sent")
        heard = try mono("heard")
        if let voice = unit as? VoiceProcessingIO {
            // The unit's output is what is sent, but for what the capture ring lost.
            let signals = VoiceSignal.allCases.filter { $0 != .output }
            writers += try VoiceDump(folder: folder, signals: signals, sampleRate: sampleRate, unit: voice).writers
        }
        decisions = try TextWriter(
            path: "\(folder)/jitter_buffer.csv", head: "time_ms,level_ms,target_ms,decision")
        self.writers = writers + [decisions]
        start = now
        rowDue = now
    }

    /// Samples and rows that are missing in the files, because the disk or who reads a pipe was too slow.
    package var dropped: Int { writers.reduce(0) { $0 + $1.health.dropped } }

    /// Writes what waits; for a call without threads.
    public func drain() { for writer in writers { writer.drain() } }

    /// Writes the rest and closes the WAV files; for a call without threads.
    public func finish() { for writer in writers { writer.finish() } }

    public func add(sent block: [Float]) { sent.add(block) }
    public func add(heard block: [Float]) { heard.add(block) }

    /// One row each 10 ms, and one for each pull that is not plain audio.
    public func add(_ outcome: PullOutcome, at now: HostTime) {
        guard now >= rowDue || outcome.reason != .normal else { return }
        if now >= rowDue { rowDue = now.advanced(byMilliseconds: 10) }
        decisions.add(row(outcome, now))
    }

    private func row(_ outcome: PullOutcome, _ now: HostTime) -> String {
        func text(_ value: Double) -> String { String((value * 10).rounded() / 10) }
        return "\(text(now.milliseconds(since: start))),\(text(outcome.levelMs)),"
            + "\(text(outcome.targetMs)),\(outcome.reason.name)"
    }
}
