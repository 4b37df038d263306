import AudioUnits
import LiveMedia
import Media
import Realtime
import Reporting

extension EventBody {
    /// What a live call told, as the events that are printed.
    /// - Parameters:
    ///   - device: the one it told of.
    ///   - remote: the other side's address, as last learnt.
    ///   - start: when the call began.
    ///   - mediaStart: when its media began; `nil` before.
    package static func of(
        _ event: LiveCallEvent, device: any HardwareDevice, remote: String, start: HostTime, mediaStart: HostTime?
    ) -> [EventBody] {
        switch event {
        case .call(let event):
            [EventBody(event, remote: remote, start: start, mediaStart: mediaStart)]
        case .madeRoom(let reason, _):
            [EventBody(.ended(reason), remote: remote, start: start, mediaStart: mediaStart)]
        case .voiceStarted: []
        case .echoState(let figures): [.echoState(figures)]
        case .warning(let message): [.warning(message)]
        case .device(let event): [EventBody(event, of: device)]
        case .session(let event): EventBody.of(event)
        }
    }

    /// What happened to a call's media, as the event that is printed.
    /// - Parameters:
    ///   - event: what happened.
    ///   - remote: the other side's address, as last learnt.
    ///   - start: when the call began.
    ///   - mediaStart: when its media began; `nil` before.
    package init(_ event: CallEvent, remote: String, start: HostTime, mediaStart: HostTime?) {
        let now = HostTime.monotonicNow()
        self =
            switch event {
            case .mediaStarted: .mediaStarted(remote: remote, afterMilliseconds: now.milliseconds(since: start))
            case .sourceChanged(let from, let to): .ssrcChanged(from: from, to: to)
            case .remoteMoved(let from, let to): .remoteChanged(from: "\(from)", to: "\(to)")
            case .remoteLost(let address): .remoteChanged(from: "\(address)", to: nil)
            case .bufferReset(let reason):
                .told(EventForm("buffer_reset", [.text("reason", reason)], "jitter buffer began anew: \(reason)"))
            case .formatFollowed(let format):
                .codecChanged(codec: format.codec.name, payloadType: Int(format.payloadType))
            case .formatRefused(let reason): .warning("the codec stays: \(reason)")
            case .digitReceived(let digit, _): .dtmf(digit: String(digit), direction: .received)
            case .secured(let suite, let fingerprint):
                .secured(suite: suite, kind: "dtls_srtp", fingerprint: fingerprint)
            case .notSecured(let reason, _): .warning("no encrypted call: \(reason)")
            case .ended(let reason):
                .callEnded(
                    reason: reason.rawValue, durationSeconds: mediaStart.map { now.milliseconds(since: $0) / 1000 },
                    explanation: reason.explanation(
                        of: remote.isEmpty ? "the other side" : remote, wasHeard: mediaStart != nil))
            }
    }
}
