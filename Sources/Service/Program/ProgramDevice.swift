import AudioDevices
import AudioUnits
import Realtime

/// A program in place of microphone and loudspeaker, for `DeviceSpecification.other`.
struct ProgramSound: NamedDevice {
    let line: ProgramLine
    /// Calls that share a name share a device: each has one of its own.
    let name: String

    func makeDevice(_ options: DeviceOptions) throws(DeviceError) -> any HardwareDevice { ProgramDevice(line, name, options) }
}

/// The device: its clock, between the call and the line to the program.
final class ProgramDevice: HardwareDevice {
    /// Of its blocks, ms.
    static let periodMilliseconds = 5.0

    private let line: ProgramLine
    private let device: VirtualDevice

    init(_ line: ProgramLine, _ name: String, _ options: DeviceOptions) {
        self.line = line
        device = VirtualDevice(line.exchange, identifier: name, options: options)
    }

    deinit { close() }

    var identifier: String { device.identifier }

    func setEventHandler(_ handler: (@Sendable (DeviceEvent) -> Void)?) { device.setEventHandler(handler) }

    func open(_ request: DeviceRequest) throws(DeviceError) -> DeviceGrant {
        let grant = try device.open(request)
        line.open()
        return grant
    }

    func start(_ callbacks: DeviceCallbacks) throws(DeviceError) { try device.start(callbacks) }

    func stop() { device.stop() }

    func close() {
        device.close()
        line.close()
    }

    var status: DeviceStatus { device.status }

    func takeTurns() -> (any DeviceTurns)? { device.takeTurns() }
}
