import AudioUnits
import Realtime

/// A sound card moved by hand: the microphone hears a function of the sample's number, the loudspeaker is kept.
final class ScriptedDevice: HardwareDevice, @unchecked Sendable {
    let identifier = "scripted"
    /// Rate at the start, which the microphone's function counts by.
    let sampleRate: Int
    let status = DeviceStatus()
    /// What the loudspeaker played, channels by turns.
    private(set) var played: [Float] = []
    /// Channels of the loudspeaker.
    let channels: Int

    private let microphone: (Int) -> Float
    private var callbacks: DeviceCallbacks?
    private var rates: (capture: Int, playback: Int)
    private var turns = 0
    private var plays = true

    init(sampleRate: Int, channels: Int = 1, microphone: @escaping (Int) -> Float) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.microphone = microphone
        rates = (sampleRate, sampleRate)
    }

    private func format(rate: Int, channels: Int) -> DeviceStreamFormat {
        DeviceStreamFormat(
            sampleRate: Double(rate), channels: channels, periodFrames: rate / 100, maximumFrames: rate / 100)
    }

    func open(_ request: DeviceRequest) -> DeviceGrant {
        plays = request.playback
        return DeviceGrant(
            capture: format(rate: rates.capture, channels: 1),
            playback: format(rate: rates.playback, channels: channels))
    }

    func start(_ callbacks: DeviceCallbacks) { self.callbacks = callbacks }
    func stop() { callbacks = nil }
    func close() {}
    func setEventHandler(_ handler: (@Sendable (DeviceEvent) -> Void)?) {}

    /// The route changes: one direction goes on at another rate, a multiple of 100 Hz.
    func reroute(capture: Bool, rate: Int) {
        if capture { rates.capture = rate } else { rates.playback = rate }
        guard let callbacks else { return }
        var format = format(rate: rate, channels: capture ? 1 : channels)
        callbacks.formatChanged(callbacks.context, capture, &format)
    }

    /// 10 ms that end at `now`.
    func turn(now: HostTime) {
        guard let callbacks else { return }
        let first = turns * (sampleRate / 100)
        let block = (0..<rates.capture / 100).map { microphone(first + $0 * sampleRate / rates.capture) }
        var time = DeviceTime(
            sampleTime: Int64(turns * (rates.capture / 100)), hostTime: now.advanced(byMilliseconds: -10),
            latencyMilliseconds: 10)
        block.withUnsafeBufferPointer { callbacks.capture(callbacks.context, $0.baseAddress!, block.count, &time) }
        defer { turns += 1 }
        guard plays else { return }
        let frames = rates.playback / 100
        time = DeviceTime(sampleTime: Int64(turns * frames), hostTime: now, latencyMilliseconds: 0)
        var heard = [Float](repeating: 0, count: frames * channels)
        heard.withUnsafeMutableBufferPointer { callbacks.playback(callbacks.context, $0.baseAddress!, frames, &time) }
        played += heard
    }
}
