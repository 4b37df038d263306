public import AudioUnits

/// A kind of device: how its names read, and what there is of it. Each kind's value stands in the file of its own.
public struct DeviceKind: Sendable {
    /// What stands before the colon of a name; alone it is a name too where nothing need follow.
    public let prefix: String
    /// What there is, as `yodel devices` lists it. May open devices to see whether they work.
    let list: @Sendable () -> [DeviceListing]
    /// Reads what stands behind the colon; `fail` makes the error, with the whole name.
    let parse: @Sendable (_ rest: String, _ fail: (String) -> DeviceError) throws(DeviceError) -> DeviceSpecification
}

/// The kinds there are. Adding one takes its file and a word here.
extension DeviceKind: CaseIterable {
    public static let allCases: [DeviceKind] = [alsa, pulse, null, file, pipe, room]
}

/// A device of which nobody but its kind knows more than a name: hardware, or a program that carries sound.
public protocol NamedDevice: Sendable {
    /// Parses back to this device.
    var name: String { get }
    /// Makes it; nothing is opened yet.
    func makeDevice(_ options: DeviceOptions) throws(DeviceError) -> any HardwareDevice
    /// Makes one device with this as its microphone and another as its loudspeaker; nil: each is a device of its own.
    /// - Parameters:
    ///   - other: the loudspeaker.
    ///   - options: what no name carries.
    /// - Returns: the device; nothing is opened yet.
    func makeDevice(
        playingTo other: any NamedDevice, _ options: DeviceOptions
    ) throws(DeviceError) -> (any HardwareDevice)?
    /// The sound server's device behind it, empty for the server's default one: a microphone or a loudspeaker of a person. nil: it is
    /// neither, but a program.
    var serverDevice: String? { get }
}

extension NamedDevice {
    /// Each is a device of its own.
    public func makeDevice(
        playingTo other: any NamedDevice, _ options: DeviceOptions
    ) throws(DeviceError) -> (any HardwareDevice)? { nil }
    /// No sound server is behind it.
    public var serverDevice: String? { nil }
}

/// Devices are the same where their names are.
public struct AnyNamedDevice: Sendable, Equatable {
    public let device: any NamedDevice

    public init(_ device: any NamedDevice) { self.device = device }

    public static func == (one: AnyNamedDevice, other: AnyNamedDevice) -> Bool { one.device.name == other.device.name }
}
