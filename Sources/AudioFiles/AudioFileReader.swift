import CSndFile
import DSP
import Glibc

/// Reads any file libsndfile knows (WAV, AIFF, FLAC, MP3, Ogg Vorbis, Opus …) as Float32 at a wanted rate and channel count.
///
/// Not for render threads: it blocks on the disk.
public final class AudioFileReader {
    /// The file.
    public let path: String
    /// Rate `read` delivers, in Hz.
    public let sampleRate: Int
    /// Channels `read` delivers, interleaved.
    public let channels: Int
    /// Rate in the file, in Hz.
    public let fileRate: Int
    /// Channels in the file.
    public let fileChannels: Int
    /// Length of the file at its own rate, in frames; nil when only reading it will tell.
    public let fileFrames: Int?
    /// What was found to be wrong while it was read: it breaks off early, or cannot be decoded from somewhere on.
    public private(set) var damage: String?

    private let file: OpaquePointer
    /// The last frame that libsndfile goes to.
    private let lastFrame: Int?
    private let resamplers: [Resampler]
    private var interleaved: [Float]
    /// Read and folded, not yet delivered: a run of `block` samples for each channel.
    private var planes: [Float]
    private var converted: [Float]
    private var pending = 0..<0
    private var skip: Int
    private var drained = 0
    /// Frames of the file read since the last seek, from where that was.
    private var place = 0

    /// Longest block read from the disk at once, in frames.
    private static let block = 2048
    /// Channel counts that are accepted; more is surely not audio of a person.
    private static let channelLimit = 64
    private static let rates = 1...768_000

    /// Opens `path`.
    ///
    /// - Parameters:
    ///   - path: of the file; of a named pipe something must have been written.
    ///   - rate: rate to deliver, in Hz; `nil` keeps the file's.
    ///   - channels: channels to deliver: fewer are averages, more are silent but for the second of a mono file; `nil` keeps
    ///     the file's.
    ///   - isWanted: asked ten times a second whether to wait any longer for who writes a named pipe.
    /// - Throws: the reason when it is missing, no audio, or no longer wanted.
    public init(
        path: String, rate: Int? = nil, channels: Int? = 1, isWanted: () -> Bool = { true }
    ) throws(AudioFileError) {
        let pipe = try NamedPipe.open(path, while: isWanted)
        if pipe == nil, ForeignFile.isMP3InNameOnly(path: path) {
            throw AudioFileError(path: path, reason: ForeignFile.description(path: path) ?? "it holds no MPEG audio")
        }
        var info = SF_INFO()
        let mode = Int32(SFM_READ)
        let opened = if let pipe { sf_open_fd(pipe, mode, &info, Int32(SF_TRUE)) } else { sf_open(path, mode, &info) }
        guard let file = opened else {
            let reason = soundFileReason(nil)
            throw AudioFileError(path: path, reason: ForeignFile.description(path: path) ?? reason)
        }
        do throws(AudioFileError) {
            guard pipe != nil || !HeaderCheck.isUnfinished(path, info) else {
                throw AudioFileError(path: path, reason: "its header was never completed, and tells of none of its sound")
            }
            guard info.channels > 0, Int(info.channels) <= Self.channelLimit, Self.rates.contains(Int(info.samplerate))
            else {
                throw AudioFileError(path: path, reason: "it has \(info.channels) channels at \(info.samplerate) Hz")
            }
            let wanted = rate ?? Int(info.samplerate)
            let count = channels ?? Int(info.channels)
            resamplers = try Self.resamplers(path, from: Int(info.samplerate), to: wanted, channels: count)
            sampleRate = wanted
            self.channels = count
        } catch {
            sf_close(file)
            throw error
        }
        self.file = file
        self.path = path
        fileRate = Int(info.samplerate)
        fileChannels = Int(info.channels)
        lastFrame = info.frames > 0 && info.frames < sf_count_t(1) << 48 ? Int(info.frames) : info.frames == 0 ? 0 : nil
        fileFrames = pipe != nil || HeaderCheck.tellsLength(path, info) ? lastFrame : nil
        interleaved = [Float](repeating: 0, count: Self.block * fileChannels)
        planes = [Float](repeating: 0, count: Self.block * self.channels)
        converted = resamplers.isEmpty ? [] : planes
        skip = resamplers.first?.latencySamples ?? 0
        damage = CutOffHeader.promisesMore(file) ? "it is cut off: its header promises more sound than it holds" : nil
    }

    deinit { sf_close(file) }

    private static func resamplers(
        _ path: String, from rate: Int, to wanted: Int, channels: Int
    ) throws(AudioFileError) -> [Resampler] {
        guard rate != wanted else { return [] }
        var all: [Resampler] = []
        do {
            for _ in 0..<channels { all.append(try Resampler(from: rate, to: wanted, quality: 7)) }
        } catch {
            throw AudioFileError(path: path, reason: "its rate \(rate) Hz cannot become \(wanted) Hz")
        }
        return all
    }

    /// Length in seconds, when it is known.
    public var seconds: Double? { fileFrames.map { Double($0) / Double(fileRate) } }

    /// Fills `buffer` with whole interleaved frames; fewer than fit mean that the end was reached.
    ///
    /// - Returns: samples written: frames times channels.
    public func read(into buffer: UnsafeMutableBufferPointer<Float>) -> Int {
        guard let base = buffer.baseAddress else { return 0 }
        let wanted = buffer.count / channels
        var filled = 0
        while filled < wanted {
            if pending.isEmpty && !refill() { break }
            filled += deliver(into: base + filled * channels, frames: wanted - filled)
        }
        return filled * channels
    }

