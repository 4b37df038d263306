import Realtime

/// Session timers, RFC 4028: a call whose other end has vanished is found out and ended.
extension UserAgent {
    /// As the one who was asked: puts Session-Expires into the 2xx.
    func agreeOnSession(_ call: SIPCall, request: Request, answer: inout Response, now: HostTime) {
        let asked = request.headers.sessionExpires
        let peerCan = request.headers.lists("timer", in: .supported)
        guard asked != nil || (peerCan && configuration.sessionExpires != nil) else {
            call.session = nil
            return
        }
        let least = max(configuration.minSE, request.headers.minSE ?? 0)
        let wanted =
            asked.map { min($0.seconds, configuration.sessionExpires ?? $0.seconds) }
            ?? configuration.sessionExpires ?? 1800
        let seconds = max(wanted, least)
        // A peer that knows no timers cannot refresh (section 9, table 2).
        let refresher: SessionExpires.Refresher = peerCan ? asked?.refresher ?? .uac : .uas
        answer.headers.set(.sessionExpires, SessionExpires(seconds: seconds, refresher: refresher).text)
        if refresher == .uac { answer.headers.append(.require, "timer") }
        call.session = SessionTimer(seconds: seconds, isRefresher: refresher == .uas, now: now)
    }

    /// As the one who asked: reads the 2xx. Without Session-Expires there is no timer.
    func agreeOnSession(_ call: SIPCall, response: Response, now: HostTime) {
        guard let agreed = response.headers.sessionExpires, agreed.seconds > 0 else {
            call.session = nil
            return
        }
        // An interval below what the RFC allows would make us flood.
        let seconds = max(agreed.seconds, 30)
        call.session = SessionTimer(seconds: seconds, isRefresher: agreed.refresher != .uas, now: now)
        schedule(call)
    }

    /// Takes note of a 422.
    /// - Returns: whether to ask once more, with an interval as long as the peer wants it.
    func wantsLongerInterval(_ call: SIPCall, _ response: Response) -> Bool {
        guard call.intervalRetries < 2, let least = response.headers.minSE else { return false }
        call.intervalRetries += 1
        call.leastInterval = max(call.leastInterval, least)
        return true
    }

    func sessionDue(_ call: SIPCall, _ session: SessionTimer, now: HostTime) {
        guard session.limit > now else {
            return hangUp(
                call, CallEnd(.sessionExpired, status: 408),
                reason: Reason(namespace: "SIP", cause: 408, phrase: "Session expired"), now: now)
        }
        call.session?.begin(now: now)
        guard !call.hasPendingOffer, call.retry == nil else { return }
        let usesUpdate = call.peerServesUpdate
        // A change that found no way is still to be made, and is worth trying where this one gets through.
        if call.lostWay?.next != nil { call.isChangeAwaited = true }
        sendModification(call, body: usesUpdate ? nil : call.localBody, usesUpdate: usesUpdate, now: now)
    }
}
