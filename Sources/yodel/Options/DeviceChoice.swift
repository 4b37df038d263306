import ArgumentParser
import AudioDevices
import AudioSession
import AudioUnits
import LiveMedia
import Settings

/// The device as it was chosen and configured: which, and what is wished of it.
struct DeviceChoice {
    /// Microphone.
    var input: DeviceSpecification
    /// Loudspeaker.
    var output: DeviceSpecification
    /// Rate of the device in Hz; `nil` leaves it to the device.
    var sampleRate: Int?
    /// Period of the device in ms; `nil` leaves it to the device.
    var periodMilliseconds: Double?
    var realtime: Bool
    /// Which echo canceller, at which quality, where voice is processed.
    var voice: VoiceProcessingConfiguration

    init(_ configuration: Configuration) throws(CommandError) {
        let names = configuration.deviceNames
        (input, output) = (try Self.device(names.input), try Self.device(names.output))
        sampleRate = configuration[\.audio.rate]
        periodMilliseconds = configuration[\.audio.period]
        realtime = configuration[\.audio.realtime]
        voice = configuration.voice
    }

    /// The device of a name.
    static func device(_ name: String) throws(CommandError) -> DeviceSpecification {
        do { return try DeviceSpecification(parsing: name) } catch { throw CommandError(error) }
    }

    /// The I/O unit on the device, its wishes set.
    /// - Parameter audio: the session it becomes part of.
    func makeUnit(
        voiceProcessing: Bool, seed: UInt64 = 1, playbackChannels: Int = 1, audio: AudioSession? = nil
    ) throws(CallError) -> any InputOutputUnit {
        var deviceOptions = DeviceOptions(seed: seed)
        deviceOptions.nearEnd = []
        let device: any HardwareDevice
        do {
            device = try makeDevice(input, output, options: deviceOptions)
        } catch {
            throw .device(error)
        }
        let processing = voiceProcessing ? VoiceProcessingIO(device: device) : nil
        let unit: any InputOutputUnit = processing ?? RemoteIO(device: device)
        var preferences = DeviceRequest()
        preferences.sampleRate = sampleRate.map(Double.init)
        if playbackChannels > 1 { preferences.playbackChannels = playbackChannels }
        preferences.periodMilliseconds = periodMilliseconds
        preferences.realtimePriority = realtime ? CallSession.devicePriority : nil
        do {
            try processing?.setConfiguration(voice)
            if let audio {
                try audio.attach(unit, request: preferences)
            } else {
                try unit.setDevicePreferences(preferences)
            }
        } catch {
            throw .audioUnit(error)
        }
        return unit
    }
}

/// Options of the commands that use a device without a call.
struct DeviceArguments: ParsableArguments {
    @OptionGroup(title: AudioKeys.title) var device: KeyArguments<PlainDeviceOptions>
    @OptionGroup(title: "Output") var output: RunArguments
    @OptionGroup(title: LogKeys.title) var general: GeneralArguments

    var duration: Double? { output.duration }
    var json: Bool { output.json }

    /// The device as chosen by flags, variables and the configuration file; starts the log.
    func choice() throws(CommandError) -> DeviceChoice {
        if let duration, !(duration > 0 && duration <= 1e7) {
            throw CommandError(.usage, "--duration \(duration) is no length; give seconds above 0")
        }
        let configuration = try resolveConfiguration(flags: device.given + general.log.given, general: general)
        startLog(configuration)
        return try DeviceChoice(configuration)
    }
}

/// The keys that matter to a device without a call; `--rate` is something else there.
enum PlainDeviceOptions: KeySelection {
    static var options: [KeyOption] {
        let keys = AudioKeys()
        return [
            KeyOption(keys.device), KeyOption(keys.rate, as: "device-rate"), KeyOption(keys.period),
            KeyOption(keys.realtime),
        ]
    }
}

/// How long, and what is told.
struct RunArguments: ParsableArguments {
    @Option(help: ArgumentHelp("End after this long. (default: at the end, or when somebody ends it)", valueName: "seconds"))
    var duration: Double?

    @Flag(help: "Print events, one JSON object a line.")
    var json = false
}

extension Configuration {
    /// How a call's voice is processed: every key that says so, in one place.
    var voice: VoiceProcessingConfiguration {
        var voice = VoiceProcessingConfiguration()
        voice.canceller = VoiceProcessingConfiguration.Canceller(self[\.audio.echoCanceller])
        voice.quality = self[\.audio.quality]
        return voice
    }
}
