import AudioUnits
import Realtime

/// A device whose microphone hears noise and whose clock is the caller: a turn is 10 ms of each direction.
final class NoiseDevice: HardwareDevice, @unchecked Sendable {
    let identifier = "noise"
    private let sampleRate: Int
    private let frames: Int
    private let microphone: UnsafeMutablePointer<Float>
    private let loudspeaker: UnsafeMutablePointer<Float>
    private var callbacks: DeviceCallbacks?
    private var turns: Int64 = 0

    init(sampleRate: Int) {
        self.sampleRate = sampleRate
        frames = sampleRate / 100
        microphone = Noise.block(frames)
        loudspeaker = Noise.block(frames)
    }

    func open(_ request: DeviceRequest) throws(DeviceError) -> DeviceGrant {
        let format = DeviceStreamFormat(
            sampleRate: Double(sampleRate), channels: 1, periodFrames: frames, maximumFrames: frames)
        return DeviceGrant(capture: format, playback: format)
    }

    func start(_ callbacks: DeviceCallbacks) throws(DeviceError) { self.callbacks = callbacks }
    func stop() { callbacks = nil }
    func close() { stop() }
    var status: DeviceStatus { DeviceStatus() }
    func setEventHandler(_ handler: (@Sendable (DeviceEvent) -> Void)?) {}

    /// Moves the device on by 10 ms.
    func turn() {
        guard let callbacks else { return }
        var time = DeviceTime(
            sampleTime: turns * Int64(frames), hostTime: HostTime(nanoseconds: turns * 10_000_000),
            latencyMilliseconds: 10)
        callbacks.capture(callbacks.context, microphone, frames, &time)
        callbacks.playback(callbacks.context, loudspeaker, frames, &time)
        turns += 1
    }
}
