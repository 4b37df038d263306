import ArgumentParser
import AudioDevices
import Glibc
import Settings
import Softphone
import Terminal

/// `yodel devices`: what can be opened, and why something cannot.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "Show which devices open, and for the others why not and what to do.",
        discussion: HelpText.discussion(examples: [
            ("yodel devices", "what can be opened, and why something cannot"),
            ("yodel devices --watch --json", "ports and route, and each change"),
            ("yodel devices --test --device alsa:default --duration 10", "a tone, and the microphone's level"),
        ]))

    @Flag(help: "Print ports and route, then each change as it happens; without a sound server what opens, once a second.")
    var watch = false

    @Flag(help: "Play a tone and show the microphone's level until Ctrl-C or --duration.")
    var test = false

    @OptionGroup var media: MediaArguments

    func run() throws {
        let signals = TerminationSignal()
        if let option = (media.call.given + media.output.givenOfCall).first {
            throw CommandError(.usage, "\(option) is for calls, and `devices` makes none; leave it out")
        }
        let configuration = try resolveConfiguration(flags: media.flags, general: media.general)
        if test { return try runTest(configuration, signals) }
        signals.endInOrder()
        if watch, let ports = PortWatch() {
            let json = media.output.json
            return ports.run(
                isInterrupted: { TerminationSignal.caught != nil },
                onEvent: { event in
                    for line in json ? event.json.map(\.text) : event.text { Output.standard.line(line) }
                })
        }
        var known = listDevices()
        for device in known { show(device) }
        while watch && TerminationSignal.caught == nil {
            usleep(Self.watchMicroseconds)
            let now = listDevices()
            for device in now where !known.contains(device) { show(device) }
            for device in known where !now.contains(where: { $0.name == device.name }) {
                Output.standard.line(DeviceText.gone(device.name, json: media.output.json))
            }
            known = now
        }
    }

    /// Looking means opening each device, which is not free.
    private static let watchMicroseconds: UInt32 = 1_000_000

    private func runTest(_ configuration: Configuration, _ signals: TerminationSignal) throws {
        let options = try MediaOptions(media, configuration)
        let end = options.durationSeconds.map { Pace.now() + $0 }
        let json = media.output.json
        do throws(SoftphoneError) {
            try Softphone(willBegin: { signals.endInOrder() }).testDevice(
                options.request.device, seed: options.request.seed ?? 1,
                isInterrupted: { TerminationSignal.caught != nil || end.map { Pace.now() >= $0 } ?? false },
                onLevel: { Output.standard.line(DeviceText.level($0, json: json)) })
        } catch {
            throw CommandError(error)
        }
    }

    private func show(_ device: DeviceListing) {
        for line in media.output.json ? [device.json.text] : device.text { Output.standard.line(line) }
    }
}
