public import Link

/// The service: where it is controlled, and what its calls may do.
public struct SoftphoneKeys: ConfigurationSection {
    public static let name = "softphone"
    public static let title = "Service"

    public let address = ConfigurationKey(
        "softphone_address", .address, default: IPAddress(v4: 0x7f00_0001),
        help: "Local address where the service is controlled by HTTP; other than loopback only with a token file")
    public let port = ConfigurationKey(
        "softphone_port", .integer(0...65_535, placeholder: "port"), default: 8470,
        help: "TCP port where the service is controlled by HTTP; 0 takes any that is free")
    public let tokenFile = ConfigurationKey(
        "softphone_token_file", .text("file"), unset: "the first start prints a link that brings one",
        help: "File whose first line is the token that every request must bear; nobody else should be able to read it")
    public let operateTokenFile = ConfigurationKey(
        "softphone_operate_token_file", .text("file"), unset: "there is no such token",
        help: "File with a second token, for all but the configuration: calls may be made, answered and ended with it")
    public let readTokenFile = ConfigurationKey(
        "softphone_read_token_file", .text("file"), unset: "there is no such token",
        help: "File with a third token, only to look: accounts, calls, events, metrics, history")
    public let certificate = ConfigurationKey(
        "softphone_certificate", .text("file"), unset: "HTTP without encryption",
        help: "PEM file with the certificate and its chain for HTTPS; taken anew when it changes")
    public let certificateKey = ConfigurationKey(
        "softphone_certificate_key", .text("file"), unset: "the file of the certificate holds it",
        help: "PEM file with the certificate's key; nobody else should be able to read it")
    public let turnSecretFile = ConfigurationKey(
        "softphone_turn_secret_file", .text("file"), unset: "browsers are told of no TURN server",
        help:
            "File with the secret that the TURN servers share with us: browsers get names and passwords made of it, for an hour"
    )
    public let drain = ConfigurationKey(
        "softphone_drain_seconds", .integer(0...86_400, unit: "s", placeholder: "s"), default: 30,
        help: "How long running calls may go on after the service was told to end")
    public let device = ConfigurationKey(
        "softphone_device", .deviceName, unset: "null, which is silence",
        help: "Microphone and loudspeaker of calls that choose nothing: a device's name, or echo for what is heard")
    public let folder = ConfigurationKey(
        "softphone_folder", .text("folder"), unset: "no file may be played",
        help: "Folder whose audio files calls may play")
    public let programs = ConfigurationKey(
        "softphone_programs", .list(of: .webSocket, expectation: "a list of URLs such as wss://bots.example.com/"),
        unset: "no program may", help: "What the WebSocket of a program begins with that may be a call's audio end")
    public let programPatience = ConfigurationKey(
        "softphone_program_patience_seconds", .integer(0...86_400, unit: "s", placeholder: "s"), default: 60,
        help: "A call ends when the program that is its audio end was away for so long; 0 never")
    public let programAnnouncement = ConfigurationKey(
        "softphone_program_announcement", .text("file"), unset: "silence",
        help: "Audio file that a call hears, again and again, while its program is away")
    public let calls = ConfigurationKey(
        "softphone_calls", .integer(1...1000, placeholder: "n"), default: 32, help: "Calls at once at most")
    public let callsPerMinute = ConfigurationKey(
        "softphone_calls_per_minute", .integer(0...10_000, placeholder: "n"), default: 0,
        help: "Calls that go out a minute at most; 0 any number")
    public let sipPort = ConfigurationKey(
        "softphone_sip_port", .integer(0...65_535, placeholder: "port"), default: 0,
        help: "UDP and TCP port for requests by SIP; 0 takes any that is free")
    public let metricsAddress = ConfigurationKey(
        "softphone_metrics_address", .address, default: IPAddress(v4: 0x7f00_0001),
        help: "Local address of the listener for figures alone, which asks for no token")
    public let metricsPort = ConfigurationKey(
        "softphone_metrics_port", .integer(0...65_535, placeholder: "port"), unset: "figures are at softphone.port alone",
        help: "TCP port of the listener for figures alone, for Prometheus; 0 takes any that is free")
    public let recordings = ConfigurationKey(
        "softphone_recordings", .text("folder"), unset: "calls are not recorded on request",
        help: "Folder for the recordings of calls")
    public let bundles = ConfigurationKey(
        "softphone_bundles", .text("folder"), unset: "calls are not captured, and bundles are without media",
        help: "Folder where the packets of the last calls are kept for their bundles; nobody else should be able to read it")
    public let bundleCalls = ConfigurationKey(
        "softphone_bundle_calls", .integer(1...10_000, placeholder: "n"), default: 20,
        help: "How many of the last calls' packets are kept for their bundles")
    public let bundleMegabytes = ConfigurationKey(
        "softphone_bundle_megabytes", .integer(1...256, unit: "MB", placeholder: "n"), default: 32,
        help: "What is kept of one call's packets; then no more of it. Twice as much where its media begin anew")
    public let history = ConfigurationKey(
        "softphone_history", .text("file"), unset: "none is kept",
        help: "SQLite database that keeps every call with its figures; made where there is none")
    public let historyDays = ConfigurationKey(
        "softphone_history_days", .integer(0...36_500, unit: "days", placeholder: "n"), default: 90,
        help: "How long the history keeps a call; 0 for good")
    public let historyMegabytes = ConfigurationKey(
        "softphone_history_megabytes", .integer(0...1_000_000, unit: "MB", placeholder: "n"), default: 256,
        help: "Size from which on the history loses its oldest calls; 0 never")
    public let webhookSpool = ConfigurationKey(
        "softphone_webhook_spool", .text("folder"), unset: "there can be no webhooks",
        help: "Folder where events wait for the webhooks that are to get them")
    public let webhookMegabytes = ConfigurationKey(
        "softphone_webhook_megabytes", .integer(1...10_000, unit: "MB", placeholder: "n"), default: 16,
        help: "What may wait for one webhook; then it loses the oldest")

    public init() {}
}

extension ValueForm where Value == String {
    /// What the URL of a WebSocket begins with.
    static var webSocket: ValueForm {
        ValueForm(
            placeholder: "url", expectation: "a URL such as wss://bots.example.com/",
            parse: { $0.hasPrefix("ws://") || $0.hasPrefix("wss://") ? $0 : nil }, write: { $0 })
    }
}
