import ArgumentParser
import AudioDevices
import AudioSession
import AudioUnits
import Calling
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

    init(_ configuration: Configuration) throws(CommandError) {
        let names = configuration.deviceNames
        (input, output) = (try Self.device(names.input), try Self.device(names.output))
        sampleRate = configuration[.rate].text.flatMap { Int($0) }
        periodMilliseconds = configuration[.period].text.flatMap { Double($0) }
        realtime = configuration[.realtime].text != "false"
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
        let unit: any InputOutputUnit = voiceProcessing ? VoiceProcessingIO(device: device) : RemoteIO(device: device)
        var preferences = DeviceRequest()
        preferences.sampleRate = sampleRate.map(Double.init)
        if playbackChannels > 1 { preferences.playbackChannels = playbackChannels }
        preferences.periodMilliseconds = periodMilliseconds
        preferences.realtimePriority = realtime ? CallSession.devicePriority : nil
        do {
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
    @Option(help: ArgumentHelp("Device: alsa:NAME, file:PATH, pipe:-, null, default.", valueName: "name"))
    var device: String?

    @Option(help: ArgumentHelp("Rate of the device in Hz.", valueName: "hz"))
    var deviceRate: String?

    @Option(help: ArgumentHelp("Period of the device in ms.", valueName: "ms"))
    var period: String?

    @Flag(inversion: .prefixedNo, help: "Ask for real-time priority (default: yes).")
    var realtime: Bool?

    @Option(help: ArgumentHelp("End after this long.", valueName: "seconds"))
    var duration: Double?

    @Flag(help: "Print events, one JSON object a line.")
    var json = false

    @OptionGroup var general: GeneralArguments

    /// The device as chosen by flags, variables and the configuration file.
    func choice() throws(CommandError) -> DeviceChoice {
        if let duration, !(duration > 0 && duration <= 1e7) {
            throw CommandError(.usage, "--duration \(duration) is no length; give seconds above 0")
        }
        let flags = [
            "device": device, "rate": deviceRate, "period": period, "realtime": realtime.map(String.init),
            "log_level": general.logLevel,
        ]
        return try DeviceChoice(try resolveConfiguration(flags: flags, general: general))
    }
}
