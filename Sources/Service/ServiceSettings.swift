import AudioDevices
import Codecs
import Diagnosis
import History
import Link
import Settings
import Signalling
import Softphone

/// What the service is started with: every value resolved and checked; nothing has been started yet.
public struct ServiceSettings: Sendable {
    var accounts: [AccountSettings] = []
    /// Audio ends of accounts that choose one.
    var audioOfAccount: [String: AudioEnd] = [:]
    /// What becomes of calls for accounts.
    var rulesOfAccount: [String: AccountRules] = [:]
    var codecs: [Codec]
    var media: MediaRequest
    var address: IPAddress
    var port: UInt16
    /// For requests by SIP; 0: whatever is free.
    var sipPort: UInt16
    /// Of the process.
    let environment: [String: String]
    /// From the files, by what they allow.
    var tokens: [Role: String] = [:]
    /// Of HTTPS; `nil`: HTTP without encryption.
    var certificate: CertificateFiles?
    /// For browsers; `nil`: they are told of none.
    var relays: BrowserRelays?
    private(set) var configuration: Configuration
    /// Where the configuration is read again from; `nil`: it is not.
    var source: ServiceSource?
    var drainSeconds: Int
    var audio: AudioEnd
    var ends: AudioEnds
    var callsAllowed: Int
    /// That go out; 0: any number.
    var callsPerMinute: Int
    var metricsAddress: IPAddress
    /// `nil`: figures have no listener of their own.
    var metricsPort: UInt16?
    /// Who started the process, if anybody wants to know how it is.
    let manager: ServiceManager
    /// Looks at what its calls need.
    var diagnosis: Diagnosis
    /// Where calls are kept; `nil`: nowhere.
    var history: String?
    var retention: HistoryRetention
    /// Where calls are recorded on request; `nil`: nowhere.
    var recordings: String?
    /// Where calls are captured for their bundles; `nil`: nowhere.
    var captures: CaptureShelf?
    var webhooks: [WebhookSettings]
    /// Where events wait for them; `nil`: there are none.
    var webhookSpool: String?
    var webhookBytes: Int
    /// Name and version of the program, told to the other side; nil: not told.
    public var product: String?
    /// How servers are found and trusted.
    var access: SignallingAccess
    /// File that every message of signalling is written to, with secrets masked; nil: none.
    public var tracePath: String?

    /// As the configuration says.
    /// - Parameter environment: where `password_env` looks, and where a service manager says how it is told.
    public init(_ configuration: Configuration, environment: [String: String]) throws(SoftphoneError) {
        manager = ServiceManager(environment: environment)
        diagnosis = Diagnosis(configuration, environment: environment)
        diagnosis.isRunning = true
        (self.configuration, self.environment) = (configuration, environment)
        sipPort = UInt16(clamping: configuration[\.softphone.sipPort])
        media = try MediaRequest(configuration)
        access = try SignallingAccess(configuration)
        let isChosen = configuration.source(of: \.media.codec) != .default
        codecs = isChosen ? [media.codec] : SIPRequest.usualCodecs
        address = configuration[\.softphone.address]
        port = UInt16(clamping: configuration[\.softphone.port])
        drainSeconds = configuration[\.softphone.drain]
        callsAllowed = configuration[\.softphone.calls]
        callsPerMinute = configuration[\.softphone.callsPerMinute]
        metricsAddress = configuration[\.softphone.metricsAddress]
        metricsPort = configuration[\.softphone.metricsPort].map { UInt16(clamping: $0) }
        history = configuration[\.softphone.history]
        recordings = configuration[\.softphone.recordings]
        captures = configuration[\.softphone.bundles].map {
            CaptureShelf(
                folder: $0, calls: configuration[\.softphone.bundleCalls],
                bytes: 1_000_000 * configuration[\.softphone.bundleMegabytes])
        }
        webhooks = try WebhookSettings.all(configuration, environment: environment)
        webhookSpool = configuration[\.softphone.webhookSpool]
        webhookBytes = 1_000_000 * configuration[\.softphone.webhookMegabytes]
        retention = HistoryRetention(
            days: configuration[\.softphone.historyDays], bytes: 1_000_000 * configuration[\.softphone.historyMegabytes])
        let device = configuration[\.softphone.device] ?? "null"
        audio = try AudioEnd(configured: device)
        var devices = [device]
        for item in configuration[\.accounts] {
            guard let name = item.name else { continue }
            accounts.append(try AccountSettings(named: name, in: configuration, environment: environment))
            guard let device = item[\.device] else { continue }
            do throws(SoftphoneError) { audioOfAccount[name] = try AudioEnd(configured: device) } catch {
                throw .request("\(error), in accounts.\(name).device")
            }
            devices.append(device)
        }
        ends = AudioEnds(
            devices: devices, folder: configuration[\.softphone.folder],
            programs: configuration[\.softphone.programs],
            policy: ProgramPolicy(
                patienceSeconds: configuration[\.softphone.programPatience],
                announcement: configuration[\.softphone.programAnnouncement]))
        for item in configuration[\.accounts] {
            guard let name = item.name else { continue }
            rulesOfAccount[name] = try AccountRules(item, ends: ends)
            if let target = rulesOfAccount[name]?.forwardTo, let reason = unreached(target, of: name) {
                throw .request("\(reason), in accounts.\(name).forward_to")
            }
            guard rulesOfAccount[name]?.unanswered != .message || recordings != nil else {
                throw .request("accounts.\(name) takes messages, and has no folder for them; set softphone.recordings")
            }
        }
        tokens = try Self.tokens(configuration)
        relays = try BrowserRelays.configured(configuration)
        certificate = configuration[\.softphone.certificate].map {
            CertificateFiles(chain: $0, key: configuration[\.softphone.certificateKey] ?? $0)
        }
        guard tokens[.admin] != nil || address.isLoopback else {
            throw .request(
                "without a token the service is on loopback only, not on \(address); set softphone.token_file, or leave out "
                    + "softphone.address")
        }
    }

