/// A kind of unit that can be instantiated.
public struct AudioComponent: Sendable {
    /// Its complete description.
    public let description: AudioComponentDescription
    /// Its name for people.
    public let name: String
    /// Whether an instance needs a hardware device.
    public let needsDevice: Bool
    private let make: @Sendable ((any HardwareDevice)?) throws(AudioUnitError) -> any AudioUnit

    /// The built-in components whose description matches, in a fixed order; empty when there is none.
    public static func matching(_ description: AudioComponentDescription) -> [AudioComponent] {
        builtIn.filter { description.matches($0.description) }
    }

    /// Makes a unit; an I/O unit without a device throws `deviceMissing`.
    public func instantiate(device: (any HardwareDevice)? = nil) throws(AudioUnitError) -> any AudioUnit {
        if needsDevice, device == nil { throw .deviceMissing }
        return try make(device)
    }

    private static let builtIn: [AudioComponent] = [
        AudioComponent(description: .remoteIO, name: "Remote I/O", needsDevice: true) {
            (device) throws(AudioUnitError) in
            guard let device else { throw .deviceMissing }
            return RemoteIO(device: device)
        },
        AudioComponent(description: .voiceProcessingIO, name: "Voice-processing I/O", needsDevice: true) {
            (device) throws(AudioUnitError) in
            guard let device else { throw .deviceMissing }
            return VoiceProcessingIO(device: device)
        },
        AudioComponent(description: .genericOutput, name: "Generic output", needsDevice: false) {
            (_) throws(AudioUnitError) in GenericOutput()
        },
        AudioComponent(description: .converter, name: "Converter", needsDevice: false) {
            (_) throws(AudioUnitError) in Converter()
        },
    ]
}
