import ArgumentParser
import Calling
import Reporting
import Settings

/// `yodel call URI`.
struct CallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call", abstract: "Call somebody, or several for a conference.")

    @Argument(help: ArgumentHelp(
        """
        rtp://HOST:PORT[?pt=N&ptime=MS&rtcp=mux|PORT&local=PORT]; several make a conference: all hear each other, in a \
        headset each from a direction of its own.
        """, valueName: "uri"))
    var uri: [String]

    @OptionGroup var media: MediaArguments

    func run() throws {
        try runCall(uri, role: .call, media)
    }
}

/// `yodel listen URI`.
struct ListenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "listen", abstract: "Wait for one call.")

    @Argument(help: ArgumentHelp(
        "rtp://ADDRESS:PORT[?pt=N&ptime=MS&rtcp=mux|PORT] to listen on", valueName: "uri"))
    var uri: String

    @Flag(help: "Send back what is heard.")
    var echo = false

    @Option(help: ArgumentHelp("Ring on this device when somebody calls (default: no ring).", valueName: "name"))
    var ring: String?

    @OptionGroup var media: MediaArguments

    func run() throws {
        try runCall([uri], role: .listen, echoes: echo, ring: ring, media)
    }
}

/// Checks everything, then starts and carries the call.
private func runCall(
    _ texts: [String], role: CallURI.Role, echoes: Bool = false, ring: String? = nil, _ media: MediaArguments
) throws {
    let signals = TerminationSignal()
    let uris = try texts.map { try parse($0, role: role) }
    let assertions = try parseAssertions(media.assertions, known: CallReport.comparablePaths)
    let configuration = try resolveConfiguration(flags: media.flags, general: media.general)
    var options = try MediaOptions(media, configuration)
    if let ring { options.ring = try DeviceChoice.device(ring) }
    if let length = try packetLength(uris) { options.encoder.frameMilliseconds = length }
    if uris.count > 1 { try checkConference(uris, options) }
    let call = try engine.start(uris, role: role, echoes: echoes, options)
    var console = CallConsole(
        call: call,
        printer: EventPrinter(
            json: media.json, callIDs: uris.map { _ in newCallID() }, input: options.input, output: options.output),
        signals: signals, assertions: assertions, durationSeconds: options.durationSeconds,
        durationCountsFromMedia: role == .listen)
    let status = console.run()
    if status != .fine { throw status }
}

private func parse(_ text: String, role: CallURI.Role) throws(CommandError) -> CallURI {
    do {
        return try CallURI(parsing: text, role: role)
    } catch {
        throw CommandError(error)
    }
}

/// The packet length the URIs ask for; all calls of one microphone share it.
private func packetLength(_ uris: [CallURI]) throws(CommandError) -> Int? {
    let lengths = Set(uris.map(\.packetMilliseconds))
    guard lengths.count == 1 else {
        throw CommandError(.usage, "the URIs differ in ptime; give all parties of a conference the same")
    }
    return lengths.first ?? nil
}

/// What belongs to one call cannot be done for several.
private func checkConference(_ uris: [CallURI], _ options: MediaOptions) throws(CommandError) {
    guard uris.count <= HeadsetMixer.maximumParties else {
        throw CommandError(.usage, "\(uris.count) parties are too many; call up to \(HeadsetMixer.maximumParties)")
    }
    for (name, path) in [("capture", options.capturePath), ("dump", options.dumpFolder)] where path != nil {
        throw CommandError(.usage, "--\(name) takes one call; leave it out of a conference")
    }
}

/// A name for this call in its events.
private func newCallID() -> String {
    String(UInt64.random(in: .min ... .max), radix: 36)
}
