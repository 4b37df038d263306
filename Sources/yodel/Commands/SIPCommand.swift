import ArgumentParser
import Codecs
import Reporting
import Settings
import Signalling
import Softphone
import Terminal

/// Options of calls by SIP.
struct SIPArguments: ParsableArguments {
    @Option(help: ArgumentHelp("Call or be called as this account of the configuration, by SIP.", valueName: "name"))
    var account: String?

    @OptionGroup var signalling: SignallingArguments

    @Option(
        help: ArgumentHelp(
            "Encrypt the voices: off, optional (where the other side can), required (no call without). (default: the account's srtp)",
            valueName: "mode"))
    var srtp: AccountEncryption?
}

extension SIPArguments {
    /// What only calls by SIP use is refused elsewhere: it would be silently without effect.
    func checkUnused(_ media: MediaArguments) throws(CommandError) {
        let values = [("--sip-trace", signalling.sipTrace), ("--srtp", srtp?.rawValue)]
        for (option, value) in values + media.tls.given.map({ ($0.option, "") }) where value != nil {
            throw CommandError(.usage, "\(option) is for calls by SIP; leave it out of a raw call")
        }
    }
}

/// Whether a URI is called by signalling.
func isSignalled(_ uri: String) -> Bool { ["sip:", "sips:", "tel:"].contains { uri.lowercased().hasPrefix($0) } }

/// `yodel call` and `yodel listen` by SIP: checks everything, then carries one call, or one after the other.
func runSIP(
    _ purpose: SIPRequest.Purpose, _ sip: SIPArguments, echoes: Bool = false, answersByItself: Bool = false,
    ring: String? = nil, _ arguments: MediaArguments
) throws {
    let signals = TerminationSignal()
    if let path = sip.signalling.sipTrace { try PathCheck.writable(path, option: "--sip-trace") }
    let (assertions, configuration, options) = try arguments.resolved(ring: ring)
    try options.request.checkFiles(trace: sip.signalling.sipTrace)
    let isChosen = configuration.source(of: \.media.codec) != .default
    var request = SIPRequest(
        purpose, codecs: isChosen ? [options.request.codec] : SIPRequest.usualCodecs, media: options.request)
    request.echoes = echoes
    request.answersByItself = answersByItself
    request.product = "yodel"
    request.tracePath = sip.signalling.sipTrace
    request.encryption = sip.srtp
    let phone: SIPPhone
    do throws(SoftphoneError) {
        request.access = try SignallingAccess(configuration)
        if let name = sip.account {
            request.account = try AccountSettings(named: name, in: configuration, environment: processEnvironment())
        }
        signals.endInOrder()
        phone = try Softphone().connect(request)
    } catch {
        throw CommandError(error)
    }
    defer { phone.close() }
    let isListening = if case .listen = purpose { true } else { false }
    let status = try carryCalls(isListening: isListening, options, assertions, signals, json: arguments.output.json) {
        () throws(SoftphoneError) in try phone.nextCall(request)
    }
    if status != .fine { throw status }
}

/// A call that was asked for ends the program; who waits goes on until told to stop.
/// - Parameter next: the call that was asked for, or the next one to come.
func carryCalls(
    isListening: Bool, _ options: MediaOptions, _ assertions: [Assertion], _ signals: TerminationSignal, json: Bool,
    _ next: () throws(SoftphoneError) -> any LiveCall
) throws(CommandError) -> ExitStatus {
    var worst: ExitStatus?
    while true {
        let call: any LiveCall
        do { call = try next() } catch { throw CommandError(error) }
        var console = CallConsole(
            call: call, events: try subscribe(call),
            printer: EventPrinter(
                json: json, parties: 1, input: options.request.device.input, output: options.request.device.output),
            signals: signals, assertions: assertions, durationSeconds: options.durationSeconds,
            durationCountsFromMedia: isListening)
        var status = console.run()
        if let failure = call.failure, TerminationSignal.caught == nil {
            guard isListening else { throw CommandError(failure) }
            if status == .fine { status = ExitStatus(failure) }
        }
        guard isListening, call.wasCall else {
            // Ended while waiting: what the calls before came to is what counts.
            return call.wasCall ? status : worst ?? status
        }
        if worst == nil || worst == .fine { worst = status }
        if TerminationSignal.caught != nil { return worst ?? status }
    }
}
