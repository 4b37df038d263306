import ArgumentParser
import AudioDevices
import Glibc
import Reporting
import Settings
import Softphone

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
        _ = TerminationSignal()
        let configuration = try resolveConfiguration(flags: media.flags, general: media.general)
        startLog(configuration)
        if test { return try runTest(configuration) }
        if watch, let ports = PortWatch(json: media.output.json) {
            return ports.run(isInterrupted: { TerminationSignal.caught != nil })
        }
        var known = listDevices()
        for device in known { show(device) }
        while watch && TerminationSignal.caught == nil {
            usleep(Self.watchMicroseconds)
            let now = listDevices()
            for device in now where !known.contains(device) { show(device) }
            for device in known where !now.contains(where: { $0.name == device.name }) { showGone(device) }
            known = now
        }
    }

    /// Looking means opening each device, which is not free.
    private static let watchMicroseconds: UInt32 = 1_000_000

    private func runTest(_ configuration: Configuration) throws {
        let options = try MediaOptions(media, configuration)
        let end = options.durationSeconds.map { Pace.now() + $0 }
        let json = media.output.json
        do throws(SoftphoneError) {
            try Softphone().testDevice(
                options.request.device, seed: options.request.seed ?? 1,
                isInterrupted: { TerminationSignal.caught != nil || end.map { Pace.now() >= $0 } ?? false },
                onLevel: { Self.show(level: $0, json: json) })
        } catch {
            throw CommandError(error)
        }
    }

    private static func show(level: Double, json: Bool) {
        guard json else { return Output.standard.line("microphone \(Text.fixed(level, 1)) dBov") }
        let value = JSONValue.object([
            JSONMember("type", .string("level")), JSONMember("time", .string(Timestamp.now().text)),
            JSONMember("level_dbov", .number(level, decimals: 1)),
        ])
        Output.standard.line(value.text)
    }

    private func show(_ device: DeviceListing) {
        if media.output.json {
            Output.standard.line(json(device).text)
        } else {
            for line in DeviceText.lines(device) { Output.standard.line(line) }
        }
    }

    private func showGone(_ device: DeviceListing) {
        let gone = JSONValue.object([
            JSONMember("name", .string(device.name)), JSONMember("opens", .boolean(false)),
            JSONMember("reason", .string("gone")),
        ])
        Output.standard.line(media.output.json ? gone.text : "\(device.name): gone")
    }

    private func json(_ device: DeviceListing) -> JSONValue {
        func direction(_ side: DeviceListing.Direction?) -> JSONValue {
            guard let side else { return .null }
            return .object([
                JSONMember("opens", .boolean(side.opens)),
                JSONMember("reason", side.reason.map { .string($0) } ?? .null),
                JSONMember("remedy", side.remedy.map { .string($0) } ?? .null),
            ])
        }
        return .object([
            JSONMember("name", .string(device.name)), JSONMember("description", .string(device.description)),
            JSONMember("opens", .boolean(device.opens)), JSONMember("capture", direction(device.capture)),
            JSONMember("playback", direction(device.playback)),
        ])
    }
}

/// A device for people: one line when it opens, one more for each side that does not.
enum DeviceText {
    static func lines(_ device: DeviceListing) -> [String] {
        let sides = [("microphone", device.capture), ("loudspeaker", device.playback)]
        let names = sides.compactMap { name, side in side.map { ($0.opens ? "" : "no ") + name } }
        var lines = ["\(device.name)  (\(device.description)): \(names.joined(separator: ", "))"]
        for (name, side) in sides {
            guard let side, !side.opens else { continue }
            lines.append("    \(name): \(side.reason ?? "does not open"); \(side.remedy ?? "try another device")")
        }
        return lines
    }
}
