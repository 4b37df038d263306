import AudioUnits
import Realtime

/// A device whose loudspeaker is overheard: keeps what was really played, for whoever measures the call.
///
/// For virtual time, where nothing waits: the keeping allocates, after the unit has filled the block.
///
/// Sendable: only the thread that steps the simulation touches it.
final class OverheardDevice: HardwareDevice, @unchecked Sendable {
    /// What was played on the call's time line: sample i was heard i / rate after `HostTime.zero`.
    private(set) var played: [Float] = []

    private let device: any HardwareDevice
    private var callbacks: DeviceCallbacks?
    private var sampleRate = 0.0

    /// Stands between `device` and the unit.
    init(_ device: any HardwareDevice) { self.device = device }

    var identifier: String { device.identifier }
    var status: DeviceStatus { device.status }

    func open(_ request: DeviceRequest) throws(DeviceError) -> DeviceGrant {
        let grant = try device.open(request)
        sampleRate = grant.playback?.sampleRate ?? 0
        return grant
    }

    func start(_ callbacks: DeviceCallbacks) throws(DeviceError) {
        self.callbacks = callbacks
        var own = callbacks
        own.context = Unmanaged.passUnretained(self).toOpaque()
        own.capture = { context, samples, frames, time in
            guard let theirs = OverheardDevice.from(context).callbacks else { return }
            theirs.capture(theirs.context, samples, frames, time)
        }
        own.playback = { context, samples, frames, time in
            let overheard = OverheardDevice.from(context)
            guard let theirs = overheard.callbacks else { return }
            theirs.playback(theirs.context, samples, frames, time)
            overheard.keep(
                UnsafeBufferPointer(start: samples, count: frames),
                heardAt: time.assumingMemoryBound(to: DeviceTime.self).pointee.hostTime)
        }
        own.formatChanged = { context, isCapture, format in
            guard let theirs = OverheardDevice.from(context).callbacks else { return }
            theirs.formatChanged(theirs.context, isCapture, format)
        }
        try device.start(own)
    }

    func stop() { device.stop() }
    func close() { device.close() }
    func setEventHandler(_ handler: (@Sendable (DeviceEvent) -> Void)?) { device.setEventHandler(handler) }

    private static func from(_ context: UnsafeMutableRawPointer) -> OverheardDevice {
        Unmanaged<OverheardDevice>.fromOpaque(context).takeUnretainedValue()
    }

    /// Kept at most: what is measured is in the first minutes, and a call may last for days.
    private static let longestSeconds = 600.0

    private func keep(_ block: UnsafeBufferPointer<Float>, heardAt time: HostTime) {
        guard played.count < Int(Self.longestSeconds * sampleRate) else { return }
        let position = Int((time.milliseconds(since: .zero) * sampleRate / 1000).rounded())
        if position > played.count { played += repeatElement(0, count: position - played.count) }
        played += block
    }
}
