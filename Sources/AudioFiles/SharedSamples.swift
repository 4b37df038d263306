import Glibc
import Realtime
import Synchronization

/// A short file's sound, mono, for any number of calls that play it at the same time: it is read and converted once, and kept for as
/// long as somebody has it.
public final class SharedSamples: Sendable {
    /// All of it, at the rate that was asked for.
    public let samples: [Float]

    /// Longest file that is held whole for calls that are waited for, in seconds: reading it keeps the first of them waiting.
    public static let shortSeconds = 30.0

    /// What is there, by file and rate.
    private static let known = Lock<[Key: Known]>([:])

    private struct Known { weak var shared: SharedSamples? }

    /// A file as it is now: one that is written anew is another one.
    private struct Key: Hashable {
        private let device: UInt
        private let number: UInt
        private let bytes: Int
        private let changed: [Int]
        private let rate: Int

        /// `nil`: it is no file that can be read twice, but a pipe or the like, or there is none.
        init?(_ path: String, rate: Int) {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            (device, number, bytes, self.rate) = (UInt(status.st_dev), UInt(status.st_ino), Int(status.st_size), rate)
            changed = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        }
    }

    /// - Parameter samples: that nobody else shares.
    public init(_ samples: [Float]) { self.samples = samples }

    /// Finds the sound of a file, which is read where nobody has it.
    /// - Parameters:
    ///   - path: the file.
    ///   - rate: of the samples, in Hz.
    ///   - mostSeconds: a longer one is not held whole.
    ///   - onTrouble: told where the file breaks off, by whoever reads it.
    /// - Returns: `nil`: it is too long, its length is not known, or it can be read once only.
    /// - Throws: why it cannot be read.
    public static func find(
        path: String, rate: Int, mostSeconds: Double = shortSeconds, onTrouble: (AudioFileError) -> Void = { _ in }
    ) throws(AudioFileError) -> SharedSamples? {
        guard let key = Key(path, rate: rate) else { return nil }
        if let there = known.withLock({ $0[key]?.shared }) { return there }
        let reader = try AudioFileReader(path: path, rate: rate)
        guard let seconds = reader.seconds, seconds <= mostSeconds else { return nil }
        // Some formats count a little wrong.
        let most = Int((seconds + 1) * Double(rate))
        let samples = reader.read(maximumFrames: most)
        guard samples.count < most else { return nil }
        if let damage = reader.damage { onTrouble(AudioFileError(path: path, reason: damage)) }
        let made = SharedSamples(samples)
        return known.withLock { known -> SharedSamples in
            // Somebody may have read it at the same time.
            if let there = known[key]?.shared { return there }
            known = known.filter { $0.value.shared != nil }
            known[key] = Known(shared: made)
            return made
        }
    }

    /// The sound of a file that is held whole in any case: shared, if it can be read twice.
    /// - Parameters:
    ///   - path: the file.
    ///   - rate: of the samples, in Hz.
    ///   - maximumSeconds: a longer one is refused.
    /// - Returns: its sound.
    /// - Throws: why it cannot be read.
    public static func whole(
        path: String, rate: Int, maximumSeconds: Double = 3600
    ) throws(AudioFileError) -> SharedSamples {
        if let shared = try find(path: path, rate: rate, mostSeconds: maximumSeconds) { return shared }
        return SharedSamples(try AudioFileReader.samples(path: path, rate: rate, maximumSeconds: maximumSeconds))
    }

    /// Whether a file is held whole for calls that play it.
    /// - Parameter path: the file.
    public static func isShort(path: String) -> Bool {
        guard Key(path, rate: 0) != nil, let reader = try? AudioFileReader(path: path) else { return false }
        return reader.seconds.map { $0 <= shortSeconds } ?? false
    }
}

/// One call's place in a sound that it shares with others; one thread takes it.
public final class SharedSamplesPlayer: Sendable {
    private let shared: SharedSamples
    private let repeats: Bool
    private let position = Atomic(0)

    /// - Parameters:
    ///   - shared: the sound, from its beginning.
    ///   - repeats: whether it begins again at its end.
    public init(_ shared: SharedSamples, repeats: Bool = false) { (self.shared, self.repeats) = (shared, repeats) }

    /// Whether all of it was taken.
    public var isOver: Bool {
        shared.samples.isEmpty || (!repeats && position.load(ordering: .relaxed) == shared.samples.count)
    }

    /// Copies the next samples; never waits.
    /// - Parameters:
    ///   - target: where to, `count` samples of room.
    ///   - count: how many are wanted.
    /// - Returns: how many there were: fewer at the end.
    public func take(into target: UnsafeMutablePointer<Float>, count: Int) -> Int {
        var place = position.load(ordering: .relaxed)
        var taken = 0
        shared.samples.withUnsafeBufferPointer { samples in
            guard let base = samples.baseAddress else { return }
            while taken < count {
                if place == samples.count, repeats { place = 0 }
                let part = min(count - taken, samples.count - place)
                guard part > 0 else { return }
                (target + taken).update(from: base + place, count: part)
                taken += part
                place += part
            }
        }
        position.store(place, ordering: .relaxed)
        return taken
    }
}
