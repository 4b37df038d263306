public import ArgumentParser

/// `yodel bundle`: all that explains one call of a running service, in one file.
public struct BundleCommand: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "bundle", abstract: "Put all that explains a call of the service into one file.",
        discussion: """
            Configuration without secrets, findings of `yodel check`, events, figures, messages by SIP and packets (docs/bundle.md). \
            `yodel replay --bundle FILE` plays it again. What was said is in it with --sound only, and then in clear.

            EXAMPLES:
              yodel bundle CALL
                  CALL.tar, without what was said; `yodel ctl calls` lists the calls
              yodel bundle CALL --sound --out wrong.tar
                  with what was said
            """)

    @Flag(help: "Put in what was said, too.")
    var sound = false

    @Option(help: ArgumentHelp("Where it goes (default: CALL.tar).", valueName: "file"))
    var out: String?

    @Flag(help: "Replace a file that is there.")
    var overwrite = false

    @Option(help: ArgumentHelp("Where the service is, as for `yodel ctl`.", valueName: "url"))
    var url: String?

    @Option(help: ArgumentHelp("File with its token, as for `yodel ctl`.", valueName: "file"))
    var tokenFile: String?

    @Option(help: ArgumentHelp("Who may certify it, as for `yodel ctl`.", valueName: "file"))
    var ca: String?

    @Option(help: ArgumentHelp("Configuration file.", valueName: "file"))
    var config: String?

    @Argument(help: ArgumentHelp("Id of the call.", valueName: "call"))
    var call: String

    public init() {}

    public func run() throws {
        // A call's id names a file.
        guard call.wholeMatch(of: #/[0-9a-z]+-[0-9]+/#) != nil else {
            throw ControlError.usage("'\(call.prefix(80))' is no call's id; `yodel ctl calls` lists them")
        }
        let place = out ?? "\(call).tar"
        var words = ["--out", place] + (overwrite ? ["--overwrite"] : [])
        for (option, value) in [("--url", url), ("--token-file", tokenFile), ("--ca", ca), ("--config", config)] {
            if let value { words += [option, value] }
        }
        words += ["request", "POST", "/v1/calls/\(call)/bundle", "{\"sound\": \(sound)}"]
        try ControlCommand.parse(words).run()
    }
}
