import ArgumentParser

/// Options of whatever signals by SIP, a call or the service.
struct SignallingArguments: ParsableArguments {
    @OptionGroup var tls: TLSArguments

    @Option(
        help: ArgumentHelp("Write every message of signalling to this file, with passwords and keys masked.", valueName: "file")
    )
    var sipTrace: String?
}

/// Whom connections by TLS trust.
struct TLSArguments: ParsableArguments {
    @Option(
        name: .customLong("tls-ca"),
        help: ArgumentHelp(
            "PEM file of the authorities that servers' certificates may be from. (default: the system's)", valueName: "file"))
    var authorities: String?
}
