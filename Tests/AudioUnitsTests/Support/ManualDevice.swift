import AudioUnits
import Realtime
import Synchronization

/// A device that moves only when a test says so: no threads, exact time stamps.
final class ManualDevice: HardwareDevice, @unchecked Sendable {
    let identifier = "manual"
    var captureFormat: DeviceStreamFormat
    var playbackFormat: DeviceStreamFormat
    var openFailure: DeviceError?
    var startFailure: DeviceError?
    /// How much later than "now" the next played frame is heard.
    var playoutSeconds = 0.01
    /// Added to the capture side's stamps: a device that lies, or jumps.
    var captureStampError = 0.0
    private(set) var lastRequest = DeviceRequest()
    private(set) var isOpen = false
    private(set) var isStarted = false
    private(set) var stops = 0
    private var callbacks: DeviceCallbacks?
    private var captured: Int64 = 0
    private var played: Int64 = 0
    private let startSeconds = 1000.0

    init(rate: Double = 48_000, channels: Int = 1, maximumFrames: Int = 4096) {
        captureFormat = DeviceStreamFormat(
            sampleRate: rate, channels: channels, periodFrames: 480, maximumFrames: maximumFrames)
        playbackFormat = captureFormat
    }

    func open(_ request: DeviceRequest) throws(DeviceError) -> DeviceGrant {
        if let openFailure { throw openFailure }
        lastRequest = request
        isOpen = true
        return DeviceGrant(
            capture: request.capture ? captureFormat : nil, playback: request.playback ? playbackFormat : nil)
    }

    func start(_ callbacks: DeviceCallbacks) throws(DeviceError) {
        if let startFailure { throw startFailure }
        self.callbacks = callbacks
        isStarted = true
    }

    func stop() {
        callbacks = nil
        isStarted = false
        stops += 1
    }

    func close() { isOpen = false }

    var status: DeviceStatus { DeviceStatus() }
    func setEventHandler(_ handler: (@Sendable (DeviceEvent) -> Void)?) {}

    /// The microphone hears `samples` (interleaved) as the next block.
    func capture(_ samples: [Float]) {
        guard let callbacks else { return }
        let frames = samples.count / captureFormat.channels
        let seconds = startSeconds + Double(captured) / captureFormat.sampleRate + captureStampError
        var time = DeviceTime(
            sampleTime: captured, hostTime: HostTime(nanoseconds: Int64(seconds * 1e9)), latencyMilliseconds: 10)
        samples.withUnsafeBufferPointer { callbacks.capture(callbacks.context, $0.baseAddress!, frames, &time) }
        captured += Int64(frames)
    }

    /// The loudspeaker takes the next block of `frames` frames; it was filled with garbage before.
    func play(_ frames: Int) -> [Float] {
        guard let callbacks else { return [] }
        var samples = [Float](repeating: .nan, count: frames * playbackFormat.channels)
        let seconds = startSeconds + Double(played) / playbackFormat.sampleRate + playoutSeconds
        var time = DeviceTime(
            sampleTime: played, hostTime: HostTime(nanoseconds: Int64(seconds * 1e9)),
            latencyMilliseconds: playoutSeconds * 1000)
        samples.withUnsafeMutableBufferPointer { callbacks.playback(callbacks.context, $0.baseAddress!, frames, &time) }
        played += Int64(frames)
        return samples
    }

    /// Captures a block of `frames` zeros and plays one, in memory of the caller's: nothing but the unit is at work.
    func turn(_ block: UnsafeMutablePointer<Float>, frames: Int) {
        guard let callbacks else { return }
        for index in 0..<frames * captureFormat.channels { block[index] = 0 }
        var time = DeviceTime(
            sampleTime: captured, hostTime: HostTime(milliseconds: 1_000_000 + Double(captured) / 48),
            latencyMilliseconds: 10)
        callbacks.capture(callbacks.context, block, frames, &time)
        captured += Int64(frames)
        time.sampleTime = played
        callbacks.playback(callbacks.context, block, frames, &time)
        played += Int64(frames)
    }

    /// Whether the unit could fill a block of `frames` without a gap.
    func mayPlay(_ frames: Int) -> Bool {
        guard let callbacks, let isReady = callbacks.isReady else { return true }
        return isReady(callbacks.context, frames)
    }

    /// The hardware comes back at another format; sample time starts again from the same moment.
    func change(capture: Bool, to format: DeviceStreamFormat) {
        guard let callbacks else { return }
        var copy = format
        if capture {
            captured = Int64(Double(captured) / captureFormat.sampleRate * format.sampleRate)
            captureFormat = format
        } else {
            played = Int64(Double(played) / playbackFormat.sampleRate * format.sampleRate)
            playbackFormat = format
        }
        callbacks.formatChanged(callbacks.context, capture, &copy)
    }
}

/// Collects what an input handler renders, and the notices' sizes.
final class InputCollector: @unchecked Sendable {
    var samples: [Float] = []
    var sizes: [Int] = []
    var notices: [InputNotice] = []

    var handler: InputHandler {
        InputHandler { [self] notice in
            var block = [Float](repeating: .nan, count: notice.frames * notice.format.channels)
            let count = block.withUnsafeMutableBufferPointer {
                notice.render(into: $0.baseAddress!, frames: notice.frames)
            }
            samples += block[..<(count * notice.format.channels)]
            sizes.append(notice.frames)
            notices.append(notice)
        }
    }
}

/// Plays a list of samples through a render callback, then stops filling.
final class OutputFeeder: @unchecked Sendable {
    let samples: [Float]
    var position = 0
    var sizes: [Int] = []
    var times: [AudioTimeStamp] = []

    init(_ samples: [Float]) { self.samples = samples }

    var callback: RenderCallback {
        RenderCallback { [self] slice in
            let count = min(slice.frames, samples.count - position)
            for index in 0..<count { slice.buffer[index] = samples[position + index] }
            position += count
            sizes.append(slice.frames)
            times.append(slice.time)
            slice.producedFrames = count
        }
    }
}
