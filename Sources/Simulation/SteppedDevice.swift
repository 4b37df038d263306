import AudioUnits
import Realtime

/// Two signals in memory in place of hardware: the microphone hears one, and the loudspeaker's is whatever the unit plays.
///
/// Like hardware it takes each block of the loudspeaker a period before that is heard. Moves only in `step`, on the caller's
/// thread, with exact time stamps.
///
/// Sendable: only the thread that steps the simulation touches it.
final class SteppedDevice: HardwareDevice, @unchecked Sendable {
    let identifier = "memory"
    let status = DeviceStatus()

    private let microphone: [Float]
    private let format: DeviceStreamFormat
    private let block: UnsafeMutablePointer<Float>
    private var callbacks: DeviceCallbacks?
    private var captured: Int64 = 0
    private var played: Int64 = 0

    /// The rate in Hz and the period in frames.
    init(microphone: [Float], sampleRate: Int, periodFrames: Int) {
        self.microphone = microphone
        format = DeviceStreamFormat(
            sampleRate: Double(sampleRate), channels: 1, periodFrames: periodFrames, maximumFrames: periodFrames)
        block = .allocate(capacity: periodFrames)
        block.initialize(repeating: 0, count: periodFrames)
    }

    deinit { block.deallocate() }

    func open(_ request: DeviceRequest) throws(DeviceError) -> DeviceGrant {
        DeviceGrant(capture: request.capture ? format : nil, playback: request.playback ? format : nil)
    }

    func start(_ callbacks: DeviceCallbacks) throws(DeviceError) {
        self.callbacks = callbacks
        play(callbacks)
    }

    func stop() { callbacks = nil }
    func close() { stop() }
    func setEventHandler(_ handler: (@Sendable (DeviceEvent) -> Void)?) {}

    /// One period: the next block is taken for the loudspeaker, then one comes from the microphone; silence after its end.
    func step() {
        guard let callbacks else { return }
        play(callbacks)
        let first = Int(captured)
        for index in 0..<format.periodFrames {
            block[index] = first + index < microphone.count ? microphone[first + index] : 0
        }
        var time = stamp(captured, latencyPeriods: 1)
        callbacks.capture(callbacks.context, block, format.periodFrames, &time)
        captured += Int64(format.periodFrames)
    }

    private func play(_ callbacks: DeviceCallbacks) {
        var time = stamp(played, latencyPeriods: 1)
        callbacks.playback(callbacks.context, block, format.periodFrames, &time)
        played += Int64(format.periodFrames)
    }

    /// Sample `position` of either direction is heard or picked up at that time of its stream.
    private func stamp(_ position: Int64, latencyPeriods: Double) -> DeviceTime {
        let seconds = Double(position) / format.sampleRate
        return DeviceTime(
            sampleTime: position, hostTime: HostTime(nanoseconds: Self.startNanoseconds + Int64(seconds * 1e9)),
            latencyMilliseconds: latencyPeriods * Double(format.periodFrames) * 1000 / format.sampleRate)
    }

    /// Any moment but zero, which means unknown.
    private static let startNanoseconds: Int64 = 1_000_000_000
}
