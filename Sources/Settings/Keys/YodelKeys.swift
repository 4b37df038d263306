/// Everything that can be configured of the program, in the order of the annotated file.
public struct YodelKeys: ConfigurationSchema {
    public let audio = AudioKeys()
    public let media = MediaKeys()
    public let network = NetworkKeys()
    public let tls = TLSKeys()
    public let softphone = SoftphoneKeys()
    public let log = LogKeys()
    public let accounts = ConfigurationCollection<AccountKeys>(
        help: "Who to be at which registrar: any number, each by its name, for `--account NAME`")
    public let webhooks = ConfigurationCollection<WebhookKeys>(
        help: "Whom the service tells of its events by HTTP: any number, each by its name")

    public init() {}
}

extension YodelKeys {
    /// Every key, in the order of the annotated file.
    public static var all: [any AnyConfigurationKey] { ConfigurationTable(Self.self).keys }
}

extension ResolvedConfiguration<YodelKeys> {
    /// The microphone's and the loudspeaker's names: `input` or `output` unless `device` was said more loudly.
    public var deviceNames: (input: String, output: String) {
        let rank = source(of: \.audio.device).rank
        func chosen(_ one: KeyPath<YodelKeys, ConfigurationKey<String?>>) -> String {
            guard let name = self[one], source(of: one).rank >= rank else { return self[\.audio.device] }
            return name
        }
        return (chosen(\.audio.input), chosen(\.audio.output))
    }

    /// The password for the TURN servers out of its file; empty when none is named.
    public func turnPassword() throws(SettingsError) -> String {
        guard let path = self[\.network.turnPasswordFile] else { return "" }
        return try SecretFile.line(
            path: path, of: "network.turn_password_file", from: source(of: \.network.turnPasswordFile))
    }

    /// Whether someone chose a device other than the default one.
    public var choosesDevice: Bool {
        let usual = YodelKeys().audio.device.defaultValue
        return deviceNames != (usual, usual)
    }
}
