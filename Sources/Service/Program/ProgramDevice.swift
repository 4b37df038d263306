import AudioDevices
import AudioUnits
import Link
import Realtime

/// A program in place of microphone and loudspeaker, for `DeviceSpecification.other`.
struct ProgramSound: NamedDevice {
    let end: ProgramEnd
    /// Calls that share a name share a device: each has one of its own.
    let name: String

    func makeDevice(_ options: DeviceOptions) throws(DeviceError) -> any HardwareDevice { ProgramDevice(end, name, options) }
}

/// The device: it is connected to its program from when it is opened until it is closed.
final class ProgramDevice: HardwareDevice {
    private let end: ProgramEnd
    private let exchange: SoundExchange
    private let device: VirtualDevice
    private let connection = Lock<ProgramConnection?>(nil)

    init(_ end: ProgramEnd, _ name: String, _ options: DeviceOptions) {
        self.end = end
        exchange = SoundExchange(sampleRate: end.sampleRate)
        device = VirtualDevice(exchange, identifier: name, options: options)
    }

    deinit { close() }

    var identifier: String { device.identifier }

    func setEventHandler(_ handler: (@Sendable (DeviceEvent) -> Void)?) { device.setEventHandler(handler) }

    func open(_ request: DeviceRequest) throws(DeviceError) -> DeviceGrant {
        let grant = try device.open(request)
        connection.withLock { connection in
            guard connection == nil else { return }
            connection = ProgramConnection(end, exchange)
            connection?.start()
        }
        return grant
    }

    func start(_ callbacks: DeviceCallbacks) throws(DeviceError) { try device.start(callbacks) }

    func stop() { device.stop() }

    func close() {
        device.close()
        connection.withLock { $0.take() }?.end()
    }

    var status: DeviceStatus { device.status }
}
