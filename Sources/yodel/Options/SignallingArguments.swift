import ArgumentParser

/// Options of whatever signals by SIP, a call or the service.
struct SignallingArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp("Write every message of signalling to this file, with passwords and keys masked.", valueName: "file")
    )
    var sipTrace: String?
}
