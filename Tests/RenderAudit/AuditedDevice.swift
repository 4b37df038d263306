import AudioUnits
import CAudit

/// Any device, with everything that its callbacks do counted: the scope the render contract speaks of.
///
/// Capture and playback have a record each, since their threads may differ; read them after `stop`.
public final class AuditedDevice: HardwareDevice, @unchecked Sendable {
    private struct Record {
        var callbacks: DeviceCallbacks?
        var capture = AuditFindings()
        var playback = AuditFindings()
    }

    private let device: any HardwareDevice
    private let record: UnsafeMutablePointer<Record>

    /// Audits `device`.
    public init(_ device: any HardwareDevice) {
        self.device = device
        record = .allocate(capacity: 1)
        record.initialize(to: Record())
    }

    deinit {
        record.deinitialize(count: 1)
        record.deallocate()
    }

    /// What capture callbacks did.
    public var capture: AuditFindings { record.pointee.capture }
    /// What playback callbacks did.
    public var playback: AuditFindings { record.pointee.playback }

    public var identifier: String { device.identifier }
    public var status: DeviceStatus { device.status }
    public func open(_ request: DeviceRequest) throws(DeviceError) -> DeviceGrant { try device.open(request) }
    public func stop() { device.stop() }
    public func close() { device.close() }
    public func setEventHandler(_ handler: (@Sendable (DeviceEvent) -> Void)?) { device.setEventHandler(handler) }

    public func start(_ callbacks: DeviceCallbacks) throws(DeviceError) {
        record.pointee.callbacks = callbacks
        var audited = callbacks
        audited.context = UnsafeMutableRawPointer(record)
        audited.capture = { context, samples, frames, time in
            let record = context.assumingMemoryBound(to: Record.self)
            guard let unit = record.pointee.callbacks else { return }
            audit_begin()
            unit.capture(unit.context, samples, frames, time)
            record.pointee.capture.add(audit_end())
        }
        audited.playback = { context, samples, frames, time in
            let record = context.assumingMemoryBound(to: Record.self)
            guard let unit = record.pointee.callbacks else { return }
            audit_begin()
            unit.playback(unit.context, samples, frames, time)
            record.pointee.playback.add(audit_end())
        }
        audited.isReady = { context, frames in
            let record = context.assumingMemoryBound(to: Record.self)
            guard let unit = record.pointee.callbacks, let isReady = unit.isReady else { return true }
            audit_begin()
            let ready = isReady(unit.context, frames)
            record.pointee.playback.add(audit_end())
            return ready
        }
        audited.formatChanged = { context, isCapture, format in
            // Outside of the render scope by contract, so it is not counted.
            guard let unit = context.assumingMemoryBound(to: Record.self).pointee.callbacks else { return }
            unit.formatChanged(unit.context, isCapture, format)
        }
        try device.start(audited)
    }
}
