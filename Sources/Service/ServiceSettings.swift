import AudioDevices
import Codecs
import Diagnosis
import Link
import Settings
import Signalling
import Softphone

/// What the service is started with: every value resolved and checked; nothing has been started yet.
public struct ServiceSettings: Sendable {
    var accounts: [AccountSettings] = []
    /// Audio ends of accounts that choose one.
    var audioOfAccount: [String: AudioEnd] = [:]
    var codecs: [Codec]
    var media: MediaRequest
    var address: IPAddress
    var port: UInt16
    /// From the file; `nil`: none is named.
    var token: String?
    var drainSeconds: Int
    var audio: AudioEnd
    var ends: AudioEnds
    var callsAllowed: Int
    var metricsAddress: IPAddress
    /// `nil`: figures have no listener of their own.
    var metricsPort: UInt16?
    /// Who started the process, if anybody wants to know how it is.
    let manager: ServiceManager
    /// Looks at what its calls need.
    var diagnosis: Diagnosis
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
        media = try MediaRequest(configuration)
        access = try SignallingAccess(configuration)
        let isChosen = configuration.source(of: \.media.codec) != .default
        codecs = isChosen ? [media.codec] : SIPRequest.usualCodecs
        address = configuration[\.softphone.address]
        port = UInt16(clamping: configuration[\.softphone.port])
        drainSeconds = configuration[\.softphone.drain]
        callsAllowed = configuration[\.softphone.calls]
        metricsAddress = configuration[\.softphone.metricsAddress]
        metricsPort = configuration[\.softphone.metricsPort].map { UInt16(clamping: $0) }
        let device = configuration[\.softphone.device] ?? "null"
        audio = try AudioEnd(configured: device)
        var devices = [device]
        for item in configuration[\.accounts] {
            guard let name = item.name else { continue }
            accounts.append(try AccountSettings(named: name, in: configuration, environment: environment))
            guard let device = item[\.device] else { continue }
            audioOfAccount[name] = try AudioEnd(configured: device)
            devices.append(device)
        }
        ends = AudioEnds(devices: devices, folder: configuration[\.softphone.folder])
        if let path = configuration[\.softphone.tokenFile] { token = try Self.token(path) }
        guard token != nil || address.isLoopback else {
            throw .request(
                "without a token the service is on loopback only, not on \(address); set softphone.token_file, or leave out "
                    + "softphone.address")
        }
    }

    private static func token(_ path: String) throws(SoftphoneError) -> String {
        let line: String
        do { line = try SecretFile.line(path: path) } catch {
            throw .request("\(path) cannot be read, in softphone.token_file; make it, with one line that holds the token")
        }
        guard line.utf8.count >= 16, line.utf8.allSatisfy({ (33...126).contains($0) }) else {
            throw .request(
                "the token in \(path) is too short or has spaces, in softphone.token_file; give 16 characters or more")
        }
        return line
    }

    /// What is found wrong, and what is fine; it takes some seconds.
    var findings: [Finding] {
        var found: [Finding] = []
        diagnosis.run { found.append($0) }
        return found
    }

    /// The audio end of calls of an account that choose none.
    func audio(of account: String?) -> AudioEnd { account.flatMap { audioOfAccount[$0] } ?? audio }
}
