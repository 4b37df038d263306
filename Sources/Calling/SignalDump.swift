import AudioUnits
import AudioDevices
import Glibc
import JitterBuffer
import Realtime

/// Writes every internal signal of a call into a folder (`--dump`): what was in the microphone, what the canceller was
/// given as reference, what it left, what was sent and heard as WAV; the jitter buffer's state for each pull as CSV.
public final class SignalDump {
    private(set) var writers: [SignalWriter] = []
    private let sent: SignalChannel
    private let heard: SignalChannel
    private let decisions: UnsafeMutablePointer<FILE>
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
        var writers: [SignalWriter] = []
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
        let table = "\(folder)/jitter_buffer.csv"
        guard let file = fopen(table, "w") else {
            throw .recording(path: table, reason: String(cString: strerror(errno)))
        }
        decisions = file
        fputs("time_ms,level_ms,target_ms,decision\n", file)
        self.writers = writers
        start = now
        rowDue = now
    }

    deinit { fclose(decisions) }

    /// Writes what waits; for a call without threads.
    public func drain() { for writer in writers { writer.drain() } }

    /// Writes the rest and closes the WAV files; for a call without threads.
    public func finish() { for writer in writers { writer.finish() } }

    func add(sent block: [Float]) { sent.add(block) }
    func add(heard block: [Float]) { heard.add(block) }

    /// One row each 10 ms, and one for each pull that is not plain audio.
    func add(_ outcome: PullOutcome, at now: HostTime) {
        guard now >= rowDue || outcome.reason != .normal else { return }
        if now >= rowDue { rowDue = now.advanced(byMilliseconds: 10) }
        fputs("\(row(outcome, now))\n", decisions)
    }

    private func row(_ outcome: PullOutcome, _ now: HostTime) -> String {
        func text(_ value: Double) -> String { String((value * 10).rounded() / 10) }
        return "\(text(now.milliseconds(since: start))),\(text(outcome.levelMs)),"
            + "\(text(outcome.targetMs)),\(outcome.reason)"
    }
}
