import ArgumentParser
import Reporting
import Settings

/// `yodel call URI`.
struct CallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "call", abstract: "Call somebody.")

    @Argument(help: ArgumentHelp(
        "rtp://HOST:PORT[?pt=N&ptime=MS&rtcp=mux|PORT&local=PORT]", valueName: "uri"))
    var uri: String

    @OptionGroup var media: MediaArguments

    func run() throws {
        try runCall(uri, role: .call, echoes: false, media)
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

    @OptionGroup var media: MediaArguments

    func run() throws {
        try runCall(uri, role: .listen, echoes: echo, media)
    }
}

/// Checks everything, then starts and carries the call.
private func runCall(_ text: String, role: CallURI.Role, echoes: Bool, _ media: MediaArguments) throws {
    let signals = TerminationSignal()
    let uri: CallURI
    do { uri = try CallURI(parsing: text, role: role) } catch { throw CommandError(error) }
    let assertions = try parseAssertions(media.assertions, known: CallReport.comparablePaths)
    let configuration = try resolveConfiguration(flags: media.flags, general: media.general)
    var options = try MediaOptions(media, configuration)
    if let length = uri.packetMilliseconds { options.encoder.frameMilliseconds = length }
    let call = try engine.start(uri, role: role, echoes: echoes, options)
    var console = CallConsole(
        call: call,
        printer: EventPrinter(
            json: media.json, callID: newCallID(), input: options.input, output: options.output),
        signals: signals, assertions: assertions, durationSeconds: options.durationSeconds,
        durationCountsFromMedia: role == .listen)
    let status = console.run()
    if status != .fine { throw status }
}

/// A name for this call in its events.
private func newCallID() -> String {
    String(UInt64.random(in: .min ... .max), radix: 36)
}
