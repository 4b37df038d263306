import CSndFile
import Glibc

/// Writes an audio file that stays playable whatever happens: headers are renewed at least every 0.5 s of audio, encoders
/// hand on whole packets as they go.
///
/// What a SIGKILL costs is less than a second; in Ogg Vorbis, whose pages are filled by size, up to 5 s of silence. Not for
/// render threads: it blocks on the disk. Writers are used by one thread at a time.
public final class AudioFileWriter {
    /// Where it writes.
    public let path: String
    /// What it writes.
    public let format: AudioFileFormat
    /// Frames a second.
    public let sampleRate: Int
    /// Interleaved channels.
    public let channels: Int
    /// Frames that are safely in the file; what an encoder still holds is counted.
    public private(set) var framesWritten = 0

    private let sink: AudioFileSink
    private var functions = AudioFileSink.functions
    private var file: OpaquePointer?
    private var sinceHeader = 0
    private var failed = false

    /// Creates (or empties) the file at `path`.
    ///
    /// - `format`: nil takes it from the name's ending, and WAV when there is none that is known.
    /// - `depth`: of formats without loss; FLAC has no Float32 and takes 24 bits then.
    /// - Throws: the reason when it cannot be written, or the format takes no such rate or channels.
    public init(
        path: String, sampleRate: Int, channels: Int = 1, format: AudioFileFormat? = nil, depth: AudioFileDepth = .int16
    ) throws(AudioFileError) {
        let format = format ?? AudioFileFormat(path: path) ?? .wav
        var info = SF_INFO()
        info.samplerate = Int32(clamping: sampleRate)
        info.channels = Int32(clamping: channels)
        info.format = format.code(format == .flac && depth == .float32 ? .int24 : depth)
        guard format.takes(rate: sampleRate), sf_format_check(&info) != 0 else {
            throw Self.unsupported(path, format, sampleRate, channels)
        }
        guard let sink = AudioFileSink(path: path) else {
            throw AudioFileError(path: path, reason: String(cString: strerror(errno)))
        }
        self.path = path
        self.format = format
        self.sampleRate = sampleRate
        self.channels = channels
        self.sink = sink
        let file = sf_open_virtual(&functions, Int32(SFM_WRITE), &info, Unmanaged.passUnretained(sink).toOpaque())
        // A disk without room even for the header.
        if sink.failure != 0 {
            if let file { sf_close(file) }
            throw AudioFileError(path: path, reason: String(cString: strerror(sink.failure)))
        }
        guard let file else { throw Self.unsupported(path, format, sampleRate, channels) }
        _ = csndfile_clip(file)
        _ = csndfile_without_peak(file)
        csndfile_stream(file)
        self.file = file
    }

    deinit { finish() }

    private static func unsupported(
        _ path: String, _ format: AudioFileFormat, _ rate: Int, _ channels: Int
    ) -> AudioFileError {
        let rates =
            switch format {
            case .opus: " (it takes 8000, 12000, 16000, 24000 and 48000 Hz)"
            case .mp3: " (it takes 8000 to 48000 Hz, one or two channels)"
            default: ""
            }
        return AudioFileError(
            path: path, reason: "\(format.rawValue) takes no \(channels) channels at \(rate) Hz\(rates)")
    }

    /// Appends interleaved samples, -1..<1 (clipped beyond).
    ///
    /// - Throws: once, when the disk is full or fails, or the format holds no more; what was written before stays playable
    ///   and later calls do nothing.
    public func write(_ samples: UnsafeBufferPointer<Float>) throws(AudioFileError) {
        guard let base = samples.baseAddress else { return }
        try append(frames: samples.count / channels) { sf_writef_float($0, base, $1) }
    }

    /// Appends interleaved samples of 16 bits, which cost least where the file has such ones.
    ///
    /// - Throws: as the other one.
    public func write(_ samples: UnsafeBufferPointer<Int16>) throws(AudioFileError) {
        guard let base = samples.baseAddress else { return }
        try append(frames: samples.count / channels) { sf_writef_short($0, base, $1) }
    }

    private func append(
        frames: Int, by write: (OpaquePointer, sf_count_t) -> sf_count_t
    ) throws(AudioFileError) {
        guard let file, !failed else { return }
        // No sample takes more than four bytes.
        if Int(sink.length) + 4 * channels * frames > format.mostBytes {
            throw fail(file, "a \(format.rawValue) file holds no more than 4 GiB (.rf64, .w64, .caf and .flac do)")
        }
        let written = Int(write(file, sf_count_t(frames)))
        framesWritten += max(written, 0)
        if sink.failure != 0 { throw fail(file, String(cString: strerror(sink.failure))) }
        if written < frames { throw fail(file, soundFileReason(file)) }
        sinceHeader += frames
        if format.renewsHeader, sinceHeader * 2 >= sampleRate {
            sinceHeader = 0
            _ = csndfile_update_header(file)
        }
    }

    /// Appends interleaved samples, -1..<1.
    public func write(_ samples: [Float]) throws(AudioFileError) {
        // withUnsafeBufferPointer cannot carry a typed throw through in every compiler, so the result does
        let result = samples.withUnsafeBufferPointer { buffer -> Result<Void, AudioFileError> in
            do throws(AudioFileError) {
                try write(buffer)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Completes the header and closes the file; also done when the writer goes away.
    ///
    /// - Returns: why the last of it could not be written, if it could not and `write` has not said so.
    @discardableResult
    public func finish() -> AudioFileError? {
        guard let file else { return nil }
        sf_close(file)
        self.file = nil
        guard !failed, sink.failure != 0 else { return nil }
        failed = true
        return AudioFileError(path: path, reason: String(cString: strerror(sink.failure)))
    }

    private func fail(_ file: OpaquePointer, _ reason: String) -> AudioFileError {
        failed = true
        if format.renewsHeader { _ = csndfile_update_header(file) }
        return AudioFileError(path: path, reason: reason)
    }
}
