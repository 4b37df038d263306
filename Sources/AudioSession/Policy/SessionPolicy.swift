/// All decisions of an active session: what the server said and what the program wants go in, actions come out.
///
/// No thread, clock, socket or file: whoever owns it carries the actions out in order.
package struct SessionPolicy: Sendable {
    package private(set) var settings: SessionSettings
    package private(set) var route = SessionRoute()
    /// Every port there is, whichever is in use; monitors of outputs are no ports unless somebody listens to them.
    package var ports: [AudioPort] { known.filter { !monitors.contains($0.id) } }
    /// By the program, or by another session.
    package var isInterrupted: Bool { isInterruptedByProgram || interrupter != nil }
    /// Whether the server has been seen and not lost since.
    package private(set) var hasServer = false
    package private(set) var canOverride = false

    private var snapshot: ServerSnapshot?
    private var held: Set<UInt32> = []
    private var known: [AudioPort] = []
    private var monitors: Set<String> = []
    private var routing = RoutePlan()
    private var ducking: DuckingPlan
    /// Whether others are still lowered by us, as after an end without a server.
    package var hasLowered: Bool { ducking.hasLeft }
    private var hasEnded = false
    private var mutedByUs: Set<UInt32> = []
    private var silence: OutputSilence?
    private var isInterruptedByProgram = false
    /// The process whose session wants no other beside it.
    private var interrupter: Int?
    /// What the next change of route is put down to.
    private var pendingReason: RouteChangeReason? = .categoryChange
    private var arrived: Set<String> = []

    /// - Parameter orphans: what earlier sessions left lowered when they were killed.
    package init(_ settings: SessionSettings, orphans: [DuckRecord] = []) {
        self.settings = settings
        ducking = DuckingPlan(orphans: orphans)
    }

    /// The program wants something else.
    package mutating func change(_ settings: SessionSettings) -> [SessionAction] {
        let former = self.settings
        if settings.effect != former.effect {
            pendingReason = .categoryChange
        } else if settings.preferredOutput != former.preferredOutput || settings.preferredInput != former.preferredInput
            || settings.overridesToSpeaker != former.overridesToSpeaker
        {
            pendingReason = .override
        }
        self.settings = settings
        return decide()
    }

    /// The server told how things are.
    /// - Parameter held: streams that other living sessions have lowered.
    package mutating func take(_ snapshot: ServerSnapshot, held: Set<UInt32> = []) -> [SessionAction] {
        guard !hasEnded else { return [] }
        self.held = held
        var actions: [SessionAction] = []
        if !hasServer {
            hasServer = true
            if self.snapshot != nil {
                pendingReason = .wake
                actions = [.tell(.serverBack), .retryDevices]
            }
        }
        let isFirst = self.snapshot == nil
        self.snapshot = snapshot
        actions += comparePorts(isFirst: isFirst)
        return actions + decide()
    }

    package mutating func loseServer(reason: String) -> [SessionAction] {
        guard hasServer else { return [] }
        hasServer = false
        return [.tell(.serverLost(reason: reason))]
    }

    /// Puts back what was changed for others. What the server tells afterwards changes nothing: it may come while the last
    /// actions are under way.
    package mutating func end() -> [SessionAction] {
        guard !hasEnded else { return [] }
        hasEnded = true
        guard let snapshot, hasServer else { return [] }
        let unmuted = mutedByUs.sorted().map { SessionAction.setMute(stream: $0, false) }
        mutedByUs = []
        return ducking.end(snapshot) + unmuted
    }

    /// The program has its units stop.
    package mutating func interrupt(_ cause: InterruptionCause) -> [SessionAction] {
        guard !isInterruptedByProgram else { return [] }
        let began = !isInterrupted
        isInterruptedByProgram = true
        return began ? tellInterrupted(cause) : []
    }

    /// The program's own is over; another session's lasts on.
    package mutating func endInterruption(shouldResume: Bool) -> [SessionAction] {
        guard isInterruptedByProgram else { return [] }
        isInterruptedByProgram = false
        return isInterrupted ? [] : tellResumed(shouldResume)
    }

    private mutating func tellInterrupted(_ cause: InterruptionCause) -> [SessionAction] {
        [.interrupt(cause), .tell(.interruptionBegan(cause))] + decide()
    }

    private mutating func tellResumed(_ shouldResume: Bool) -> [SessionAction] {
        decide() + [
            .endInterruption(shouldResume: shouldResume), .tell(.interruptionEnded(shouldResume: shouldResume)),
        ]
    }

    private mutating func decide() -> [SessionAction] {
        guard !hasEnded, let snapshot, hasServer else { return [] }
        let own = snapshot.clients.first { $0.index == snapshot.ownClient }
        let clients = Set(snapshot.clients.filter { own != nil && $0.process == own?.process }.map(\.index))
        let playing = snapshot.playing.filter { $0.client.map(clients.contains) ?? false }
        let recording = snapshot.recording.filter { $0.client.map(clients.contains) ?? false }
        canOverride = RoutePlan.hasSpeaker(snapshot)
        var actions = routing.update(snapshot, playing: playing, recording: recording, &settings)
        let isMoving = !actions.isEmpty
        let changes =
            obeySwitch(playing)
            + ducking.update(
                snapshot, victims: victims(snapshot, own: clients, playing), decibels: decibels, held: held)
        self.snapshot?.expect(changes)
        actions += changes
        actions += tellRoute(snapshot, playing, recording, isMoving: isMoving)
        actions += watchSilence(snapshot, playing)
        return actions + watchOthers(snapshot, own)
    }

    private var decibels: Double { settings.effect.others == .silenced ? -200 : settings.duckingDecibels }

    /// Other programs' streams on the devices we play to; calls and screen readers are spared.
    private func victims(
        _ snapshot: ServerSnapshot, own: Set<UInt32>, _ playing: [ServerStream]
    ) -> Set<UInt32>? {
        guard settings.effect.others != .mixed, !isInterrupted else { return nil }
        let devices = Set(playing.map(\.device))
        let sessions = Set(snapshot.clients.filter { !$0.session.isEmpty }.map(\.process))
        let spared = Set(snapshot.clients.filter { sessions.contains($0.process) }.map(\.index))
        return Set(
            snapshot.playing.filter { stream in
                // Streams without a client are the server's own: one of them may carry our sound.
                guard let client = stream.client, !own.contains(client), !spared.contains(client) else { return false }
                return devices.contains(stream.device) && stream.role != "phone" && stream.role != "a11y"
            }.map(\.index))
    }

    private mutating func obeySwitch(_ playing: [ServerStream]) -> [SessionAction] {
        let mute = settings.silentSwitch && settings.effect.obeysSilentSwitch
        mutedByUs.formIntersection(playing.map(\.index))
        var actions: [SessionAction] = []
        for stream in playing {
            if mute, !stream.isMuted, mutedByUs.insert(stream.index).inserted {
                actions.append(.setMute(stream: stream.index, true))
            } else if !mute, mutedByUs.remove(stream.index) != nil {
                actions.append(.setMute(stream: stream.index, false))
            }
        }
        return actions
    }

    private mutating func comparePorts(isFirst: Bool) -> [SessionAction] {
        guard let snapshot else { return [] }
        let now =
            snapshot.outputs.flatMap { PortClassification.ports(of: $0, .output) }
            + snapshot.inputs.flatMap { PortClassification.ports(of: $0, .input) }
        let before = known
        known = now
        monitors = Set(snapshot.inputs.filter(\.isMonitor).map(\.name))
        var events: [SessionEvent] = []
        var hasArrivals = false
        for port in now {
            let old = before.first { $0.id == port.id && $0.direction == port.direction }
            if old == nil && !isFirst {
                arrived.insert(port.id)
                hasArrivals = true
            }
            guard !monitors.contains(port.id) else { continue }
            if old == nil { events.append(.portAdded(port)) }
            if let old, old != port { events.append(.portChanged(port)) }
        }
        for port in before where !now.contains(where: { $0.id == port.id && $0.direction == port.direction }) {
            if !port.id.hasSuffix(".monitor") { events.append(.portRemoved(port)) }
        }
        return events.map { .tell($0) } + (hasArrivals ? [.retryDevices] : [])
    }

    /// - Parameter isMoving: the route is still to become what is wanted.
    private mutating func tellRoute(
        _ snapshot: ServerSnapshot, _ playing: [ServerStream], _ recording: [ServerStream], isMoving: Bool
    ) -> [SessionAction] {
        func inUse(
            _ streams: [ServerStream], _ devices: [ServerDevice], _ fallback: String, _ direction: AudioPort.Direction
        ) -> [AudioPort] {
            let used = devices.filter { device in streams.contains { $0.device == device.index } }
            // Before anything runs, the route is where it would go.
            let taken = used.isEmpty ? devices.filter { $0.name == fallback } : used
            return taken.compactMap { PortClassification.active($0, direction) }
        }
        let effect = settings.effect
        func wished(_ id: String?, or fallback: String) -> String {
            id.map { String($0.prefix { $0 != "#" }) } ?? fallback
        }
        let current = SessionRoute(
            inputs: effect.input
                ? inUse(recording, snapshot.inputs, wished(settings.preferredInput, or: snapshot.defaultInput), .input) : [],
            outputs: effect.output
                ? inUse(playing, snapshot.outputs, wished(settings.preferredOutput, or: snapshot.defaultOutput), .output)
                : [])
        guard current != route else {
            // What was wanted changes no route: a later change has another reason.
            if !isMoving { pendingReason = nil }
            return []
        }
        let change = RouteChange(reason: reason(of: current, effect), previous: route, current: current)
        (route, pendingReason, arrived) = (current, nil, [])
        return [.tell(.routeChanged(change))]
    }

    private func reason(of current: SessionRoute, _ effect: CategoryEffect) -> RouteChangeReason {
        let (old, new) = (route.inputs + route.outputs, current.inputs + current.outputs)
        if effect.output && current.outputs.isEmpty || effect.input && current.inputs.isEmpty { return .noSuitableRoute }
        // No setting takes a port away; a server that is back may lack it.
        let isGone = old.contains { port in !known.contains { $0.id == port.id } }
        if isGone, pendingReason != .wake { return .oldDeviceGone }
        if let pendingReason { return pendingReason }
        if old.map(\.id) == new.map(\.id) { return .configurationChange }
        return new.contains { arrived.contains($0.id) } ? .newDevice : .override
    }

    private mutating func watchSilence(_ snapshot: ServerSnapshot, _ playing: [ServerStream]) -> [SessionAction] {
        guard let port = route.outputs.first else { return [] }
        var found: OutputSilence?
        // Nothing of ours plays: it is told where it would (an idle device is suspended by right).
        if playing.isEmpty, let device = snapshot.outputs.first(where: { PortClassification.active($0, .output) == port }) {
            found = device.isMuted ? .muted : device.isAtZero ? .zeroVolume : nil
        }
        for stream in playing {
            guard let device = snapshot.outputs.first(where: { $0.index == stream.device }) else { continue }
            if device.isSuspended { found = .suspended }
            if device.isAtZero || !stream.volumes.isEmpty && stream.volumes.allSatisfy({ $0 == 0 }) { found = .zeroVolume }
            if device.isMuted || stream.isMuted { found = .muted }
            if mutedByUs.contains(stream.index) { found = .silentSwitch }
        }
        guard found != silence else { return [] }
        silence = found
        return [.tell(found.map { .outputSilent($0, port: port) } ?? .outputAudible(port: port))]
    }

    /// A session that wants no other beside it interrupts those like it that were there before.
    private mutating func watchOthers(_ snapshot: ServerSnapshot, _ own: ServerClient?) -> [SessionAction] {
        guard let own else { return [] }
        let others =
            settings.effect.others == .silenced
            ? snapshot.clients.filter { $0.process != own.process && $0.index > own.index } : []
        let solo = OthersEffect.silenced.rawValue
        // Who is interrupted himself goes on before us.
        let isThere = others.contains { $0.pid == interrupter && [solo, Self.interruptedMark].contains($0.session) }
        if let newer = others.first(where: { $0.session == solo }) {
            let began = !isInterrupted
            if !isThere { interrupter = newer.pid }
            return began ? tellInterrupted(.otherSession(process: newer.pid)) : []
        }
        guard interrupter != nil, !isThere else { return [] }
        interrupter = nil
        return isInterrupted ? [] : tellResumed(true)
    }

    /// What other sessions see of one that is interrupted.
    package static let interruptedMark = "interrupted"
}
