import Codecs
import Glibc
import Link
import LiveMedia
import Network
import Realtime
import Signalling
import Synchronization

/// A telephone by SIP: its sockets, its registrations, and its calls.
///
/// Two kinds of owner: a command waits for one call after the other at the desk (`connect`, `nextCall`); a service has any
/// number at once, each with a line of its own (`open`, `call`, `accept`).
public final class SIPPhone: Sendable {
    let signalling: any CallSignalling
    let switchboard: Switchboard
    private let trace: SIPTraceFile?
    /// Who it is among those that share its accounts; nil: not told.
    let instance: String?
    /// The messages of its last calls; `nil`: they are not kept.
    public let ladder: SIPLadder?
    /// The registrar has once accepted the account.
    let hasRegistered = Atomic(false)
    /// No call begins any more (`drain`).
    let isEnding = Atomic(false)

    /// Binds the signalling's sockets, and registers where calls are waited for at a registrar.
    convenience init(_ request: SIPRequest) throws(SoftphoneError) {
        try request.check()
        if request.effectiveEncryption == .required, let missing = CallEncryption(.required).failure {
            throw .encryption("\(missing)")
        }
        request.media.traversal.prepare()
        try self.init(Self.configuration(request), tracePath: request.tracePath)
        if case .listen = request.purpose, let account = request.account { signalling.register(account.name) }
    }

    /// Binds the signalling's sockets.
    init(
        _ configuration: SignallingConfiguration, tracePath: String?, instance: String? = nil, ladder: SIPLadder? = nil
    ) throws(SoftphoneError) {
        (self.instance, self.ladder) = (instance, ladder)
        let switchboard: Switchboard
        do { switchboard = try Switchboard() } catch { throw .resources("\(error)") }
        self.switchboard = switchboard
        let trace = try tracePath.map { path throws(SoftphoneError) in
            try SIPTraceFile(path: path) { switchboard.post(.warning(nil, $0)) }
        }
        self.trace = trace
        var configuration = configuration
        if trace != nil || ladder != nil {
            configuration.trace = { message in
                trace?.note(message)
                ladder?.note(message)
            }
        }
        do throws(SignallingStartError) {
            signalling = try SIPSignalling(configuration) { switchboard.post($0) }
        } catch {
            trace?.finish()
            throw SoftphoneError(error)
        }
        ProcessMemory.letGo(of: .signalling)
    }

    /// The call that was asked for by `connect`, or the next one to come, and a second one beside it. Close it before the next one.
    /// - Throws: `SoftphoneError.resources` when no descriptor or thread is left.
    public func nextCall(_ request: SIPRequest) throws(SoftphoneError) -> any LiveCall {
        try running(SIPLines(self, request))
    }

    func running(_ call: sending SIPLines) throws(SoftphoneError) -> any LiveCall {
        do { return try RunningCall(call) } catch { throw .resources("\(error)") }
    }

    /// Takes the registrations back, waits for answers a moment, and closes the sockets.
    public func close() {
        waitForShutdown(of: signalling, within: 2)
        trace?.finish()
    }

    /// What the signalling of such a call binds, says and allows.
    package static func configuration(_ request: SIPRequest) -> SignallingConfiguration {
        let media = request.media
        var account = request.account
        account?.encryption = request.effectiveEncryption
        var configuration = SignallingConfiguration(
            listeners: SignallingConfiguration.everywhere(port: 0), accounts: account.map { [$0] } ?? [],
            product: request.product)
        configuration.take(request.access)
        if let bind = media.bind {
            configuration.listeners = [.udp, .tcp].map { .init($0, address: "\(bind)", port: 0) }
        }
        configuration.listeners = request.access.listeners(configuration.listeners)
        if case .listen(let uri?) = request.purpose, let place = CallTarget.listening(uri) {
            let port = place.port ?? (place.isSecure ? 5061 : 5060)
            let ways: [SignallingConfiguration.Listener.Way] = place.isSecure ? [.tls] : [.udp, .tcp]
            let addresses = ((try? resolve(host: place.host, port: port)) ?? []).map { "\($0.address)" }
            // A name that means nothing fails as the address that it is no one of.
            configuration.listeners = ways.map { .init($0, address: addresses.first ?? place.host, port: port) }
        }
        // Ghost calls ring nowhere: with an account, its servers call, and who is allowed to.
        if request.account != nil || !media.allow.isEmpty { configuration.callers = .listed(media.allow) }
        configuration.media = MediaCapabilities(
            codecs: request.codecs, packetMilliseconds: media.encoder.frameMilliseconds,
            bitrate: media.encoder.bitrate, sharesPort: request.effectiveEncryption != .off || request.traversal.isOffered)
        configuration.encryption = request.effectiveEncryption
        return configuration
    }
}

extension Softphone {
    /// A telephone that calls or waits as it is asked to.
    public func connect(_ request: SIPRequest) throws(SoftphoneError) -> SIPPhone { try SIPPhone(request) }
}

/// Ends every call, takes registrations back, and closes; waits for answers for so long at most, in seconds.
///
/// Who waits may hold the thread that the shutdown needs: it is not waited for much longer, and ends by itself.
package func waitForShutdown(of signalling: any CallSignalling, within seconds: Double) {
    let done = DispatchFlag()
    Task.detached {
        await signalling.shutdown(within: seconds)
        done.set()
    }
    done.wait(seconds: seconds + 1)
}

extension SoftphoneError {
    package init(_ error: SignallingStartError) {
        self =
            switch error {
            case .account(let error): .request("\(error)")
            case .transport(.credentials(let words)): .request(words)
            case .transport(let error): .signalling("\(error)")
            }
    }
}

/// Somebody waits until somebody else is done.
private final class DispatchFlag: Sendable {
    private let isSet = Atomic<Bool>(false)

    func set() { isSet.store(true, ordering: .releasing) }

    func wait(seconds: Double) {
        let limit = HostTime.monotonicNow().advanced(byMilliseconds: seconds * 1000)
        while !isSet.load(ordering: .acquiring), HostTime.monotonicNow() < limit { usleep(2000) }
    }
}
