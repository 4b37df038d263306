import AudioUnits
import Glibc
import Realtime

/// Stands where an I/O unit would: plays what `voice` says and keeps what is captured.
final class CallbackProbe: Sendable {
    struct Log {
        var captured: [Float] = []
        var captureTimes: [DeviceTime] = []
        var captureBlocks: [Int] = []
        var played = 0
        var playbackBlocks: [Int] = []
        var playbackTimes: [DeviceTime] = []
        var formats: [DeviceStreamFormat] = []
        var threads: Set<pthread_t> = []
    }

    private let log = Lock(Log())
    /// Sample for each frame played, by its index.
    private let voice: @Sendable (Int) -> Float

    init(voice: @escaping @Sendable (Int) -> Float = { _ in 0 }) { self.voice = voice }

    var contents: Log { log.withLock { $0 } }

    func forget() { log.withLock { $0.captured = [] } }

    /// The callbacks; the probe must outlive their use.
    var callbacks: DeviceCallbacks {
        DeviceCallbacks(
            context: Unmanaged.passUnretained(self).toOpaque(),
            capture: { context, samples, frames, time in
                let probe = Unmanaged<CallbackProbe>.fromOpaque(context).takeUnretainedValue()
                let time = time.assumingMemoryBound(to: DeviceTime.self).pointee
                probe.log.withLock {
                    $0.captured += UnsafeBufferPointer(start: samples, count: frames)
                    $0.captureTimes.append(time)
                    $0.captureBlocks.append(frames)
                    $0.threads.insert(pthread_self())
                }
            },
            playback: { context, samples, frames, time in
                let probe = Unmanaged<CallbackProbe>.fromOpaque(context).takeUnretainedValue()
                let time = time.assumingMemoryBound(to: DeviceTime.self).pointee
                probe.log.withLock {
                    for index in 0..<frames { samples[index] = probe.voice($0.played + index) }
                    $0.played += frames
                    $0.playbackBlocks.append(frames)
                    $0.playbackTimes.append(time)
                    $0.threads.insert(pthread_self())
                }
            },
            formatChanged: { context, _, format in
                let probe = Unmanaged<CallbackProbe>.fromOpaque(context).takeUnretainedValue()
                let format = format.assumingMemoryBound(to: DeviceStreamFormat.self).pointee
                probe.log.withLock { $0.formats.append(format) }
            })
    }
}