    /// The next `maximumFrames` frames, or the rest of the file if that is less.
    public func read(maximumFrames: Int) -> [Float] {
        [Float](unsafeUninitializedCapacity: max(maximumFrames, 0) * channels) { buffer, count in
            count = read(into: buffer)
        }
    }

    /// Goes to `seconds` from the beginning, or to the end if that is earlier.
    public func seek(toSeconds seconds: Double) {
        let frame = Int(max(0, min(seconds, 1e9)) * Double(fileRate))
        let wanted = lastFrame.map { min($0, frame) } ?? frame
        place = max(0, Int(sf_seek(file, sf_count_t(wanted), SEEK_SET)))
        for resampler in resamplers { resampler.reset() }
        pending = 0..<0
        drained = 0
        skip = resamplers.first?.latencySamples ?? 0
    }

    /// Goes back to the beginning.
    public func rewind() { seek(toSeconds: 0) }

    /// The whole file as mono samples at `rate` Hz (the file's own when `nil`).
    ///
    /// - Parameters:
    ///   - path: of the file.
    ///   - rate: of the samples, in Hz.
    ///   - maximumSeconds: a longer one is refused.
    ///   - isWanted: as at `init`.
    /// - Throws: when it cannot be opened or is longer than `maximumSeconds`.
    public static func samples(
        path: String, rate: Int? = nil, maximumSeconds: Double = 3600, isWanted: () -> Bool = { true }
    ) throws(AudioFileError) -> [Float] {
        let reader = try AudioFileReader(path: path, rate: rate, isWanted: isWanted)
        let tooLong = AudioFileError(path: path, reason: "it is longer than \(maximumSeconds) s")
        if let seconds = reader.seconds, seconds > maximumSeconds { throw tooLong }
        let limit = Int(maximumSeconds * Double(reader.sampleRate)) + block
        var all: [Float] = []
        while true {
            let part = reader.read(maximumFrames: block)
            all += part
            if all.count > limit { throw tooLong }
            if part.count < block { return all }
        }
    }

    // MARK: inside

    /// Hands out up to `frames` pending frames; may be none while a resampler's own delay is skipped.
    private func deliver(into target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
        guard !resamplers.isEmpty else {
            let count = min(frames, pending.count)
            interleave(planes, from: pending.lowerBound, frames: count, into: target)
            pending = (pending.lowerBound + count)..<pending.upperBound
            return count
        }
        let step = convert(frames)
        let start = min(skip, step.produced)
        skip -= start
        interleave(converted, from: start, frames: step.produced - start, into: target)
        pending = (pending.lowerBound + step.consumed)..<pending.upperBound
        // A resampler that neither takes nor gives would keep the caller for ever.
        if step.consumed == 0, step.produced == 0 { pending = 0..<0 }
        return step.produced - start
    }

    private func interleave(_ source: [Float], from start: Int, frames: Int, into target: UnsafeMutablePointer<Float>) {
        for channel in 0..<channels {
            for frame in 0..<frames { target[frame * channels + channel] = source[channel * Self.block + start + frame] }
        }
    }

    /// Runs each channel's resampler from `planes` to `converted`; all take and give the same.
    private func convert(_ frames: Int) -> (consumed: Int, produced: Int) {
        var step = (consumed: 0, produced: 0)
        let capacity = min(frames, Self.block)
        planes.withUnsafeBufferPointer { input in
            converted.withUnsafeMutableBufferPointer { output in
                for (channel, resampler) in resamplers.enumerated() {
                    step = resampler.process(
                        input.baseAddress! + (channel * Self.block + pending.lowerBound), count: pending.count,
                        into: output.baseAddress! + channel * Self.block, capacity: capacity)
                }
            }
        }
        return step
    }

    /// Reads a block from disk; at the end pushes the resamplers' tails out with zeros.
    private func refill() -> Bool {
        let frames = interleaved.withUnsafeMutableBufferPointer {
            Int(sf_readf_float(file, $0.baseAddress, sf_count_t(Self.block)))
        }
        guard frames > 0 else {
            noteEnd()
            return drainResamplers()
        }
        place += frames
        interleaved.withUnsafeBufferPointer { input in
            planes.withUnsafeMutableBufferPointer { output in
                ChannelFold.spread(
                    input.baseAddress!, channels: fileChannels, frames: frames, into: output.baseAddress!,
                    channels: channels, stride: Self.block)
            }
        }
        pending = 0..<frames
        return true
    }

    /// Whether the file ended where it should.
    private func noteEnd() {
        guard damage == nil else { return }
        if sf_error(file) != 0 {
            damage = "it cannot be decoded after \(seconds(place)) s: \(soundFileReason(file))"
        } else if let fileFrames, place < fileFrames - fileRate / 10 {  // MP3 may count a little wrong
            damage = "it is cut off: \(seconds(place)) s of \(seconds(fileFrames)) s are there"
        }
    }

    private func seconds(_ frames: Int) -> Double { (Double(frames) / Double(fileRate) * 100).rounded() / 100 }

    private func drainResamplers() -> Bool {
        guard let resampler = resamplers.first else { return false }
        let tail = resampler.latencySamples * fileRate / sampleRate
        guard drained < tail else { return false }
        let count = min(tail - drained, Self.block)
        for index in planes.indices { planes[index] = 0 }
        pending = 0..<count
        drained += count
        return true
    }
}
