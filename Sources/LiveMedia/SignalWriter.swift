import AudioFiles
import Realtime

/// One signal on its way to a file: the owner's end of a lock-free ring.
package final class SignalChannel {
    private var ring: RingProducer<Float>
    private let health: FileHealth
    /// Samples lost because the file's thread was away for longer than the ring holds.
    package private(set) var dropped = 0

    init(_ ring: consuming RingProducer<Float>, health: FileHealth) {
        self.ring = ring
        self.health = health
    }

    /// Copies `block` into the ring; what does not fit is dropped and counted.
    package func add(_ block: [Float]) {
        block.withUnsafeBufferPointer { samples in
            guard let start = samples.baseAddress else { return }
            let lost = samples.count - ring.write(start, count: samples.count)
            dropped += lost
            health.lose(lost)
        }
    }
}

/// Writes signals to a WAV file, one a channel.
///
/// The threads that own a signal push it into a ring and go on; `drain` is called on a `DiskThread`, or
/// by a simulated call after each step. The file stays playable all the time: a SIGKILL costs at most the last second.
package final class SignalWriter {
    /// Seconds a ring holds: a disk may stall for as long.
    static let ringSeconds = 4

    /// What ended the writing before its time; what was written before stays.
    package private(set) var failure: AudioFileError? {
        didSet { if let failure { health.fail(failure.reason) } }
    }
    package let health: FileHealth
    private let rings: [FilledRing]
    private let writer: AudioFileWriter
    private let chunk: Int
    /// A channel that has nothing while another one has more than this many samples stands still: no longer waited for.
    private let patience: Int
    /// Channels that stand still.
    private var isStill: [Bool]
    private var interleaved: [Float]
    private var block: [Float]

    /// Creates the file at `path` with as many channels as `rings`.
    init(path: String, sampleRate: Int, rings: [FilledRing], health: FileHealth? = nil) throws(CallError) {
        do {
            writer = try AudioFileWriter(path: path, sampleRate: sampleRate, channels: rings.count)
        } catch {
            throw .recording(path: error.path, reason: error.reason)
        }
        self.health = health ?? FileHealth(path: path)
        self.rings = rings
        chunk = sampleRate / 10
        patience = sampleRate
        isStill = rings.map { _ in false }
        interleaved = [Float](repeating: 0, count: chunk * rings.count)
        block = [Float](repeating: 0, count: chunk)
    }

    /// Creates the file and the rings' other ends, one for each channel.
    package static func open(
        path: String, sampleRate: Int, channels: Int
    ) throws(CallError) -> (writer: SignalWriter, channels: [SignalChannel]) {
        let health = FileHealth(path: path)
        var inlets: [SignalChannel] = []
        var rings: [FilledRing] = []
        do {
            for _ in 0..<channels {
                let ends = try RingEnds<Float>(minimumCapacity: sampleRate * ringSeconds)
                inlets.append(SignalChannel(ends.producer, health: health))
                rings.append(FilledRing(ends.consumer))
            }
        } catch {
            throw .resources("\(error)")
        }
        return (try SignalWriter(path: path, sampleRate: sampleRate, rings: rings, health: health), inlets)
    }

    /// Writes what every channel has; `toEnd` fills up the shorter ones with silence.
    ///
    /// A channel that stands still for more than a second (a microphone that hangs) is filled up likewise, until it goes on: the
    /// others would be lost once their rings are full, and all that follows would be out of step.
    package func drain(toEnd: Bool = false) {
        while failure == nil {
            let waiting = rings.map { $0.ring.available(wanted: patience + 1) }
            let most = waiting.max() ?? 0
            for (channel, count) in waiting.enumerated() {
                if count > 0 { isStill[channel] = false } else if most > patience { isStill[channel] = true }
            }
            let least = zip(waiting, isStill).filter { !$0.1 }.map(\.0).min()
            let frames = min(chunk, toEnd ? most : least ?? 0)
            guard frames > 0 else { return }
            write(frames: frames)
        }
    }

    private func write(frames: Int) {
        for (channel, source) in rings.enumerated() {
            let read = block.withUnsafeMutableBufferPointer { source.ring.read(into: $0.baseAddress!, count: frames) }
            for i in 0..<frames { interleaved[i * rings.count + channel] = i < read ? block[i] : 0 }
        }
        do {
            try interleaved.withUnsafeBufferPointer { samples throws(AudioFileError) in
                try writer.write(UnsafeBufferPointer(rebasing: samples[..<(frames * rings.count)]))
            }
        } catch {
            failure = error
        }
    }

    /// Writes the rest and closes the file.
    package func finish() {
        drain(toEnd: true)
        if let error = writer.finish() { failure = error }
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

/// The reading end of a ring, in a box: a noncopyable value cannot live in an array.
final class FilledRing {
    var ring: RingConsumer<Float>

    init(_ ring: consuming RingConsumer<Float>) { self.ring = ring }
}
