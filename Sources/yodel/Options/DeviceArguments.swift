import ArgumentParser
import CommandOptions
import Settings
import Softphone

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
        do { return try DeviceChoice(configuration) } catch { throw CommandError(error) }
    }
}

/// How long, and what is told.
struct RunArguments: ParsableArguments {
    @Option(help: ArgumentHelp("End after this long. (default: at the end, or when somebody ends it)", valueName: "seconds"))
    var duration: Double?

    @Flag(help: "Print events, one JSON object a line.")
    var json = false
}
