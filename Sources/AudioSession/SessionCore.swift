import AudioUnits
import Realtime

/// What an `AudioSession` is inside: the decisions, and everything that carries them out.
///
/// One lock guards the decisions; what they ask of the server is queued under it, so that it happens in that order.
/// Events are told, and units stopped and started, outside of it.
final class SessionCore: Sendable {
    struct State {
        var settings = SessionSettings()
        /// Wishes, for the units that are attached.
        var sampleRate: Double?
        var bufferDuration: Double?
        var policy: SessionPolicy?
        var store: DuckingStore?
        var link: PulseLink?
        /// Why there is no server; `nil` while one is there or has not been looked for.
        var absence: String?
        var units: [AttachedUnit] = []
        var handler: (@Sendable (SessionEvent) -> Void)?
        var ready: EventSignal?
    }

    let state = Lock(State())

    /// Lets the policy decide, and does it.
    func decide(_ body: (inout SessionPolicy) -> [SessionAction]) {
        finish(state.withLock { Self.decide(&$0, body) })
    }

    /// Changes what the settings are by then, whoever else has changed them, and does what follows.
    func change(_ body: (inout SessionSettings) -> Void) {
        let rest = state.withLock { state -> [SessionAction] in
            body(&state.settings)
            for unit in state.units { unit.usesChannelMap = state.settings.effect.severalOutputs }
            let settings = state.settings
            return Self.decide(&state) { $0.change(settings) }
        }
        finish(rest)
    }

    private static func decide(
        _ state: inout State, _ body: (inout SessionPolicy) -> [SessionAction]
    ) -> [SessionAction] {
        guard var policy = state.policy else { return [] }
        let actions = body(&policy)
        state.policy = policy
        state.settings = policy.settings
        return carryOut(actions, &state)
    }

    /// The disk and the server; what is left is for outside of the lock.
    private static func carryOut(_ actions: [SessionAction], _ state: inout State) -> [SessionAction] {
        var orders: [SessionAction] = []
        var rest: [SessionAction] = []
        for action in actions {
            switch action {
            case .save(let records): state.store?.save(records)
            case .tell, .interrupt, .endInterruption, .retryDevices: rest.append(action)
            default: orders.append(action)
            }
        }
        state.link?.send(orders, mark: Self.mark(state))
        return rest
    }

    /// What other sessions are told of us.
    static func mark(_ state: borrowing State) -> String {
        state.policy?.isInterrupted == true ? SessionPolicy.interruptedMark : state.settings.effect.others.rawValue
    }

    private func finish(_ actions: [SessionAction]) {
        guard !actions.isEmpty else { return }
        let (units, handler) = state.withLock { ($0.units, $0.handler) }
        for action in actions {
            switch action {
            case .interrupt: for unit in units { unit.interrupt() }
            case .endInterruption(let resumes): for unit in units { unit.endInterruption(resumes: resumes) }
            case .retryDevices: for unit in units { unit.unit?.device.routeChanged() }
            case .tell(let event):
                if case .routeChanged = event { for unit in units { unit.unit?.device.routeChanged() } }
                handler?(event)
            default: break
            }
        }
    }

    /// Link thread: how things are.
    func take(_ snapshot: ServerSnapshot) -> Bool {
        let held = state.withLock { $0.store?.held(cookie: snapshot.cookie) ?? [] }
        decide { $0.take(snapshot, held: held) }
        state.withLock { state in
            state.absence = nil
            state.ready?.signal()
        }
        return !held.isEmpty
    }

    /// Link thread: the server is gone, or was never there.
    func lose(_ reason: String) {
        decide { $0.loseServer(reason: reason) }
        state.withLock { state in
            state.absence = reason
            state.ready?.signal()
        }
    }
}

/// A unit that belongs to the session, as long as somebody else keeps it.
final class AttachedUnit: Sendable {
    private struct Hold {
        weak var unit: (any InputOutputUnit)?
        var ranBefore = false
    }

    private let hold: Lock<Hold>

    init(_ unit: any InputOutputUnit) { hold = Lock(Hold(unit: unit)) }

    var unit: (any InputOutputUnit)? { hold.withLock { $0.unit } }

    /// Whether its channel map counts; units without one have none to count.
    var usesChannelMap: Bool {
        get { (unit as? RemoteIO)?.usesChannelMap ?? false }
        set { (unit as? RemoteIO)?.usesChannelMap = newValue }
    }

    /// Stops it, and remembers whether it ran.
    func interrupt() {
        guard let unit else { return }
        let ran = unit.state == .running
        hold.withLock { $0.ranBefore = ran }
        unit.stop()
    }

    /// Starts it again if it ran; a device that does not open now is the unit's next `start`'s concern.
    func endInterruption(resumes: Bool) {
        let (unit, ran) = hold.withLock { hold in
            defer { hold.ranBefore = false }
            return (hold.unit, hold.ranBefore)
        }
        if resumes, ran { try? unit?.start() }
    }
}