    private static func tokens(_ configuration: Configuration) throws(SoftphoneError) -> [Role: String] {
        var tokens: [Role: String] = [:]
        for (role, key, path) in [
            (Role.admin, "token_file", configuration[\.softphone.tokenFile]),
            (.operate, "operate_token_file", configuration[\.softphone.operateTokenFile]),
            (.read, "read_token_file", configuration[\.softphone.readTokenFile]),
        ] {
            guard let path else { continue }
            let token = try token(path, key)
            guard !tokens.values.contains(token) else {
                throw .request("the token in \(path) is another role's too, in softphone.\(key); give each one of its own")
            }
            tokens[role] = token
        }
        return tokens
    }

    private static func token(_ path: String, _ key: String) throws(SoftphoneError) -> String {
        let line: String
        do { line = try SecretFile.line(path: path) } catch {
            throw .request("\(path) cannot be read, in softphone.\(key); make it, with one line that holds the token")
        }
        guard line.utf8.count >= 16, line.utf8.allSatisfy({ (33...126).contains($0) }) else {
            throw .request("the token in \(path) is too short or has spaces, in softphone.\(key); give 16 characters or more")
        }
        return line
    }

    /// Keeps the former values of keys that count from the next start on, wherever the configuration is shown or looked at.
    mutating func keep(_ keys: [String], of former: ServiceSettings) {
        configuration = configuration.keeping(keys, of: former.configuration)
        diagnosis = Diagnosis(configuration, environment: environment)
        diagnosis.isRunning = true
        // A secret that is new may be of servers that count later.
        relays = (try? BrowserRelays.configured(configuration)) ?? nil
    }

    /// What is found wrong, and what is fine; it takes some seconds.
    var findings: [Finding] {
        var found: [Finding] = []
        diagnosis.run { found.append($0) }
        return found
    }

    /// Why an account may not have its calls forwarded to somebody; `nil`: it may.
    func unreached(_ target: String, of account: String) -> String? {
        guard let account = accounts.first(where: { $0.name == account }) else { return nil }
        guard AddressPattern.bare(target) != AddressPattern.bare(account.uri) else {
            return "'\(target.prefix(200))' is account \(account.name)'s own address; calls would come back, so name another"
        }
        return account.mayReach(target) ? nil : account.unreached(target)
    }

    /// Why the telephone does not open; the port is told with its key where one was chosen.
    func unopened(_ error: SoftphoneError) -> SoftphoneError {
        guard sipPort != 0, case .signalling(let reason) = error else { return error }
        let ports = "port \(sipPort)" + (access.security.certificateFile == nil ? "" : " or the one after it, for TLS,")
        let keys = (media.bind == nil ? "" : "network.bind and ") + "softphone.sip_port"
        return .request("\(ports) cannot be bound (\(reason)), in \(keys); choose another, or end the program that has it")
    }

    /// The audio end of calls of an account that choose none.
    func audio(of account: String?) -> AudioEnd { account.flatMap { audioOfAccount[$0] } ?? audio }
}
