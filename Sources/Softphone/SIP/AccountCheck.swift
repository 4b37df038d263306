import Glibc
import LiveMedia
import Realtime
import Signalling

/// What one look at an account's registrar brought: each step of a registration, in order, up to the one that failed.
public struct AccountCheck: Sendable, Equatable {
    public struct Step: Sendable, Equatable {
        /// `server`, `connection`, `certificate`, `challenge`, `registration`.
        public var name: String
        public var passed: Bool
        /// What was found, or what failed and what to do. It may have words of the network in it.
        public var detail: String
        /// How long it took, ms.
        public var milliseconds: Double?

        package init(name: String, passed: Bool, detail: String, milliseconds: Double? = nil) {
            (self.name, self.passed, self.detail, self.milliseconds) = (name, passed, detail, milliseconds)
        }
    }

    public enum Outcome: String, Sendable, Equatable { case registered, authentication, refused, network }

    public var steps: [Step]
    public var outcome: Outcome
    /// `Date` of the registrar's last response (RFC 3261 section 20.17); nil: it has told none.
    public var registrarDate: String?

    /// As the registrar sees us, ADDRESS:PORT; nil: it has not told.
    public var seenAddress: String?

    /// Registers `account` from a port of its own, and takes that back again. Bindings of other phones stay.
    ///
    /// Blocks until the registrar has answered.
    /// - Parameters:
    ///   - account: whose registration is tried.
    ///   - access: how the servers are found and trusted.
    ///   - seconds: how long to wait for the registrar at most.
    ///   - isInterrupted: asked five times a second; true gives up.
    public static func run(
        _ account: AccountSettings, access: SignallingAccess = SignallingAccess(), within seconds: Double = 40,
        isInterrupted: () -> Bool = { false }
    ) throws(SoftphoneError) -> AccountCheck {
        var account = account
        account.watchesMessages = false
        let start = HostTime.monotonicNow()
        let steps = SharedSteps(start)
        let events: Mailbox<CallSignallingEvent>
        do { events = try Mailbox() } catch { throw .resources("\(error)") }
        var configuration = SignallingConfiguration(
            listeners: SignallingConfiguration.everywhere(port: 0), accounts: [account], callers: .listed([]))
        configuration.take(access)
        configuration.trace = { steps.note($0) }
        configuration.streamOpened = { steps.note($0) }
        let signalling: SIPSignalling
        do throws(SignallingStartError) {
            signalling = try SIPSignalling(configuration) { events.post($0) }
        } catch {
            throw SoftphoneError(error)
        }
        signalling.register(account.name)
        let change = wait(
            for: events, until: start.advanced(byMilliseconds: 1000 * seconds), isInterrupted: isInterrupted)
        let seen = steps.value
        waitForShutdown(of: signalling, within: 2)
        return AccountCheck(seen, change, account)
    }

    /// The first word of the registration; nil: none came.
    private static func wait(
        for events: Mailbox<CallSignallingEvent>, until end: HostTime, isInterrupted: () -> Bool
    ) -> RegistrationChange? {
        while true {
            for case .registration(let change) in events.takeAll() { return change }
            let left = end.milliseconds(since: HostTime.monotonicNow())
            guard left > 0, !isInterrupted() else { return nil }
            var entry = pollfd(fd: events.signal.fileDescriptor, events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, Int32(min(left + 1, 200)))
        }
    }

    package init(_ outcome: Outcome, steps: [Step], seenAddress: String? = nil) {
        (self.outcome, self.steps, self.seenAddress) = (outcome, steps, seenAddress)
    }

    init(_ seen: RegistrationSteps, _ change: RegistrationChange?, _ account: AccountSettings) {
        steps = []
        outcome = .network
        registrarDate = seen.date
        seenAddress = change?.seenAddress
        guard let server = seen.server else {
            let reason = change?.reason ?? "its name is still being looked up"
            steps.append(
                Step(name: "server", passed: false, detail: "\(reason); check registrar: and the name servers"))
            return
        }
        steps.append(Step(name: "server", passed: true, detail: server, milliseconds: seen.serverMilliseconds))
        if let connection = seen.connection {
            steps.append(Step(name: "connection", passed: true, detail: connection, milliseconds: seen.connectionMilliseconds))
        }
        if let certificate = seen.certificate {
            steps.append(Step(name: "certificate", passed: true, detail: certificate))
        }
        if let challenge = seen.challenge {
            steps.append(Step(name: "challenge", passed: true, detail: challenge))
        }
        let (passed, detail) = Self.judge(change, account)
        steps.append(
            Step(name: "registration", passed: passed, detail: detail, milliseconds: seen.roundTripMilliseconds))
        outcome =
            switch change?.failure {
            case nil: passed ? .registered : .network
            case .authentication, .certificate: .authentication
            case .refused: .refused
            case .server, .network: .network
            }
    }

    private static func judge(
        _ change: RegistrationChange?, _ account: AccountSettings
    ) -> (passed: Bool, detail: String) {
        guard let change else {
            return (
                false,
                "the registrar has not answered; check registrar: and transport:, and whether a firewall lies between"
            )
        }
        guard change.state != .failed else {
            let code = change.sipCode.map { "\($0) " } ?? ""
            let advice = change.remedy(for: account) ?? ""
            return (false, "\(code)\(change.reason); \(advice)")
        }
        var detail = "for \(change.expires ?? 0) s"
        if let seen = change.seenAddress { detail += ", seen as \(seen)" }
        return (true, detail)
    }
}

/// What the signalling's thread notes and the caller reads.
private final class SharedSteps: Sendable {
    private let steps: Lock<RegistrationSteps>

    init(_ start: HostTime) { steps = Lock(RegistrationSteps(start: start)) }

    func note(_ message: TracedMessage) { steps.withLock { $0.note(message, now: .monotonicNow()) } }
    func note(_ opened: OpenedStream) { steps.withLock { $0.note(opened, now: .monotonicNow()) } }

    var value: RegistrationSteps { steps.withLock { $0 } }
}
