import Realtime

/// Why a call is over.
public enum EndReason: String, Sendable, Codable {
    /// This side hung up.
    case localHangup = "local_hangup"
    /// The other side said BYE.
    case remoteHangup = "remote_hangup"
    /// Neither RTP nor RTCP came for the time-out, while not held.
    case mediaTimeout = "media_timeout"
    /// The duration asked for has passed.
    case duration
    /// Both sides send back what they hear.
    case echoLoop = "echo_loop"
    // What only signalling can tell:
    /// The other side is in another call.
    case busy
    /// The other side, or a server on the way, refused the call, or sent the caller elsewhere.
    case refused
    /// Nobody answered in time.
    case noAnswer = "no_answer"
    /// The caller gave up before the answer.
    case cancelled
    /// A password was wanted or wrong, or a certificate not the expected one.
    case authentication
    /// Another call took this one's place.
    case replaced
    /// No way to the other side, a server that fails, or a call that is no longer acknowledged.
    case network
}

/// Where a call stands: `connecting -> active <-> held -> ended`.
public enum CallState: Sendable, Equatable {
    /// Nothing has been heard of the other side yet.
    case connecting
    /// Media flows.
    case active
    /// This side sends nothing but RTCP and plays nothing.
    case held
    /// Over; nothing is sent or played any more.
    case ended(EndReason)

    /// Whether the call is over.
    public var isEnded: Bool {
        if case .ended = self { true } else { false }
    }
}

/// The call's state machine: pure, its time handed in.
public struct CallStateMachine: Sendable {
    /// What a transition asks its owner to do.
    public enum Action: Sendable, Equatable {
        case none
        /// The first media of the other side came.
        case mediaStarted
        /// The call is over.
        case end(EndReason)
    }

    /// The state now.
    public private(set) var state: CallState = .connecting
    private let timeoutMilliseconds: Double
    private let waitsForCaller: Bool
    private var lastHeard: HostTime
    private var mediaStarted = false

    /// - `timeoutMilliseconds`: silence on RTP and RTCP that ends the call; paused while held.
    /// - `waitsForCaller`: whoever listens waits for the first media without an end.
    public init(now: HostTime, timeoutMilliseconds: Double, waitsForCaller: Bool = false) {
        self.waitsForCaller = waitsForCaller
        lastHeard = now
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    /// A valid media packet came.
    public mutating func heardMedia(at now: HostTime) -> Action {
        lastHeard = max(lastHeard, now)
        guard !state.isEnded, !mediaStarted else { return .none }
        mediaStarted = true
        if state == .connecting { state = .active }
        return .mediaStarted
    }

    /// Whoever was heard is gone before the call had really begun: it waits as before.
    public mutating func lostMedia(at now: HostTime) {
        guard !state.isEnded else { return }
        mediaStarted = false
        if state == .active { state = .connecting }
        lastHeard = now
    }

    /// A valid RTCP packet came.
    public mutating func heardControl(at now: HostTime) {
        lastHeard = max(lastHeard, now)
    }

    /// Hold or resume; without effect on a call that is over.
    public mutating func setHeld(_ held: Bool, at now: HostTime) {
        guard !state.isEnded else { return }
        if held {
            state = .held
        } else if state == .held {
            state = mediaStarted ? .active : .connecting
            lastHeard = now
        }
    }

    /// Ends the call for `reason`; only the first reason counts.
    public mutating func end(_ reason: EndReason) -> Action {
        guard !state.isEnded else { return .none }
        state = .ended(reason)
        return .end(reason)
    }

    /// Time passes.
    public mutating func advance(to now: HostTime) -> Action {
        guard !state.isEnded, state != .held, mediaStarted || !waitsForCaller,
            now.milliseconds(since: lastHeard) >= timeoutMilliseconds
        else { return .none }
        return end(.mediaTimeout)
    }
}
