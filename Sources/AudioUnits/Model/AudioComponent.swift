import Realtime

/// A kind of unit that can be instantiated: the built-in ones, and what programs register.
public struct AudioComponent: Sendable {
    /// Its complete description.
    public let description: AudioComponentDescription
    /// Its name for people.
    public let name: String
    /// Whether an instance needs a hardware device.
    public let needsDevice: Bool
    private let make: @Sendable ((any HardwareDevice)?) throws(AudioUnitError) -> any AudioUnit

    /// The components whose description matches: the built-in ones in a fixed order, then those registered, in the order
    /// they were; empty when there is none.
    public static func matching(_ description: AudioComponentDescription) -> [AudioComponent] {
        (builtIn + registered.withLock { $0 }).filter { description.matches($0.description) }
    }

    /// Registers a component of the program's own, so that `matching` finds it.
    ///
    /// - Parameters:
    ///   - description: all three codes, and not those of a component there is.
    ///   - name: for people.
    ///   - make: makes an instance.
    @discardableResult
    public static func register(
        _ description: AudioComponentDescription, name: String,
        make: @escaping @Sendable () throws(AudioUnitError) -> any AudioUnit
    ) throws(AudioUnitError) -> AudioComponent {
        let component = AudioComponent(description: description, name: name, needsDevice: false) {
            (_) throws(AudioUnitError) in try make()
        }
        let isNew = registered.withLock { list in
            let codes = [description.type, description.subtype, description.manufacturer]
            guard !codes.contains(.any), !(builtIn + list).contains(where: { $0.description == description }) else {
                return false
            }
            list.append(component)
            return true
        }
        guard isNew else { throw .cannotRegister(description) }
        return component
    }

    /// Takes a registered component back; its instances live on. False when it was not registered.
    @discardableResult
    public static func unregister(_ description: AudioComponentDescription) -> Bool {
        registered.withLock { list in
            let count = list.count
            list.removeAll { $0.description == description }
            return list.count < count
        }
    }

    private static let registered = Lock<[AudioComponent]>([])

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
        AudioComponent(description: .multichannelMixer, name: "Multichannel mixer", needsDevice: false) {
            (_) throws(AudioUnitError) in MultichannelMixer()
        },
        AudioComponent(description: .mixer3D, name: "3D mixer", needsDevice: false) {
            (_) throws(AudioUnitError) in Mixer3D()
        },
        AudioComponent(description: .equalizer, name: "Equalizer", needsDevice: false) {
            (_) throws(AudioUnitError) in Equalizer()
        },
        AudioComponent(description: .varispeed, name: "Varispeed", needsDevice: false) {
            (_) throws(AudioUnitError) in Varispeed()
        },
        AudioComponent(description: .timePitch, name: "Time and pitch", needsDevice: false) {
            (_) throws(AudioUnitError) in TimePitch()
        },
        AudioComponent(description: .audioQueue, name: "Queue", needsDevice: false) {
            (_) throws(AudioUnitError) in AudioQueue()
        },
        AudioComponent(description: .filePlayer, name: "File player", needsDevice: false) {
            (_) throws(AudioUnitError) in FilePlayer()
        },
        AudioComponent(description: .fileWriter, name: "File writer", needsDevice: false) {
            (_) throws(AudioUnitError) in FileWriter()
        },
    ]
}
