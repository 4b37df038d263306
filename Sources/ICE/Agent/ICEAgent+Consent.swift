import Link
import Realtime

extension ICEAgent {
    /// Pairs besides the selected one that are kept alive, so that there is one to go on with.
    private static let maximumSpares = 3
    /// How much rarer their checks are.
    private static let spareFactor = 3.0

    /// RFC 7675 section 5.1: 0.8 to 1.2 times the interval.
    func scheduleConsent(_ index: Int, now: HostTime) {
        guard pairs.indices.contains(index) else { return }
        let isUrgent = pairs[index].id == selectedPair || pairs[index].unanswered > 0
        let factor = isUrgent ? 1 : Self.spareFactor
        pairs[index].nextConsent = now.advanced(
            byMilliseconds: configuration.consentInterval * factor * (0.8 + 0.4 * random.unit()))
    }

    func advanceConsent(to now: HostTime) {
        var isChanged = false
        var lostSelected = false
        for index in pairs.indices where pairs[index].isUsable {
            if now.milliseconds(since: pairs[index].lastSuccess) >= configuration.consentLimit {
                pairs[index].state = .failed
                // A spare that carried nothing may be tried again.
                pairs[index].isConsentLost = pairs[index].id == selectedPair
                pairs[index].isHeard = false
                pairs[index].nextConsent = nil
                lostSelected = lostSelected || pairs[index].id == selectedPair
                isChanged = true
                continue
            }
            guard let due = pairs[index].nextConsent, now >= due else { continue }
            guard pairs[index].id == selectedPair || isSpare(index) else {
                scheduleConsent(index, now: now)
                continue
            }
            pairs[index].unanswered += 1
            scheduleConsent(index, now: now)
            check(index, .consent, now: now)
            if pairs[index].unanswered == 3 {
                isChanged = true
                if pairs[index].id == selectedPair {
                    retryOthers(than: index)
                    askRelay(of: index, now: now)
                }
            }
        }
        guard isChanged else { return }
        reselect(now: now)
        // After a restart the new pairs are given their time.
        if lostSelected, selected == nil, connectDeadline == nil { tell(.consentLost) }
    }

    private func isSpare(_ index: Int) -> Bool {
        let better = pairs.count {
            $0.isUsable && $0.id != selectedPair && $0.priority(role) > pairs[index].priority(role)
        }
        return better < Self.maximumSpares
    }

    /// The pair in use has fallen silent: a server that was started anew has no allocation any more, and says so. One that does not
    /// answer is waited for as long as the peer.
    private func askRelay(of index: Int, now: HostTime) {
        guard case .relay(let relay) = pairs[index].path else { return }
        relays[relay].refresh(now: now)
        flush(relay)
    }

    /// The pair in use has fallen silent: whatever failed before may work by now.
    private func retryOthers(than index: Int) {
        for other in pairs.indices where other != index && pairs[other].state == .failed && !pairs[other].isConsentLost {
            pairs[other].state = .waiting
        }
        for other in pairs.indices where other != index && pairs[other].isUsable { pairs[other].nextConsent = .zero }
    }
}
