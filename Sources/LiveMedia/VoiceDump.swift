import AudioUnits
import Glibc
import Realtime

/// Writes signals inside the voice processing into a folder, one WAV file each, named after the signal.
package final class VoiceDump {
    let writers: [SignalWriter]

    /// Creates the folder and its files and sets `unit`'s taps, so it must not be initialized yet.
    package init(
        folder: String, signals: [VoiceSignal], sampleRate: Int, unit: VoiceProcessingIO
    ) throws(CallError) {
        try Self.create(folder)
        var writers: [SignalWriter] = []
        do {
            for signal in signals {
                let ends = try RingEnds<Float>(minimumCapacity: sampleRate * SignalWriter.ringSeconds)
                try unit.setTap(signal, ends.producer)
                writers.append(
                    try SignalWriter(
                        path: "\(folder)/\(signal.name).wav", sampleRate: sampleRate,
                        rings: [FilledRing(ends.consumer)]))
            }
        } catch let error as CallError {
            throw error
        } catch {
            throw .resources("\(error)")
        }
        self.writers = writers
    }

    static func create(_ folder: String) throws(CallError) {
        if mkdir(folder, 0o755) != 0, errno != EEXIST {
            throw .recording(path: folder, reason: String(cString: strerror(errno)))
        }
    }

    /// Writes what waits; at least every few seconds, for the rings hold no more.
    package func drain() { for writer in writers { writer.drain() } }

    /// Writes the rest and closes the files.
    package func finish() throws(CallError) {
        for writer in writers { writer.finish() }
        for writer in writers {
            if let reason = writer.health.failureReason { throw .recording(path: writer.path, reason: reason) }
        }
    }
}
