import Link
import Realtime
import SIP

/// The other side has us call somebody else, and is told how that goes (RFC 3515, 3891).
extension SIPSignalling {
    func transferAsked(_ id: SignalledCallID, _ handle: CallHandle, _ request: TransferRequest) {
        let target = request.target.text
        guard mayTransfer(id, request.source) else {
            try? agent.rejectTransfer(handle, status: 403, now: .monotonicNow())
            return tell(
                .warning(id, "the other side may not have us call \(target); the account's transfers: says who may"))
        }
        if let account = settings(of: calls[id]?.account), !account.mayReach(target) {
            try? agent.rejectTransfer(handle, status: 403, now: .monotonicNow())
            return tell(.warning(id, "the other side is not followed: \(account.unreached(target))"))
        }
        calls[id]?.transferTarget = request
        tell(.transferRequested(id, target: target))
    }

    private func mayTransfer(_ id: SignalledCallID, _ source: SignallingSource) -> Bool {
        let host = source.remote.host
        let account = settings(of: calls[id]?.account)
        switch account?.transfers ?? .known {
        case .never: return false
        case .anyone: return true
        case .known:
            if agent.isAccountServer(source) { return true }
            if case .listed = configuration.callers, configuration.callers.admits(try? IPAddress(host)) { return true }
            return account == nil && isLoopback(of: host)
        }
    }

    /// The peer's wish to be transferred: a new call that tells it how it goes.
    func follow(_ id: SignalledCallID, as next: SignalledCallID, _ media: LocalPorts?) {
        guard let call = calls[id], let handle = call.handle, let request = call.transferTarget else { return }
        calls[id]?.transferTarget = nil
        do throws(UserAgentError) {
            guard let media else { return try agent.rejectTransfer(handle, now: .monotonicNow()) }
            try agent.acceptTransfer(handle, now: .monotonicNow())
            tell(.followed(id, by: next))
            start(
                next,
                OutgoingCall(
                    target: request.target.text, account: call.account?.name, encryption: call.encryption, media: media),
                reportsTo: id, replaces: request.replaces, referredBy: request.referredBy)
        } catch {
            tell(.requestRefused(id, reason: "\(error)", sipCode: nil))
        }
    }

    /// Tells the one who had us call how that goes.
    func report(_ call: SignalledCall, _ status: Int, _ reason: String) {
        guard let other = call.reportsTo else { return }
        if status >= 200 { calls[call.id]?.reportsTo = nil }
        report(to: other, status, reason)
    }

    func report(to call: SignalledCallID, _ status: Int, _ reason: String) {
        guard let handle = calls[call]?.handle else { return }
        try? agent.reportTransfer(handle, status: status, reason: reason, now: .monotonicNow())
    }
}
