import ArgumentParser

/// Options that every media command shares. Values that can also be configured stay text here: one place
/// (`Configuration`) checks them, whoever sets them.
struct MediaArguments: ParsableArguments {
    @Option(help: ArgumentHelp("Microphone and loudspeaker: alsa:NAME, file:PATH, pipe:-, room:MODEL, null, default.",
        valueName: "name"))
    var device: String?

    @Option(help: ArgumentHelp("Microphone, when it is another device.", valueName: "name"))
    var input: String?

    @Option(help: ArgumentHelp("Loudspeaker, when it is another device.", valueName: "name"))
    var output: String?

    @Option(help: ArgumentHelp("Rate of the device in Hz.", valueName: "hz"))
    var rate: String?

    @Option(help: ArgumentHelp("Period of the device in ms.", valueName: "ms"))
    var period: String?

    @Flag(inversion: .prefixedNo, help: "Ask for real-time priority (default: yes).")
    var realtime: Bool?

    @Flag(inversion: .prefixedNo, help: "Cancel echo, suppress noise, control gain (default: yes).")
    var voiceProcessing: Bool?

    @Flag(inversion: .prefixedNo, help: "Lower what other programs play during a call (default: yes).")
    var duck: Bool?

    @Option(help: ArgumentHelp("Codec: opus, pcmu, pcma, l16.", valueName: "codec"))
    var codec: String?

    @Option(help: ArgumentHelp("Bit rate of Opus in bit/s.", valueName: "bps"))
    var bitrate: String?

    @Option(help: ArgumentHelp("Bit rate in bit/s that protection and copies never exceed.", valueName: "bps"))
    var maxBitrate: String?

    @Option(help: ArgumentHelp(
        "Payload type of redundant audio (RFC 2198), given at both ends; copies are sent when the other side reports loss.",
        valueName: "pt"))
    var redundancy: String?

    @Option(help: ArgumentHelp(
        "Mean seconds between RTCP reports, 1-5; less than 5 only where the other side allows it.", valueName: "seconds"))
    var rtcpInterval: String?

    @Option(help: ArgumentHelp("Effort of the Opus encoder, 0-10.", valueName: "n"))
    var complexity: String?

    @Option(help: ArgumentHelp("Length of a packet in ms: 10, 20, 40, 60.", valueName: "ms"))
    var ptime: String?

    @Option(help: ArgumentHelp("Delay against loss: low, balanced, robust.", valueName: "profile"))
    var latency: String?

    @Option(help: ArgumentHelp("Local address to send from and listen on.", valueName: "address"))
    var bind: String?

    @Option(help: ArgumentHelp("Take packets from this network only (repeatable).", valueName: "cidr"))
    var allow: [String] = []

    @Option(help: ArgumentHelp("Hang up after this long.", valueName: "seconds"))
    var duration: Double?

    @Option(help: ArgumentHelp("Send this audio file, then the microphone.", valueName: "file"))
    var play: String?

    @Option(help: ArgumentHelp("Record the call as WAV: left is sent, right is heard.", valueName: "file"))
    var record: String?

    @Option(help: ArgumentHelp("Capture the call's packets (pcapng), for `yodel replay` and others.", valueName: "file"))
    var capture: String?

    @Option(help: ArgumentHelp("Speech of the person in the simulated room.", valueName: "file"))
    var near: String?

    @Option(help: ArgumentHelp("Send these digits once media has started.", valueName: "digits"))
    var dtmf: String?

    @Flag(help: "Print events, one JSON object a line.")
    var json = false

    @Option(
        name: .customLong("assert"),
        help: ArgumentHelp(
            "Threshold such as 'mouth_to_ear_ms<100' (repeatable); exit 5 when missed.", valueName: "expr"))
    var assertions: [String] = []

    @Option(help: ArgumentHelp("Write every internal signal into this folder.", valueName: "folder"))
    var dump: String?

    @Option(help: ArgumentHelp("Seed of everything random.", valueName: "n"))
    var seed: UInt64?

    @OptionGroup var general: GeneralArguments

    /// What the command line says, by the name of the configuration's key.
    var flags: [String: String?] {
        [
            "device": device, "input": input, "output": output, "rate": rate, "period": period,
            "realtime": realtime.map(String.init), "voice_processing": voiceProcessing.map(String.init),
            "duck": duck.map(String.init),
            "codec": codec?.lowercased(), "bitrate": bitrate, "max_bitrate": maxBitrate, "redundancy": redundancy,
            "complexity": complexity, "ptime": ptime, "latency": latency, "rtcp_interval": rtcpInterval,
            "bind": bind, "allow": allow.isEmpty ? nil : allow.joined(separator: ","),
            "log_level": general.logLevel,
        ]
    }
}

/// Options of every command.
struct GeneralArguments: ParsableArguments {
    @Option(help: ArgumentHelp("Configuration file.", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp(
        "How much is logged to standard error: trace, debug, info, notice, warning, error, critical.",
        valueName: "level"))
    var logLevel: String?
}
