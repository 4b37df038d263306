import ArgumentParser
import CommandOptions
import Reporting
import Settings
import Softphone
import Terminal

/// Options of calls from person to person.
struct PeerArguments: ParsableArguments {
    @Flag(help: "Remember whoever is not known without a question. A changed key is refused all the same.")
    var acceptNew = false

    @OptionGroup var keys: PeerKeyArguments

    /// What only these calls use is refused elsewhere: it would be silently without effect.
    func checkUnused() throws(CommandError) {
        for (option, isGiven) in [("--accept-new", acceptNew), ("--keys", keys.keys != nil)] where isGiven {
            throw CommandError(.usage, "\(option) is for calls by yodel://; leave it out")
        }
    }
}

/// Where keys are.
struct PeerKeyArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Folder of the own key and the known ones. (default: $XDG_STATE_HOME/yodel, ~/.local/state/yodel)",
            valueName: "folder"))
    var keys: String?

    func folder() throws(CommandError) -> PeerFolder {
        if let keys { return PeerFolder(path: keys) }
        do { return try PeerFolder(environment: processEnvironment()) } catch { throw CommandError(error) }
    }
}

/// `yodel call` and `yodel listen` from person to person: checks everything, then carries one call, or one after the other.
func runPeer(
    _ text: String, _ role: CallURI.Role, _ arguments: PeerArguments, echoes: Bool = false, ring: String? = nil,
    _ media: MediaArguments
) throws {
    let signals = TerminationSignal()
    let uri: PeerURI
    do { uri = try PeerURI(parsing: text, role: role) } catch { throw CommandError(error) }
    let (assertions, configuration, options) = try media.resolved(ring: ring)
    let isChosen = configuration.source(of: \.media.codec) != .default
    var request = PeerRequest(
        role == .call ? .call(uri) : .listen(uri),
        codecs: isChosen ? [options.request.codec] : SIPRequest.usualCodecs, media: options.request,
        folder: try arguments.keys.folder())
    request.echoes = echoes
    request.acceptsNew = arguments.acceptNew
    request.asks = !media.output.json && options.request.device.input != .pipe && TerminalMode.isPossible
    let phone: PeerPhone
    do throws(SoftphoneError) { phone = try Softphone().connect(request.folder) } catch { throw CommandError(error) }
    signals.endInOrder()
    let status = try carryCalls(
        isListening: role == .listen, options, assertions, signals, json: media.output.json
    ) { () throws(SoftphoneError) in try phone.nextCall(request) }
    if status != .fine { throw status }
}
