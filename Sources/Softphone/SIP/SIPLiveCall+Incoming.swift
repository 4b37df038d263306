import Realtime
import Reporting
import Signalling

/// A call that comes, up to our answer.
extension SIPLiveCall {
    func incoming(_ id: SignalledCallID, _ facts: CallerFacts) {
        guard self.id == nil, reason == nil, case .listen = request.purpose else { return phone.refuse(id, .busy) }
        // The caller need not wait for our ports to hear that it rings.
        signalling.ring(id, withMedia: false)
        guard openPorts() else { return phone.refuse(id, .busy) }
        self.id = id
        caller = facts
        start = HostTime.monotonicNow()
        pending.append(.callIncoming(from: facts.from, name: facts.name, to: facts.to, account: facts.account))
        if request.answersByItself {
            wantsAnswer = mayAnswer(facts)
            if wantsAnswer {
                media.standBy()
            } else {
                pending.append(
                    .warning("nobody answers this caller by itself: it does not call from this machine; name it with --allow"))
            }
        }
        open(media) { call, ports in call.prepare(id, facts, ports) }
    }

    private func prepare(_ id: SignalledCallID, _ facts: CallerFacts, _ ports: LocalPorts?) {
        guard let ports else { return signalling.reject(id, .busy) }
        guard reason == nil else { return }
        isPrepared = true
        signalling.prepare(id, media: ports)
        // Without an offer there is nothing to agree on before our answer makes one.
        if wantsAnswer, facts.offeredCodecs.isEmpty { sendAnswer(id) }
    }

    /// Who is answered without a person: the account's callers, who is allowed, and else this machine.
    private func mayAnswer(_ facts: CallerFacts) -> Bool {
        facts.isFromAccountServer || !request.media.allow.isEmpty || facts.source?.address.isLoopback == true
    }

    func answer(through bridge: CallBridge?) {
        guard let id, caller != nil, !isAnswered, !wantsAnswer else { return }
        wantsAnswer = true
        if let bridge { media.bridge = bridge }
        tone = nil
        if agreement != nil { answerNow(id) } else if isPrepared { sendAnswer(id) }
    }

    /// The device runs before the caller hears of the answer, so that nothing is cut off.
    func answerNow(_ id: SignalledCallID) {
        startMedia()
        guard reason == nil, failure == nil, !hasSentAnswer else { return }
        answerDue = .monotonicNow()
        if media.hasHardware { answerDue = answerDue?.advanced(byMilliseconds: Self.deviceMilliseconds) }
        answerWhenDue()
    }

    /// A device that has said nothing for so long is waited for no longer, ms: the caller waits too, but what he does not hear is lost.
    private static let deviceMilliseconds = 400.0

    func answerWhenDue() {
        guard let id, let due = answerDue, voiceStart != nil || .monotonicNow() >= due else { return }
        answerDue = nil
        answeredAt = .monotonicNow()
        sendAnswer(id)
    }

    private func sendAnswer(_ id: SignalledCallID) {
        hasSentAnswer = true
        signalling.answer(id)
    }
}
