import Realtime
import Reporting
import Settings
import Signalling
import Softphone
import Terminal

/// How a command of this room ended.
public enum LoadOutcome: Sendable, Equatable {
    case fine
    /// A threshold of `--assert` was missed, or its value not measured.
    case assertionMissed
    /// No call was connected.
    case noAnswer
    /// By that signal, before anything was heard.
    case signal(Int32)
}

/// `yodel load`: makes the calls, tells of each, and at the end of all, the load's own lateness first.
public struct LoadConsole {
    private let arguments: LoadArguments
    private let plan: LoadPlan
    private let assertions: [Assertion]
    private let realtime: Bool
    /// Where the picture goes; nil: nobody wants one.
    private let picture: PictureFile?

    /// Checks everything; nothing is sent yet.
    /// - Throws: `SoftphoneError`, `SettingsError`, `AssertionError`: what, where, what to do.
    public init(_ arguments: LoadArguments, _ configuration: Configuration) throws {
        self.arguments = arguments
        if PeerURI.isMeant(by: arguments.uri) {
            throw SoftphoneError.request(
                "whoever listens at yodel:// takes one call after the other, which is no load, in '\(arguments.uri)'; "
                    + "call rtp:// or sip:, or make one such call by `yodel call`")
        }
        if let picture = arguments.picture, let speech = arguments.play {
            try PathCheck.distinct(written: [NamedFile("--picture", picture)], read: [NamedFile("--play", speech)])
        }
        var media = try MediaRequest(configuration)
        media.seed = arguments.seed
        let mix = try arguments.mix.map { text throws(SoftphoneError) in try CodecMix(parsing: text) }
        if mix != nil, case .flag = configuration.source(of: \.media.codec) {
            throw SoftphoneError.request("--mix says in which codecs calls are made; leave out --codec, or --mix")
        }
        let amount = LoadPlan.Amount(calls: arguments.calls, rate: arguments.rate, holdSeconds: arguments.hold)
        if arguments.isSignalled {
            let account = try arguments.account.map { name throws(SoftphoneError) in
                try AccountSettings(named: name, in: configuration, environment: processEnvironment())
            }
            plan = try LoadPlan(
                calling: arguments.uri, as: account, SignallingAccess(configuration), media, amount, mix: mix,
                speechPath: arguments.play)
        } else {
            var uri = try CallURI(parsing: arguments.uri, role: .call)
            if mix == nil { try uri.chooseCodec(configuration) }
            plan = try LoadPlan(uri, media, amount, mix: mix, speechPath: arguments.play)
        }
        assertions = try arguments.assertions.map { try Assertion(parsing: $0, known: LoadReport.comparablePaths) }
        realtime = media.device.realtime
        // Last: nothing is refused after it.
        picture = try arguments.picture.map { path throws(SoftphoneError) in try PictureFile(path) }
    }

    /// Runs until every call is over, or a signal ends them.
    public func run() throws(SoftphoneError) -> LoadOutcome {
        let signals = TerminationSignal()
        signals.endInOrder()
        DescriptorLimit.raise()
        let teller = EventTeller(json: arguments.json, audioOnStandardOutput: false)
        let threads = try LoadThreads(plan, realtime: realtime)
        teller.tell(
            "load_started",
            [
                JSONMember("remote", .string(plan.remote)), JSONMember("codec", .string(plan.mix.text)),
                JSONMember("calls", .integer(plan.calls)), JSONMember("rate", .number(plan.rate)),
                JSONMember("hold_s", .number(plan.holdSeconds)), JSONMember("seed", .string("\(plan.seed)")),
            ],
            text: "\(plan.calls) calls to \(plan.remote), \(plan.mix.text), \(Text.fixed(plan.rate, 1)) a second, "
                + "\(Text.fixed(plan.holdSeconds, 1)) s each")
        let input = PersonInput(signals: signals, terminal: nil, readsKeys: false)
        var status: StatusLine?
        var pace = Pace(every: 5, from: Pace.now())
        var ended = 0
        var drawn = LoadPicture()
        while true {
            input.wait(seconds: 0.5, others: [threads.descriptor])
            if input.takeSignals(&status) { threads.end() }
            let results = threads.results()
            for report in threads.takeReports() {
                ended += 1
                if picture != nil { drawn.add(report) }
                teller.tell("load_call", report.members)
            }
            if pace.isDue(), !teller.isJSON {
                teller.output.line("\(threads.callsNow) calls run, \(ended) are over")
            }
            if var results {
                let outcome = finish(&results, teller)
                try draw(drawn, results)
                return outcome
            }
        }
    }

    private func draw(_ drawn: LoadPicture, _ results: LoadResults) throws(SoftphoneError) {
        guard let picture else { return }
        let title = "\(plan.calls) calls to \(plan.remote), \(plan.mix.text), \(Text.fixed(plan.rate, 1)) a second"
        try picture.write(drawn.svg(title, packets: results.delays.quantile))
    }

    private func finish(_ results: inout LoadResults, _ teller: EventTeller) -> LoadOutcome {
        let report = results.report()
        let outcomes = assertions.map { $0.evaluate(report.value(of: $0.path)) }
        func warn(_ text: String) { teller.tell("warning", [JSONMember("message", .string(text))], text: text) }
        if let reason = results.firstFailure { warn(reason) }
        if results.stretchesLeftOut > 0 {
            warn("the machine had no time to look for \(results.stretchesLeftOut) s of sound: delays are those of the rest")
        }
        if teller.isJSON {
            teller.tell("load_report", report.members(outcomes))
        } else {
            for line in report.lines(outcomes) { teller.output.line(line) }
        }
        if results.connected == 0 {
            if let number = TerminationSignal.caught { return .signal(number) }
            return .noAnswer
        }
        return outcomes.allSatisfy(\.passed) ? .fine : .assertionMissed
    }
}
