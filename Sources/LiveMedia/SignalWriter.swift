import AudioFiles

/// Writes signals to a WAV file, one a channel.
///
/// The threads that own a signal push it into a ring and go on; `drain` is called on a `DiskThread`, or
/// by a simulated call after each step. The file stays playable all the time: a SIGKILL costs at most the last second.
package final class SignalWriter {
    /// Seconds a ring holds: a disk may stall for as long.
    static let ringSeconds = 4

    /// What ended the writing before its time; what was written before stays.
    package var failure: AudioFileError? { file.failure }
    package var health: FileHealth { file.health }
    private let file: SignalFile
    private let collector: SignalCollector

    /// Creates the file at `path` with as many channels as `rings`.
    convenience init(path: String, sampleRate: Int, rings: [FilledRing]) throws(CallError) {
        try self.init(
            SignalCollector(rings, sampleRate: sampleRate, ringSeconds: Double(Self.ringSeconds)),
            SignalFile(FileHealth(path: path), sampleRate: sampleRate, channels: rings.count))
    }

    private init(_ collector: SignalCollector, _ file: SignalFile) { (self.collector, self.file) = (collector, file) }

    /// Creates the file and the rings' other ends, one for each channel.
    package static func open(
        path: String, sampleRate: Int, channels: Int
    ) throws(CallError) -> (writer: SignalWriter, channels: [SignalChannel]) {
        let health = FileHealth(path: path)
        let (collector, inlets) = try SignalCollector.open(
            channels: channels, sampleRate: sampleRate, ringSeconds: Double(ringSeconds), health: health)
        return (SignalWriter(collector, try SignalFile(health, sampleRate: sampleRate, channels: channels)), inlets)
    }

    /// Writes what every channel has; `toEnd` fills up the shorter ones with silence.
    package func drain(toEnd: Bool = false) {
        while failure == nil, collector.take(toEnd: toEnd, file.write) {}
    }

    /// Writes the rest and closes the file.
    package func finish() {
        drain(toEnd: true)
        file.finish()
    }
}

/// What a call carries to disk: a recording, a dump, a capture.
protocol DiskWriter: DiskClient {
    /// What became of the file.
    var health: FileHealth { get }
}

extension DiskWriter {
    /// The file.
    var path: String { health.path }
}

extension SignalWriter: DiskWriter {
    package func drain() { drain(toEnd: false) }
}
