import AudioFiles

/// The file of signals, one a channel, and what became of it. Used by one thread at a time, which waits for the disk.
final class SignalFile {
    /// What ended the writing before its time; what was written before stays.
    private(set) var failure: AudioFileError? {
        didSet { if let failure { health.fail(failure.reason) } }
    }
    let health: FileHealth
    private let writer: AudioFileWriter

    /// Creates the file that `health` tells of.
    init(_ health: FileHealth, sampleRate: Int, channels: Int) throws(CallError) {
        self.health = health
        do {
            writer = try AudioFileWriter(path: health.path, sampleRate: sampleRate, channels: channels)
        } catch {
            throw .recording(path: error.path, reason: error.reason)
        }
    }

    /// Appends interleaved samples.
    func write(_ samples: UnsafeBufferPointer<Int16>) {
        guard failure == nil else { return }
        do { try writer.write(samples) } catch { failure = error }
    }

    /// Closes the file.
    func finish() { if let error = writer.finish() { failure = error } }
}
