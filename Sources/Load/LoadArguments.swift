import ArgumentParser

/// Options of `yodel load` that no configuration has.
public struct LoadArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            """
            rtp://HOST:PORT[?codec=NAME&pt=N&ptime=MS&rtcp=mux|PORT] of an echo; or sip:USER@HOST[:PORT] (;transport=tcp for TCP, \
            sips: for TLS) of one, or tel:NUMBER with --account. Not yodel://, which takes one call after the other.
            """, valueName: "uri"))
    var uri: String

    @Option(help: ArgumentHelp("Call as this account of the configuration, by SIP.", valueName: "name"))
    var account: String?

    @Option(
        help: ArgumentHelp(
            "Make the calls in several codecs, so many of each, in place of --codec: pcmu=7,opus=3.", valueName: "codec=n,..."))
    var mix: String?

    @Option(help: ArgumentHelp("Calls in all (1 to 10000).", valueName: "n"))
    var calls = 10

    @Option(help: ArgumentHelp("New calls a second (up to 1000).", valueName: "n"))
    var rate = 10.0

    @Option(help: ArgumentHelp("How long each call lasts (1 to 86400).", valueName: "seconds"))
    var hold = 10.0

    @Option(help: ArgumentHelp("Say this audio file over and over. (default: speech made by the program)", valueName: "file"))
    var play: String?

    @Option(
        help: ArgumentHelp(
            "Draw what was measured (SVG): mouth to ear over calls and packets, calls over time, each call's delay.",
            valueName: "file"))
    var picture: String?

    @Flag(help: "Print each call's figures and the report as JSON, one object a line.")
    var json = false

    @Option(
        name: .customLong("assert"),
        help: ArgumentHelp(
            "Threshold such as 'p99(mouth_to_ear_ms)<120' or 'gaps==0'; exit 5 when missed. (repeatable)", valueName: "expr"))
    var assertions: [String] = []

    @Option(help: ArgumentHelp("Seed of everything random. (default: drawn)", valueName: "n"))
    var seed: UInt64?

    public init() {}

    /// Whether calls are made by signalling.
    var isSignalled: Bool { account != nil || ["sip:", "sips:", "tel:"].contains { uri.lowercased().hasPrefix($0) } }
}
