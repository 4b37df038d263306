import ArgumentParser
import AudioDevices
import LiveMedia
import Load
import Media
import Reporting
import Settings
import Softphone
import Terminal

/// `yodel call URI`.
struct PlaceCallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call", abstract: "Call somebody, or several for a conference.",
        discussion: HelpText.discussion(examples: [
            ("yodel call yodel://example.com", "call another yodel, encrypted, without a server"),
            ("yodel call rtp://192.0.2.7:5004", "call, with the default microphone and loudspeaker; not encrypted"),
            ("yodel call sip:echo@192.0.2.7", "by SIP, straight to another telephone"),
            ("yodel call sip:102@example.com --account office", "through a PBX, as an account of the configuration"),
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
            yodel://HOST[:PORT], encrypted; or rtp://HOST:PORT[?codec=NAME|any&pt=N&ptime=MS&rtcp=mux|PORT&local=PORT], not \
            encrypted; or sip:USER@HOST[:PORT] (;transport=tcp for TCP, sips: for TLS), or tel:NUMBER with --account. Several \
            rtp:// make a conference: all hear each other, each has a codec of its own, and in a headset its own direction.
            """, valueName: "uri"))
    var uri: [String]

    @OptionGroup(title: "Calls by yodel://") var peer: PeerArguments
    @OptionGroup var sip: SIPArguments
    @OptionGroup var media: MediaArguments

    func run() throws {
        if uri.contains(where: PeerURI.isMeant) {
            guard uri.count == 1 else {
                throw CommandError(.usage, "a conference is of rtp:// parties only; give one yodel:// URI")
            }
            try sip.checkUnused(media)
            return try runPeer(uri[0], .call, peer, media)
        }
        try peer.checkUnused()
        if uri.contains(where: isSignalled) || sip.account != nil {
            guard uri.count == 1 else {
                throw CommandError(.usage, "a conference is of rtp:// parties only; give one sip: URI")
            }
            return try runSIP(.call(uri[0]), sip, media)
        }
        try sip.checkUnused(media)
        try runCall(uri, role: .call, media)
    }
}

/// `yodel listen URI`.
struct ListenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen", abstract: "Wait for one call, or by SIP and yodel:// for one after the other.",
        discussion: HelpText.discussion(examples: [
            ("yodel listen yodel://0.0.0.0", "be called by other yodels, encrypted, without a server"),
            ("yodel listen http://127.0.0.1:8080/", "be called by a browser, from a page of its own; encrypted"),
            ("yodel listen rtp://0.0.0.0:5004", "take the first caller; not encrypted"),
            ("yodel listen rtp://0.0.0.0:5004 --allow 192.0.2.0/24", "take callers of one network only"),
            ("yodel listen rtp://0.0.0.0:5004 --parties 5", "a conference that people join and leave"),
            ("yodel listen 'rtp://0.0.0.0:5004?codec=any' --parties 5", "the same, each in a codec of his own"),
            ("yodel listen --account office", "register at a PBX; a answers, q refuses or ends"),
            ("yodel listen sip:0.0.0.0 --allow 192.0.2.0/24 --auto-answer", "be called without a registrar"),
            ("yodel listen rtp://0.0.0.0:5004 --echo --device null", "send back what is heard, without a sound card"),
        ]))

    @Argument(
        help: ArgumentHelp(
            """
            yodel://ADDRESS[:PORT], http[s]://ADDRESS:PORT/ for a browser, \
            rtp://ADDRESS:PORT[?codec=NAME|any&pt=N&ptime=MS&rtcp=mux|PORT] or sip[s]:ADDRESS[:PORT] to listen on; nothing \
            with --account. codec=any takes callers of every codec, and answers each in his own.
            """, valueName: "uri"))
    var uri: String?

    @Flag(help: "Send back what is heard.")
    var echo = false

    @Option(
        help: ArgumentHelp(
            """
            Take up to so many callers at once on the one port and go on when they leave: a conference, or with --echo, --play \
            or --record FOLDER each by himself. Up to 10000 without a device (null, or one of these), 100 with. (default: one, once)
            """, valueName: "n"))
    var parties: Int?

    @Option(help: ArgumentHelp("Ring on this device when somebody calls (default: no ring).", valueName: "name"))
    var ring: String?

    @Flag(help: "Answer calls by SIP at once: the account's, those of --allow, else calls from this machine only.")
    var autoAnswer = false

    @OptionGroup(title: "Calls by yodel://") var peer: PeerArguments
    @OptionGroup var sip: SIPArguments
    @OptionGroup var media: MediaArguments

    func run() throws {
        if let uri, PeerURI.isMeant(by: uri) {
            try sip.checkUnused(media)
            if autoAnswer {
                throw CommandError(
                    .usage, "--auto-answer is for calls by SIP; known callers are answered, others with --accept-new")
            }
            if parties != nil {
                throw CommandError(.usage, "--parties is for rtp://; yodel:// takes one caller after the other")
            }
            return try runPeer(uri, .listen, peer, echoes: echo, ring: ring, media)
        }
        try peer.checkUnused()
        if let uri, BrowserURI.isMeant(by: uri) {
            guard sip.account == nil, sip.srtp == nil, sip.signalling.sipTrace == nil, !autoAnswer, parties == nil else {
                throw CommandError(
                    .usage, "--account, --srtp, --sip-trace, --auto-answer and --parties are for other calls; leave them out")
            }
            return try runBrowser(uri, echoes: echo, ring: ring, media)
        }
        if sip.account != nil || uri.map(isSignalled) ?? false {
            if let uri, sip.account != nil {
                throw CommandError(.usage, "an account is called at its registrar, not at '\(uri)'; leave out one of them")
            }
            return try runSIP(.listen(uri), sip, echoes: echo, answersByItself: autoAnswer, ring: ring, media)
        }
        guard let uri else { throw CommandError(.usage, "there is nowhere to listen; give a URI or --account") }
        try sip.checkUnused(media)
        if autoAnswer { throw CommandError(.usage, "--auto-answer is for calls by SIP; a raw call needs no answer") }
        try runCall([uri], role: .listen, echoes: echo, parties: parties, ring: ring, media)
    }
}

/// Checks everything, then starts and carries the call.
private func runCall(
    _ texts: [String], role: CallURI.Role, echoes: Bool = false, parties: Int? = nil, ring: String? = nil,
    _ media: MediaArguments
) throws {
    let signals = TerminationSignal()
    var uris = try texts.map { try parse($0, role: role) }
    let (assertions, configuration, options) = try media.resolved(ring: ring)
    for index in uris.indices { try uris[index].chooseCodec(configuration) }
    if uris.count > 1 || parties != nil { try checkConference(uris, options.request) }
    var request = CallRequest(uris, role: role, media: options.request)
    (request.echoes, request.parties) = (echoes, parties)
    if PartyPort.serves(request) {
        signals.endInOrder()
        var console = PortConsole(
            try PartyPort(request), json: media.output.json, signals: signals, assertions: assertions,
            durationSeconds: options.durationSeconds)
        return try ExitStatus.leave(console.run())
    }
    let call = try start(request, signals)
    let printer = EventPrinter(
        json: media.output.json, parties: call.parties, input: options.request.device.input,
        output: options.request.device.output)
    if !media.output.json {
        printer.output.line("not encrypted: whoever is on the way of rtp:// can listen; yodel:// is encrypted")
    }
    var console = CallConsole(
        call: call, events: try subscribe(call), printer: printer, signals: signals, assertions: assertions,
        durationSeconds: options.durationSeconds, durationCountsFromMedia: role == .listen)
    let status = console.run()
    if status != .fine { throw status }
}

/// A signal ends the program at once until the media begin: files of the device may wait for ever.
private func start(_ request: CallRequest, _ signals: TerminationSignal) throws(CommandError) -> any LiveCall {
    do { return try Softphone(willBegin: { signals.endInOrder() }).start(request) } catch { throw CommandError(error) }
}

func subscribe(_ call: any LiveCall) throws(CommandError) -> EventSubscription<PartyEvent> {
    do { return try call.subscribe() } catch { throw CommandError(error) }
}

func device(_ name: String) throws(CommandError) -> DeviceSpecification {
    do { return try DeviceChoice.device(name) } catch { throw CommandError(error) }
}

private func parse(_ text: String, role: CallURI.Role) throws(CommandError) -> CallURI {
    do { return try CallURI(parsing: text, role: role) } catch { throw CommandError(error) }
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
