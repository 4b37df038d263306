public import AudioUnits
import CSndFile
import Glibc

/// Writes 16-bit WAV that stays playable whatever happens: the header is renewed at least every 0.5 s of audio.
///
/// Not for render threads: it blocks on the disk. Writers are used by one thread at a time.
public final class WAVWriter {
    /// Where it writes.
    public let path: String
    /// Frames a second.
    public let sampleRate: Int
    /// Interleaved channels.
    public let channels: Int
    /// Frames that are safely in the file.
    public private(set) var framesWritten = 0

    private var file: OpaquePointer?
    private var sinceHeader = 0
    private var failed = false

    /// Creates (or empties) the file at `path`.
    ///
    /// - Throws: `DeviceError.file` with the reason when it cannot be written.
    public init(path: String, sampleRate: Int, channels: Int = 1) throws(DeviceError) {
        var info = SF_INFO()
        info.samplerate = Int32(clamping: sampleRate)
        info.channels = Int32(clamping: channels)
        info.format = Int32(SF_FORMAT_WAV | SF_FORMAT_PCM_16)
        guard let file = sf_open(path, Int32(SFM_WRITE), &info) else {
            throw .file(path: path, reason: soundFileReason(nil))
        }
        _ = csndfile_clip(file)
        self.file = file
        self.path = path
        self.sampleRate = sampleRate
        self.channels = channels
    }

    deinit { finish() }

    /// Appends interleaved samples, -1..<1 (clipped beyond).
    ///
    /// - Throws: `DeviceError.file` once when the disk is full or fails; what was written before stays playable and
    ///   later calls do nothing.
    public func write(_ samples: UnsafeBufferPointer<Float>) throws(DeviceError) {
        guard let file, !failed, let base = samples.baseAddress else { return }
        let frames = samples.count / channels
        errno = 0
        let written = Int(sf_writef_float(file, base, sf_count_t(frames)))
        framesWritten += max(written, 0)
        if written < frames { throw fail(file) }
        sinceHeader += frames
        if sinceHeader * 2 >= sampleRate {
            sinceHeader = 0
            _ = csndfile_update_header(file)
        }
    }

    /// Appends interleaved samples, -1..<1.
    public func write(_ samples: [Float]) throws(DeviceError) {
        // withUnsafeBufferPointer cannot carry a typed throw through in every compiler, so the result does
        let result = samples.withUnsafeBufferPointer { buffer -> Result<Void, DeviceError> in
            do throws(DeviceError) {
                try write(buffer)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Completes the header and closes the file; also done when the writer goes away.
    public func finish() {
        guard let file else { return }
        sf_close(file)
        self.file = nil
    }

    private func fail(_ file: OpaquePointer) -> DeviceError {
        failed = true
        let code = errno
        let reason = code == 0 ? soundFileReason(file) : String(cString: strerror(code))
        _ = csndfile_update_header(file)
        return .file(path: path, reason: reason)
    }
}
