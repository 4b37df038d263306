public import Realtime
import Synchronization
import Threads

/// A file's sound, mono, for a thread that must not wait for a disk: another one reads and converts ahead of it. Memory holds two
/// seconds, however long the file is.
///
/// ```
/// init: its header, the first samples -> begin: a thread reads on -> take, take ... -> isOver
/// ```
/// `take` and `isOver` belong to one thread. What it does not find in time is silence for it, and counted.
///
/// Sendable: the ring's end is the one thread's that takes; all else is constant, or the feed's atomics.
public final class FileReadAhead: @unchecked Sendable {
    private let feed: Feed
    private var ring: RingConsumer<Float>

    /// How far it reads ahead, in seconds.
    public static let aheadSeconds = 2.0
    /// What is read at once, in seconds: a device that gives back what it heard before asks for a quarter of a second in one go.
    public static let firstSeconds = 0.4

    /// Opens a file and reads its first samples; the rest waits for `begin`, or for `fill`.
    /// - Parameters:
    ///   - path: the file.
    ///   - rate: of the samples, in Hz.
    ///   - onTrouble: told by whoever reads, when the file breaks off, or the disk was too slow: each once.
    /// - Throws: why it is no file that can be read, or that there is no memory.
    public init(
        path: String, rate: Int, onTrouble: @escaping @Sendable (AudioFileError) -> Void = { _ in }
    ) throws(AudioFileError) {
        let reader = try AudioFileReader(path: path, rate: rate)
        let ends: RingEnds<Float>
        do {
            ends = try RingEnds<Float>(minimumCapacity: Int(Double(rate) * Self.aheadSeconds))
        } catch {
            throw AudioFileError(path: path, reason: "\(error)")
        }
        feed = Feed(reader, ends.producer, onTrouble)
        ring = ends.consumer
        feed.fill(samples: Int(Double(rate) * Self.firstSeconds))
    }

    deinit { feed.isWanted.store(false, ordering: .relaxed) }

    /// Has a thread read on, which ends with the file, or soon after nobody has the sound any more.
    /// - Throws: there is no thread.
    public func begin() throws(RealtimeError) {
        guard !feed.isDone.load(ordering: .acquiring) else { return }
        _ = try RealtimeThread(name: "file-ahead", owning: feed) { $0.run() }
    }

    /// Reads ahead as far as there is room; for whoever does without `begin`.
    public func fill() { feed.fill(samples: .max) }

    /// Samples that were read so far.
    public var samplesRead: Int { feed.samplesRead.load(ordering: .relaxed) }
    /// Samples that were not there in time.
    public var samplesMissed: Int { feed.samplesMissed.load(ordering: .relaxed) }

    /// Whether the file has ended and all of it was taken.
    public var isOver: Bool { feed.isDone.load(ordering: .acquiring) && ring.available(wanted: 1) == 0 }

    /// Copies the next samples; never waits.
    /// - Parameters:
    ///   - target: where to, `count` samples of room.
    ///   - count: how many are wanted.
    /// - Returns: how many there were: fewer at the end, or where they were not read in time.
    public func take(into target: UnsafeMutablePointer<Float>, count: Int) -> Int {
        let isDone = feed.isDone.load(ordering: .acquiring)
        let taken = ring.read(into: target, count: count)
        if taken < count, !isDone { feed.samplesMissed.wrappingAdd(count - taken, ordering: .relaxed) }
        return taken
    }

    /// The side that reads: of whoever makes it, then of its thread.
    ///
    /// Sendable: atomics go to both sides; reader and ring belong to the maker, and after `begin` to its thread alone.
    private final class Feed: @unchecked Sendable {
        let isWanted = Atomic(true)
        let isDone = Atomic(false)
        let samplesRead = Atomic(0)
        let samplesMissed = Atomic(0)
        private let path: String
        /// `nil`: it was read to its end.
        private var reader: AudioFileReader?
        private var ring: RingProducer<Float>
        private let onTrouble: @Sendable (AudioFileError) -> Void
        private var hasToldOfDisk = false

        /// Samples read at once: as for a file that is read whole.
        private static let block = 2048
        /// Whoever waits for an answer goes first, ms.
        private static let firstPauseMilliseconds = 50.0
        private static let pauseMilliseconds = 200.0

        init(
            _ reader: AudioFileReader, _ ring: consuming RingProducer<Float>,
            _ onTrouble: @escaping @Sendable (AudioFileError) -> Void
        ) {
            (path, self.reader, self.onTrouble) = (reader.path, reader, onTrouble)
            self.ring = ring
        }

        func run() {
            var pause = Self.firstPauseMilliseconds
            while isWanted.load(ordering: .relaxed), reader != nil {
                HostTime.monotonicNow().advanced(byMilliseconds: pause).sleepUntil()
                pause = Self.pauseMilliseconds
                fill(samples: .max)
            }
        }

        /// Reads blocks until there are so many samples more, no room, or no file left.
        func fill(samples: Int) {
            tellOfDisk()
            var read = 0
            while let reader, read < samples, ring.room(wanted: Self.block) >= Self.block {
                let part = reader.read(maximumFrames: Self.block)
                part.withUnsafeBufferPointer { if let base = $0.baseAddress { _ = ring.write(base, count: $0.count) } }
                read += part.count
                samplesRead.wrappingAdd(part.count, ordering: .relaxed)
                if part.count < Self.block { finish(reader) }
            }
        }

        private func finish(_ reader: AudioFileReader) {
            self.reader = nil
            isDone.store(true, ordering: .releasing)
            if let damage = reader.damage { onTrouble(AudioFileError(path: path, reason: damage)) }
        }

        private func tellOfDisk() {
            guard !hasToldOfDisk, samplesMissed.load(ordering: .relaxed) > 0 else { return }
            hasToldOfDisk = true
            onTrouble(AudioFileError(path: path, reason: "it is read too slowly, and is silent meanwhile"))
        }
    }
}
