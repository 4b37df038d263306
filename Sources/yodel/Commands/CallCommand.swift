import ArgumentParser
import AudioDevices
import LiveMedia
import Media
import Reporting
import Settings
import Softphone

/// `yodel call URI`.
struct CallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call", abstract: "Call somebody, or several for a conference.",
        discussion: HelpText.discussion(examples: [
            ("yodel call rtp://192.0.2.7:5004", "call, with the default microphone and loudspeaker"),
            ("yodel call rtp://192.0.2.7:5004 --codec pcmu --record call.wav", "in G.711, recorded: left sent, right heard"),
            ("yodel call rtp://192.0.2.7:5004 --duration 60 --assert 'mos_lq>4'", "a test of a minute"),
            (
                "yodel call rtp://192.0.2.7:5004 'rtp://192.0.2.8:5004?codec=pcmu&ptime=10'",
                "a conference of three, in two codecs"
            ),
        ]))

    @Argument(
        help: ArgumentHelp(
            """
            rtp://HOST:PORT[?codec=NAME&pt=N&ptime=MS&rtcp=mux|PORT&local=PORT]; several make a conference: all hear each \
            other, each in a codec of its own, in a headset each from a direction of its own.
            """, valueName: "uri"))
    var uri: [String]

    @OptionGroup var media: MediaArguments

    func run() throws {
        try runCall(uri, role: .call, media)
    }
}

/// `yodel listen URI`.
struct ListenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen", abstract: "Wait for one call.",
        discussion: HelpText.discussion(examples: [
            ("yodel listen rtp://0.0.0.0:5004", "take the first caller"),
            ("yodel listen rtp://0.0.0.0:5004 --allow 192.0.2.0/24", "take callers of one network only"),
            ("yodel listen rtp://0.0.0.0:5004 --echo --device null", "send back what is heard, without a sound card"),
        ]))

    @Argument(
        help: ArgumentHelp(
            "rtp://ADDRESS:PORT[?codec=NAME&pt=N&ptime=MS&rtcp=mux|PORT] to listen on", valueName: "uri"))
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
    var uris = try texts.map { try parse($0, role: role) }
    let assertions = try parseAssertions(media.output.assertions, known: CallReport.comparablePaths)
    let configuration = try resolveConfiguration(flags: media.flags, general: media.general)
    startLog(configuration)
    var options = try MediaOptions(media, configuration)
    if let ring { options.request.ring = try device(ring) }
    for index in uris.indices { try uris[index].chooseCodec(configuration) }
    if uris.count > 1 { try checkConference(uris, options.request) }
    var request = CallRequest(uris, role: role, media: options.request)
    request.echoes = echoes
    let call = try start(request)
    var console = CallConsole(
        call: call, events: try subscribe(call),
        printer: EventPrinter(
            json: media.output.json, callIDs: uris.map { _ in newCallID() }, input: options.request.device.input,
            output: options.request.device.output),
        signals: signals, assertions: assertions, durationSeconds: options.durationSeconds,
        durationCountsFromMedia: role == .listen)
    let status = console.run()
    if status != .fine { throw status }
}

private func start(_ request: CallRequest) throws(CommandError) -> any LiveCall {
    do { return try Softphone().start(request) } catch { throw CommandError(error) }
}

private func subscribe(_ call: any LiveCall) throws(CommandError) -> EventSubscription<PartyEvent> {
    do { return try call.subscribe() } catch { throw CommandError(error) }
}

private func device(_ name: String) throws(CommandError) -> DeviceSpecification {
    do { return try DeviceChoice.device(name) } catch { throw CommandError(error) }
}

private func parse(_ text: String, role: CallURI.Role) throws(CommandError) -> CallURI {
    do {
        return try CallURI(parsing: text, role: role)
    } catch {
        throw CommandError(error)
    }
}

/// What belongs to one call cannot be done for several.
private func checkConference(_ uris: [CallURI], _ media: MediaRequest) throws(CommandError) {
    guard uris.count <= HeadsetMixer.maximumParties else {
        throw CommandError(.usage, "\(uris.count) parties are too many; call up to \(HeadsetMixer.maximumParties)")
    }
    for (name, path) in [("capture", media.capturePath), ("dump", media.dumpFolder)] where path != nil {
        throw CommandError(.usage, "--\(name) takes one call; leave it out of a conference")
    }
}

/// A name for this call in its events.
private func newCallID() -> String {
    String(UInt64.random(in: .min ... .max), radix: 36)
}
