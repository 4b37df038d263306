public import AudioUnits
import CSndFile
import DSP

/// Reads any file libsndfile knows (WAV, FLAC, Ogg, AIFF …) as mono Float32 at a wanted rate.
///
/// Channels are averaged. Not for render threads: it blocks on the disk.
public final class AudioFileReader {
    /// Rate `read` delivers, in Hz.
    public let sampleRate: Int
    /// Rate in the file, in Hz.
    public let fileRate: Int
    /// Channels in the file.
    public let fileChannels: Int
    /// Length of the file at its own rate, in frames.
    public let fileFrames: Int

    private let file: OpaquePointer
    private let path: String
    private let resampler: Resampler?
    private var interleaved: [Float]
    private var mono: [Float]
    private var pending = 0..<0
    private var skip: Int
    private var drained = 0

    /// Longest block read from the disk at once, in frames.
    private static let block = 2048
    /// Highest channel count that is accepted; more is surely not audio of a person.
    private static let channelLimit = 64

    /// Opens `path`.
    ///
    /// - Parameter rate: rate to deliver, in Hz; `nil` keeps the file's.
    /// - Throws: `DeviceError.file` with libsndfile's reason when it is missing or no audio.
    public init(path: String, rate: Int? = nil) throws(DeviceError) {
        var info = SF_INFO()
        guard let file = sf_open(path, Int32(SFM_READ), &info) else {
            throw .file(path: path, reason: soundFileReason(nil))
        }
        guard info.channels > 0, Int(info.channels) <= Self.channelLimit, info.samplerate > 0 else {
            sf_close(file)
            throw .file(path: path, reason: "it has \(info.channels) channels at \(info.samplerate) Hz")
        }
        let wanted = rate ?? Int(info.samplerate)
        if wanted != Int(info.samplerate) {
            do {
                resampler = try Resampler(from: Int(info.samplerate), to: wanted, quality: 7)
            } catch {
                sf_close(file)
                throw .file(path: path, reason: "its rate \(info.samplerate) Hz cannot become \(wanted) Hz")
            }
        } else {
            resampler = nil
        }
        self.file = file
        self.path = path
        sampleRate = wanted
        fileRate = Int(info.samplerate)
        fileChannels = Int(info.channels)
        fileFrames = Int(info.frames)
        interleaved = [Float](repeating: 0, count: Self.block * Int(info.channels))
        mono = [Float](repeating: 0, count: Self.block)
        skip = resampler?.latencySamples ?? 0
    }

    deinit { sf_close(file) }

    /// Fills `buffer`; fewer frames than asked for means that the end was reached.
    public func read(into buffer: UnsafeMutableBufferPointer<Float>) -> Int {
        guard let base = buffer.baseAddress else { return 0 }
        var filled = 0
        while filled < buffer.count {
            if pending.isEmpty && !refill() { break }
            let produced: (consumed: Int, produced: Int)
            if let resampler {
                produced = mono.withUnsafeBufferPointer {
                    resampler.process(
                        $0.baseAddress! + pending.lowerBound, count: pending.count, into: base + filled,
                        capacity: buffer.count - filled)
                }
            } else {
                let count = min(pending.count, buffer.count - filled)
                mono.withUnsafeBufferPointer {
                    (base + filled).update(from: $0.baseAddress! + pending.lowerBound, count: count)
                }
                produced = (count, count)
            }
            pending = (pending.lowerBound + produced.consumed)..<pending.upperBound
            let dropped = min(skip, produced.produced)
            if dropped > 0 {  // the resampler's own delay at the head of the file
                skip -= dropped
                (base + filled).update(from: base + filled + dropped, count: produced.produced - dropped)
            }
            filled += produced.produced - dropped
            if produced.consumed == 0 && produced.produced == 0 { break }
        }
        return filled
    }

    /// The next `maximumFrames` frames, or the rest of the file if that is less.
    public func read(maximumFrames: Int) -> [Float] {
        [Float](unsafeUninitializedCapacity: max(maximumFrames, 0)) { buffer, count in
            count = read(into: buffer)
        }
    }

    /// Goes back to the beginning.
    public func rewind() {
        sf_seek(file, 0, SEEK_SET)
        resampler?.reset()
        pending = 0..<0
        drained = 0
        skip = resampler?.latencySamples ?? 0
    }

    /// The whole file as mono samples at `rate` Hz (the file's own when `nil`).
    ///
    /// - Throws: `DeviceError.file` when it cannot be opened or is longer than `maximumSeconds`.
    public static func samples(
        path: String, rate: Int? = nil, maximumSeconds: Double = 3600
    ) throws(DeviceError) -> [Float] {
        let reader = try AudioFileReader(path: path, rate: rate)
        if Double(reader.fileFrames) > maximumSeconds * Double(reader.fileRate) {
            throw .file(path: path, reason: "it is longer than \(maximumSeconds) s")
        }
        var all: [Float] = []
        while true {
            let part = reader.read(maximumFrames: block)
            all += part
            if part.count < block { return all }
        }
    }

    /// Reads a block from disk and mixes it to mono; at the end pushes the resampler's tail out with zeros.
    private func refill() -> Bool {
        let frames = interleaved.withUnsafeMutableBufferPointer {
            Int(sf_readf_float(file, $0.baseAddress, sf_count_t(Self.block)))
        }
        guard frames > 0 else { return drainResampler() }
        let scale = 1 / Float(fileChannels)
        for frame in 0..<frames {
            var sum: Float = 0
            for channel in 0..<fileChannels { sum += interleaved[frame * fileChannels + channel] }
            mono[frame] = sum.isFinite ? sum * scale : 0
        }
        pending = 0..<frames
        return true
    }

    private func drainResampler() -> Bool {
        guard let resampler else { return false }
        let tail = resampler.latencySamples * fileRate / sampleRate
        guard drained < tail else { return false }
        let count = min(tail - drained, Self.block)
        for index in 0..<count { mono[index] = 0 }
        pending = 0..<count
        drained += count
        return true
    }
}

/// Why libsndfile failed; for `nil`, why the last open failed.
func soundFileReason(_ file: OpaquePointer?) -> String {
    guard let text = sf_strerror(file) else { return "unknown error" }
    var reason = String(cString: text)
    let prefix = "System error : "
    if reason.hasPrefix(prefix) { reason.removeFirst(prefix.count) }
    while let last = reason.last, last == "." || last.isWhitespace { reason.removeLast() }
    return reason
}
