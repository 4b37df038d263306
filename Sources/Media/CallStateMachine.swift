import Link
import Realtime

/// The call's state machine: pure, its time handed in.
///
/// How far the call has come (`phase`) and which way its media go are apart: a call is held in either direction without
/// having forgotten where it was.
public struct CallStateMachine: Sendable {
    /// What a transition asks its owner to do.
    public enum Action: Sendable, Equatable {
        case none
        /// The first media of the other side came.
        case mediaStarted
        /// The call is over.
        case end(EndReason)
    }

    private enum Phase { case connecting, ringing, earlyMedia, active }

    private let policy: CallPolicy
    private var phase = Phase.connecting
    private var reason: EndReason?
    private var wish = MediaDirection.sendReceive
    private var other = MediaDirection.sendReceive
    private var lastHeard: HostTime
    private var mediaStarted = false

    /// A call that begins and ends as `policy` says.
    public init(now: HostTime, policy: CallPolicy) {
        self.policy = policy
        lastHeard = now
    }

    /// The state now.
    public var state: CallState {
        if let reason { return .ended(reason) }
        switch phase {
        case .ringing: return .ringing
        case .earlyMedia: return .earlyMedia
        case .connecting, .active:
            if let holder { return .held(by: holder) }
            return phase == .active ? .active : .connecting
        }
    }

    private var holder: Holder? {
        switch (wish.receives, other.receives) {
        case (true, true): nil
        case (false, true): .us
        case (true, false): .peer
        case (false, false): .both
        }
    }

    /// Which way media go now, seen from this side.
    public var direction: MediaDirection {
        guard reason == nil, isOpen else { return .inactive }
        return wish.agreed(with: other)
    }

    /// Where the call is signalled, neither our microphone nor the other side's is anybody's before it was answered.
    private var isOpen: Bool { policy.beginning == .firstMedia || phase == .earlyMedia || phase == .active }

    /// Whether the call has begun.
    public var hasBegun: Bool { phase == .active }

    // MARK: - What is heard

    /// A valid media packet came.
    public mutating func heardMedia(at now: HostTime) -> Action {
        lastHeard = max(lastHeard, now)
        guard reason == nil, !mediaStarted else { return .none }
        mediaStarted = true
        if policy.beginning == .firstMedia { phase = .active }
        return .mediaStarted
    }

    /// Whoever was heard is gone before the call had really begun: it waits as before.
    public mutating func lostMedia(at now: HostTime) {
        guard reason == nil else { return }
        mediaStarted = false
        if policy.beginning == .firstMedia { phase = .connecting }
        lastHeard = now
    }

    /// A valid RTCP packet came.
    public mutating func heardControl(at now: HostTime) {
        lastHeard = max(lastHeard, now)
    }

    // MARK: - What is wanted and told

    /// Which way our media are to go; without effect on a call that is over.
    public mutating func setWish(_ direction: MediaDirection, at now: HostTime) {
        change(at: now) { $0.wish = direction }
    }

    /// What signalling tells; of what is too late or does not concern this call nothing comes.
    public mutating func take(_ signal: CallSignal, at now: HostTime) -> Action {
        switch signal {
        case .ended(let reason): return end(reason)
        case .direction(let direction): change(at: now) { $0.other = direction }
        case .ringing: advance(to: .ringing, from: [.connecting], at: now)
        case .earlyMedia: advance(to: .earlyMedia, from: [.connecting, .ringing], at: now)
        case .answered: advance(to: .active, from: [.connecting, .ringing, .earlyMedia], at: now)
        }
        return .none
    }

    private mutating func advance(to next: Phase, from phases: [Phase], at now: HostTime) {
        guard policy.beginning == .answer, phases.contains(phase) else { return }
        change(at: now) { $0.phase = next }
    }

    /// Where something is to be expected only from now on, the time-out counts from now on.
    private mutating func change(at now: HostTime, _ body: (inout Self) -> Void) {
        guard reason == nil else { return }
        let expected = isExpectingMedia
        body(&self)
        if isExpectingMedia, !expected { lastHeard = max(lastHeard, now) }
    }

    /// Ends the call for `reason`; only the first reason counts.
    public mutating func end(_ reason: EndReason) -> Action {
        guard self.reason == nil else { return .none }
        self.reason = reason
        return .end(reason)
    }

    // MARK: - Time

    /// Whether it was agreed that the other side sends: who holds us may send music, or nothing.
    public var expectsMedia: Bool { direction.receives && other.receives }

    /// Whether the other side's silence means anything.
    private var isExpectingMedia: Bool {
        guard expectsMedia else { return false }
        return switch policy.beginning {
        case .firstMedia: mediaStarted || !policy.waitsForCaller
        case .answer: phase == .active
        }
    }

    /// Time passes.
    public mutating func advance(to now: HostTime) -> Action {
        guard reason == nil, isExpectingMedia,
            now.milliseconds(since: lastHeard) >= policy.mediaTimeoutMilliseconds
        else { return .none }
        return end(.mediaTimeout)
    }
}
