import AudioUnits
import Link
import Media
import Metrics
import Network
import RTP
import Realtime

/// The live edge of a `MediaLoop`, without the wait: each turn takes what has come, does what was asked, steps the loop, and tells
/// what happened. Who has a device has a thread that has the turns when the device asks for them (`MediaThread`); who has none shares
/// one with others (`SessionLoop`).
final class SessionTurns {
    /// Milliseconds between two snapshots of the statistics.
    static let snapshotMilliseconds = 200.0

    private let loop: MediaLoop
    private let endpoint: AudioEndpoint
    private let door: SessionDoor
    private var legs: [CallLeg]
    private var usage = ProcessUsage()
    private var echoChange = EchoChange()
    private var echoWarnings = EchoWarnings()
    private var nextSnapshot = HostTime.zero
    /// Complexity that no encoder of a call that comes exceeds, 0...10.
    private var complexityOfNew = 10

    /// - Parameters:
    ///   - loop: what is stepped.
    ///   - endpoint: its device.
    ///   - legs: the calls that are there from the beginning.
    ///   - door: by which parties come while it runs.
    init(loop: MediaLoop, endpoint: AudioEndpoint, legs: [CallLeg], door: SessionDoor) {
        self.endpoint = endpoint
        self.door = door
        self.loop = loop
        self.legs = legs
    }

    /// Whether every call is over and no more may come.
    var isOver: Bool { !legs.contains { !$0.call.state.isEnded } && door.isDone }

    /// Whether somebody asks for a turn: a command waits, or a party.
    var isAsked: Bool { door.hasArrivals || legs.contains { $0.channel.hasCommands } }

    /// When a turn is due though the device asks for none; nil: there is no such time.
    var nextDeadline: HostTime? { loop.nextDeadline }

    /// Where packets come that are not to wait for the next turn: those of a handshake; empty: there is none.
    var handshakeDescriptors: [Int32] {
        legs.contains { $0.link.wantsWakeup } ? legs.map(\.socket.mediaDescriptor) : []
    }

    /// Encoders work no more than that from now on, 0...10.
    /// - Parameters:
    ///   - running: those of the calls there are.
    ///   - new: those of calls that come.
    func limitComplexity(ofRunning running: Int, ofNew new: Int) {
        complexityOfNew = new
        for leg in legs { leg.call.limitComplexity(to: running) }
    }

    /// What the work takes is measured from now on.
    func measure(by watch: StageWatch) { loop.watch = watch }

    /// The last figures.
    func finish() { publish(at: .monotonicNow()) }

    /// Takes what has come, and does what is due.
    func turn() {
        let now = HostTime.monotonicNow()
        for leg in door.takeArrivals() { add(leg) }
        loop.receive(now: now)
        let ntp = NTPTime.now()
        for leg in legs {
            for command in leg.channel.takeCommands() { perform(command, of: leg, now: now, ntp: ntp) }
        }
        loop.step(now: now, ntp: ntp)
        for leg in legs {
            for event in leg.call.takeEvents() {
                // Who waited to be called has a call from now on.
                if case .mediaStarted = event, leg.call.configuration.policy.waitsForCaller { leg.before = counts }
                switch event {
                case .mediaStarted, .remoteMoved, .remoteLost: leg.channel.setRemote(leg.link.peer?.media)
                case .ended(let reason) where leg.takesNext:
                    makeRoom(at: leg, reason, now: now)
                    continue
                // Whoever hears of the end finds the last figures.
                case .ended: publish(leg, isFirst: false, at: now)
                default: break
                }
                leg.channel.events.post(.call(event))
            }
        }
        for leg in legs where !leg.hasToldStart {
            guard let start = leg.call.voiceStart, loop.isBridge || loop.playoutStart != nil else { continue }
            leg.hasToldStart = true
            leg.channel.events.post(.voiceStarted(captured: start, playing: loop.playoutStart))
        }
        if door.staysOpen { letGo() }
        if now >= nextSnapshot { publish(at: now) }
    }

    /// There is room: the door has counted.
    private func add(_ leg: CallLeg) {
        do {
            try loop.add(leg.call)
            leg.before = counts
            leg.call.limitComplexity(to: complexityOfNew)
            legs.append(leg)
        } catch {
            door.leave()
            leg.channel.events.post(.warning("the party cannot join: \(error)"))
            leg.channel.events.post(.call(.ended(.localHangup)))
            leg.channel.noteReleased()
        }
    }

    /// Parties whose calls are over leave, and with them their links and sockets.
    private func letGo() {
        for leg in legs where leg.call.state.isEnded {
            loop.remove(leg.call)
            door.leave()
        }
        let left = legs.filter(\.call.state.isEnded).map(\.channel)
        guard !left.isEmpty else { return }
        legs.removeAll { $0.call.state.isEnded }
        for channel in left { channel.noteReleased() }
    }

    /// Tells that a call is over, and lets the next caller have its place.
    private func makeRoom(at leg: CallLeg, _ reason: EndReason, now: HostTime) {
        leg.channel.events.post(.madeRoom(reason, figures(of: leg, at: now)))
        let former = leg.call
        do {
            try leg.renew(now: now)
            leg.before = counts
            leg.call.limitComplexity(to: complexityOfNew)
            try loop.replace(former, by: leg.call)
        } catch {
            leg.channel.events.post(.warning("no place for the next caller: \(error)"))
            leg.channel.events.post(.call(.ended(reason)))
        }
    }

    /// Whoever mutes a conference silences the own microphone, not the other parties.
    private func perform(_ command: CallCommand, of leg: CallLeg, now: HostTime, ntp: NTPTime) {
        if case .mute(let muted) = command, loop.isConference, !loop.isBridge {
            loop.isMicrophoneMuted = muted
        } else {
            if case .hangUp = command { leg.takesNext = false }
            leg.call.perform(command, now: now, ntp: ntp)
        }
    }

    private func publish(at now: HostTime) {
        nextSnapshot = now.advanced(byMilliseconds: Self.snapshotMilliseconds)
        for (index, leg) in legs.enumerated() { publish(leg, isFirst: index == 0, at: now) }
    }

    /// What concerns the device is told once, with the first call.
    private func publish(_ leg: CallLeg, isFirst: Bool, at now: HostTime) {
        let figures = figures(of: leg, at: now)
        if isFirst {
            if let change = echoChange.observe(figures.echo) { leg.channel.events.post(.echoState(change)) }
            for warning in echoWarnings.observe(figures.echo) { leg.channel.events.post(.warning(warning)) }
        }
        leg.channel.publish(figures, network: leg.link.statistics)
    }

    /// What the device has counted till now.
    private var counts: DeviceCounts { DeviceCounts(loop, endpoint.unit.device.status) }

    private func figures(of leg: CallLeg, at now: HostTime) -> CallStatistics {
        var figures = leg.call.statistics
        let network = leg.link.statistics
        for reason in LinkDropReason.allCases where network[reason] > 0 {
            figures.drops[reason.rawValue] = network[reason]
            figures.packetsDiscarded = (figures.packetsDiscarded ?? 0) + network[reason]
        }
        figures.fillLink(from: network)
        figures.fill(from: endpoint.unit)
        figures.fillRenderTurns(from: endpoint.unit)
        (figures.playoutGaps, figures.playoutGapMilliseconds) = (loop.playoutGaps, loop.playoutGapMilliseconds)
        leg.before.leave(&figures)
        figures.bookPlayoutGaps()
        usage.fill(&figures, now: now)
        return figures
    }
}
