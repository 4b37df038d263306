public import AudioUnits
import Realtime

/// A microphone of one kind and a loudspeaker of another, such as a sound card that plays and a file that speaks.
public final class SplitDevice: HardwareDevice {
    public let identifier: String
    private let captureDevice: any HardwareDevice
    private let playbackDevice: any HardwareDevice

    /// Uses the capture side of one device and the playback side of the other.
    public init(capture: any HardwareDevice, playback: any HardwareDevice) {
        captureDevice = capture
        playbackDevice = playback
        identifier = capture.identifier + "+" + playback.identifier
    }

    public func setEventHandler(_ handler: (@Sendable (DeviceEvent) -> Void)?) {
        captureDevice.setEventHandler(handler)
        playbackDevice.setEventHandler(handler)
    }

    public func open(_ request: DeviceRequest) throws(DeviceError) -> DeviceGrant {
        var grant = DeviceGrant()
        if request.capture {
            var half = request
            half.playback = false
            grant.capture = try captureDevice.open(half).capture
        }
        if request.playback {
            var half = request
            half.capture = false
            do throws(DeviceError) {
                grant.playback = try playbackDevice.open(half).playback
            } catch {
                captureDevice.close()
                throw error
            }
        }
        opened.withLock { $0 = request }
        return grant
    }

    public func start(_ callbacks: DeviceCallbacks) throws(DeviceError) {
        let request = opened.withLock { $0 }
        if request.playback { try playbackDevice.start(callbacks) }
        if request.capture {
            do throws(DeviceError) {
                try captureDevice.start(callbacks)
            } catch {
                playbackDevice.stop()
                throw error
            }
        }
    }

    public func stop() {
        captureDevice.stop()
        playbackDevice.stop()
    }

    public func close() {
        captureDevice.close()
        playbackDevice.close()
    }

    public func routeChanged() {
        captureDevice.routeChanged()
        playbackDevice.routeChanged()
    }

    public var status: DeviceStatus {
        let capture = captureDevice.status
        var status = playbackDevice.status
        status.captureXruns = capture.captureXruns
        status.captureLatencyMilliseconds = capture.captureLatencyMilliseconds
        status.realtimePriority = [capture.realtimePriority, status.realtimePriority].compactMap { $0 }.min()
        status.isPresent = capture.isPresent && status.isPresent
        status.reopenCount += capture.reopenCount
        return status
    }

    private let opened = Lock(DeviceRequest())
}
