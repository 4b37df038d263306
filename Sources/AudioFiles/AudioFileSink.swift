import CSndFile
import Glibc

/// The file behind libsndfile when it writes: plain system calls that remember why the disk took no more, which its encoders
/// forget (MP3) or garble (FLAC).
final class AudioFileSink {
    /// Of the first write that failed; 0 while none has.
    private(set) var failure: Int32 = 0
    /// Bytes in the file.
    private(set) var length: Int64 = 0
    private let descriptor: Int32
    private var place: Int64 = 0

    /// Creates or empties the file; nil, with `errno` set, when that cannot be.
    init?(path: String) {
        descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        // After an open that failed `errno` says why.
        if descriptor >= 0 { close(descriptor) }
    }

    private func write(_ bytes: UnsafeRawPointer, _ count: Int) -> Int {
        // After a failure only what is there already may be mended: a header.
        let wanted = failure == 0 ? count : Int(max(0, min(Int64(count), length - place)))
        var done = 0
        while done < wanted {
            let written = pwrite(descriptor, bytes + done, wanted - done, off_t(place))
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                if failure == 0 { failure = written == 0 ? ENOSPC : errno }
                break
            }
            done += written
            place += Int64(written)
            length = max(length, place)
        }
        return done
    }

    private func read(_ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
        let got = max(0, pread(descriptor, bytes, count, off_t(place)))
        place += Int64(got)
        return got
    }

    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        let base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? place : length
        place = max(0, base + offset)
        return place
    }

    /// What libsndfile calls; the pointer it hands over is the sink, which its owner keeps alive.
    static var functions: SF_VIRTUAL_IO {
        SF_VIRTUAL_IO(
            get_filelen: { AudioFileSink.at($0).length }, seek: { AudioFileSink.at($2).seek($0, $1) },
            read: { sf_count_t(AudioFileSink.at($2).read($0!, Int($1))) },
            write: { sf_count_t(AudioFileSink.at($2).write($0!, Int($1))) }, tell: { AudioFileSink.at($0).place })
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> AudioFileSink {
        Unmanaged<AudioFileSink>.fromOpaque(context!).takeUnretainedValue()
    }
}
