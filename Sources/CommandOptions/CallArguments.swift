import ArgumentParser

/// What is done in the call.
package struct CallArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "End after this long. (default: when somebody ends it; loopback 20, offline 60)",
            valueName: "seconds"))
    package var duration: Double?

    @Option(help: ArgumentHelp("Send this audio file, then the microphone. (default: the microphone)", valueName: "file"))
    package var play: String?

    @Option(help: ArgumentHelp("Record the call as WAV: left is sent, right is heard.", valueName: "file"))
    package var record: String?

    @Option(help: ArgumentHelp("Capture the call's packets (pcapng), for `yodel replay` and others.", valueName: "file"))
    package var capture: String?

    @Flag(help: "With --capture, the packets of an encrypted call decrypted. (default: as they are on the wire)")
    package var captureDecrypted = false

    @Option(help: ArgumentHelp("Speech of the person in the simulated room. (default: made by the program)", valueName: "file"))
    package var near: String?

    @Option(help: ArgumentHelp("Send these digits once media has started.", valueName: "digits"))
    package var dtmf: String?

    package init() {}

    /// Options that were given, but for `--duration`: what those who make no such call refuse.
    package var given: [String] {
        let options = [
            "--play": play != nil, "--record": record != nil, "--capture": capture != nil,
            "--capture-decrypted": captureDecrypted, "--near": near != nil, "--dtmf": dtmf != nil,
        ]
        return options.keys.filter { options[$0] == true }.sorted()
    }
}

/// What is told of the call, and how.
package struct OutputArguments: ParsableArguments {
    @Flag(help: "Print events, one JSON object a line.")
    package var json = false

    @Option(
        name: .customLong("assert"),
        help: ArgumentHelp(
            "Threshold such as 'mouth_to_ear_ms<100'; exit 5 when missed. (repeatable)", valueName: "expr"))
    package var assertions: [String] = []

    @Option(help: ArgumentHelp("Write every internal signal into this folder.", valueName: "folder"))
    package var dump: String?

    @Option(
        help: ArgumentHelp(
            "Seed of everything random. (default: drawn; 1 for loopback tests)", valueName: "n"))
    package var seed: UInt64?

    package init() {}

    /// Options that were given and concern a call's figures and signals.
    package var givenOfCall: [String] { (assertions.isEmpty ? [] : ["--assert"]) + (dump == nil ? [] : ["--dump"]) }
}
