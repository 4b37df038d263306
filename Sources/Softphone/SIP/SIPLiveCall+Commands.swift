import Glibc
import Media
import Realtime
import Reporting
import Signalling

/// What a person does in a call, up to its end.
extension SIPLiveCall {
    func setMuted(_ muted: Bool) { media.setMuted(muted) }

    func setVolume(decibels: Int) { media.setVolume(decibels: decibels) }

    /// Who has not agreed to keys in the media is told by INFO.
    func send(digit: Character) {
        guard let id, isAnswered, let agreement, agreement.telephoneEvents == nil else { return media.send(digit: digit) }
        signalling.send(digit: digit, in: id)
    }

    /// Those that were asked for with the call, to whom it was made; where the media take keys they are sent there.
    func sendFirstDigits() {
        guard party == nil, agreement?.telephoneEvents == nil else { return }
        for digit in request.media.digits { send(digit: digit) }
    }

    /// Declines who rings, unless it is the duration that has passed.
    func hangUp(byDuration: Bool) {
        let cause: Media.EndReason = byDuration ? .durationPassed(isAnswered: caller != nil || isAnswered) : .localHangup
        end(cause, refusing: byDuration ? .unavailable : .declined)
    }

    /// Nobody has declined who rings: by a 603 a proxy would stop all telephones of the person's (RFC 3261 section 16.7).
    func leave() { end(.localHangup, refusing: .unavailable) }

    private func end(_ cause: Media.EndReason, refusing refusal: CallRefusal) {
        wish = wish ?? cause
        guard let id else { return settle(wish ?? .localHangup) }
        let isRefused = caller != nil && !isAnswered && !wantsAnswer
        if isRefused { signalling.reject(id, phone.refusal(refusal)) } else { signalling.hangUp(id) }
    }

    /// Stops threads and devices and closes files.
    /// - Returns: nil where there was no call.
    func close() -> CallReport? {
        // Who is told that it is busy hears it.
        while reason == .busy, let tone, !tone.isOver { usleep(20_000) }
        tone = nil
        if let id { drop(id) }
        settle(wish ?? .localHangup)
        dropUnseen()
        guard wasCall else { return nil }
        guard var final = whole(media.close()) else { return report }
        (final.sipCode, final.reason) = (report.sipCode, report.reason)
        final.requested["srtp"] = request.effectiveEncryption.rawValue
        final.effective["srtp"] = media.running?.encryption?.kind ?? "none"
        final.postDialMilliseconds = report.postDialMilliseconds
        final.setupMilliseconds = report.setupMilliseconds
        final.clippedAtAnswerMilliseconds = clippedAtAnswer
        final.party = remoteURI
        return final
    }

    /// What was said before the microphone ran, ms; nil: nobody answered, or nothing was sent. What comes before the loudspeaker
    /// runs waits in the jitter buffer.
    private var clippedAtAnswer: Double? {
        guard let answeredAt, let voiceStart else { return nil }
        return max(0, voiceStart.captured.milliseconds(since: answeredAt))
    }
}
