import AudioFiles
import AudioUnits
import DSP
import Glibc

/// A loudspeaker of a virtual device that is no room.
enum VirtualSink {
    case nothing
    case file(AudioFileWriter)
    case pipe(waits: Bool)
    case exchange(SoundExchange)

    /// From when a block is asked for until its first sample is heard, ms.
    func waitMilliseconds(period: Double) -> Double {
        if case .exchange(let exchange) = self { exchange.delay(periodMilliseconds: period).heard } else { 0 }
    }

    /// Takes `count` samples.
    ///
    /// - Throws: `DeviceError.file` once when the file or pipe takes no more.
    func write(_ samples: UnsafePointer<Float>, count: Int) throws(DeviceError) {
        switch self {
        case .nothing: break
        case .file(let writer):
            do { try writer.write(UnsafeBufferPointer(start: samples, count: count)) } catch { throw DeviceError(error) }
        case .pipe(let waits): try Self.writePipe(samples, count, waits: waits)
        case .exchange(let exchange): exchange.write(samples, count: count)
        }
    }

    /// Standard output; a paced device drops what the reader has no room for, virtual time waits for it.
    private static func writePipe(_ samples: UnsafePointer<Float>, _ count: Int, waits: Bool) throws(DeviceError) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * 2)
        for index in 0..<count {
            let value = UInt16(bitPattern: SampleConversion.toInt16(samples[index]))
            bytes.append(UInt8(truncatingIfNeeded: value))
            bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        }
        var sent = 0
        while sent < bytes.count {
            // What polls as writable takes PIPE_BUF bytes without blocking.
            var descriptor = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
            if poll(&descriptor, 1, waits ? -1 : 0) == 0 && sent & 1 == 0 { return }
            let written = bytes.withUnsafeBytes {
                Glibc.write(STDOUT_FILENO, $0.baseAddress! + sent, min(bytes.count - sent, Int(PIPE_BUF)))
            }
            if written < 0 {
                if errno == EINTR || errno == EAGAIN { continue }
                throw .file(path: "standard output", reason: String(cString: strerror(errno)))
            }
            sent += written
        }
    }
}
