import AudioUnits
import Realtime

/// A sound card moved by hand: the microphone hears a function of the sample's number, the loudspeaker is kept.
final class ScriptedDevice: HardwareDevice, @unchecked Sendable {
    let identifier = "scripted"
    let sampleRate: Int
    let status = DeviceStatus()
    private(set) var played: [Float] = []

    private let microphone: (Int) -> Float
    private var callbacks: DeviceCallbacks?
    private var captured = 0

    init(sampleRate: Int, microphone: @escaping (Int) -> Float) {
        self.sampleRate = sampleRate
        self.microphone = microphone
    }

    private var period: Int { sampleRate / 100 }

    func open(_ request: DeviceRequest) -> DeviceGrant {
        let format = DeviceStreamFormat(
            sampleRate: Double(sampleRate), channels: 1, periodFrames: period, maximumFrames: period)
        return DeviceGrant(capture: format, playback: format)
    }

    func start(_ callbacks: DeviceCallbacks) { self.callbacks = callbacks }
    func stop() { callbacks = nil }
    func close() {}
    func setEventHandler(_ handler: (@Sendable (DeviceEvent) -> Void)?) {}

    /// 10 ms that end at `now`.
    func turn(now: HostTime) {
        guard let callbacks else { return }
        let block = (0..<period).map { microphone(captured + $0) }
        var time = DeviceTime(
            sampleTime: Int64(captured), hostTime: now.advanced(byMilliseconds: -10), latencyMilliseconds: 10)
        block.withUnsafeBufferPointer { callbacks.capture(callbacks.context, $0.baseAddress!, period, &time) }
        captured += period
        time = DeviceTime(sampleTime: Int64(played.count), hostTime: now, latencyMilliseconds: 0)
        var heard = [Float](repeating: 0, count: period)
        heard.withUnsafeMutableBufferPointer { callbacks.playback(callbacks.context, $0.baseAddress!, period, &time) }
        played += heard
    }
}
