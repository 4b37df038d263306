import LiveMedia
import Realtime
import Signalling

/// Hands what signalling tells to the calls that it is about; the rest goes to the desk.
final class Switchboard: Sendable {
    typealias Events = Mailbox<CallSignallingEvent>

    /// Registrations, warnings, calls that come, and all that is told of calls without a line of their own.
    let desk: Events
    private let lines = Lock<[SignalledCallID: Events]>([:])

    init() throws(RealtimeError) { desk = try Events() }

    /// Never waits; called on signalling's own thread.
    func post(_ event: CallSignallingEvent) {
        guard let id = event.call else { return desk.post(event) }
        if told(event, of: event.following ?? id) { return }
        // A call that comes has a line at once, so that nothing told of it is missed.
        if case .incoming = event, let line = try? Events() {
            line.post(event)
            lines.withLock { $0[id] = line }
            return desk.post(event)
        }
        (line(id) ?? desk).post(event)
    }

    /// Begins a call whose events go to `events`, the first one too.
    func connect(to events: Events, _ begin: () -> SignalledCallID) -> SignalledCallID {
        return lines.withLock { lines in
            let id = begin()
            lines[id] = events
            return id
        }
    }

    /// The line that a call has; `nil`: none, or no more.
    func line(_ call: SignalledCallID) -> Events? { lines.withLock { $0[call] } }

    /// What takes a call's place is told where that call is. Once that is disconnected nothing more comes there.
    /// - Returns: false where there is no such call.
    private func told(_ event: CallSignallingEvent, of following: SignalledCallID) -> Bool {
        lines.withLock { lines in
            guard let former = event.formerCall, let line = lines[former] else { return false }
            lines[following] = line
            line.post(event)
            return true
        }
    }

    func disconnect(_ call: SignalledCallID) { lines.withLock { _ = $0.removeValue(forKey: call) } }
}

extension CallSignallingEvent {
    /// The call it is about; `nil`: none.
    var call: SignalledCallID? {
        switch self {
        case .registration, .message, .messageSent, .messagesWaiting: nil
        case .incoming(let id, _), .progress(let id, _), .negotiated(let id, _), .answered(let id, _, _), .held(let id, _, _),
            .transferRequested(let id, _), .transferProgress(let id, _, _), .followed(let id, _),
            .digit(let id, _), .dialog(let id, _), .textAnswered(let id, _, _, _), .requestRefused(let id, _, _),
            .ended(let id, _):
            id
        case .warning(let id, _): id
        }
    }

    /// The call whose place another one takes or may take; `nil`: the event is of no such thing.
    fileprivate var formerCall: SignalledCallID? {
        switch self {
        case .incoming(_, let facts): facts.replaces
        case .followed(let id, _): id
        default: nil
        }
    }

    /// The call that follows.
    fileprivate var following: SignalledCallID? { if case .followed(_, let next) = self { next } else { nil } }
}
