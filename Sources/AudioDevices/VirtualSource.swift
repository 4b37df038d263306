import AudioFiles
import AudioUnits
import CALSA
import Glibc
import Realtime

/// A microphone of a virtual device that is no room.
enum VirtualSource {
    case silence
    case file(AudioFileReader, loop: Bool)
    case pipe(PipeReader)
    case exchange(SoundExchange)

    /// Fills `samples` completely, with silence where there is no more.
    /// - Parameter now: when they are handed over.
    func read(into samples: UnsafeMutablePointer<Float>, count: Int, at now: HostTime) {
        var filled = 0
        switch self {
        case .silence: break
        case .file(let reader, let loop):
            var isRewound = false
            while filled < count {
                let got = reader.read(into: UnsafeMutableBufferPointer(start: samples + filled, count: count - filled))
                filled += got
                if filled == count || !loop || (isRewound && got == 0) { break }
                reader.rewind()
                isRewound = true
            }
        case .pipe(let reader):
            filled = reader.read(into: samples, count: count)
        case .exchange(let exchange):
            filled = exchange.read(into: samples, count: count, at: now)
        }
        for index in filled..<max(count, filled) { samples[index] = 0 }
    }

    /// Age of a block's first sample when it is handed over, ms.
    func ageMilliseconds(period: Double) -> Double {
        if case .exchange(let exchange) = self { exchange.delay(periodMilliseconds: period).said ?? period } else { period }
    }
}

/// Raw signed 16-bit little-endian samples from standard input.
final class PipeReader {
    /// A paced device takes what is there; virtual time waits for it.
    private let waits: Bool
    private var bytes: [UInt8] = []
    private var isOver = false

    init(waits: Bool) { self.waits = waits }

    func read(into samples: UnsafeMutablePointer<Float>, count: Int) -> Int {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < count * 2 && !isOver {
            var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            if poll(&descriptor, 1, waits ? -1 : 0) <= 0 { break }
            let got = Glibc.read(STDIN_FILENO, &chunk, min(chunk.count, count * 2 - bytes.count))
            if got <= 0 {
                isOver = got == 0 || errno != EINTR && errno != EAGAIN
                break
            }
            bytes += chunk[0..<got]
        }
        let frames = min(bytes.count / 2, count)
        for frame in 0..<frames {
            let value = Int16(bitPattern: UInt16(bytes[2 * frame]) | UInt16(bytes[2 * frame + 1]) << 8)
            samples[frame] = Float(value) * 0x1p-15
        }
        bytes.removeFirst(frames * 2)
        return frames
    }
}
