import Codecs
import Link
import Media
import Metrics
import RTP
import Realtime

/// The calls of one loop of a port, without a device: whose packet has come, and whose turn it is.
///
/// ```
/// PacketPort -> CallRoom (whose packet is it?) -> Call -> jitter buffer
/// TickWheel (whose turn is it?) -> Call: hear a frame, say a frame -> PacketPort
/// ```
/// In its steady state it allocates nothing a packet; what a call needs is made when it comes and given back when it goes. It
/// waits for nothing: port and clock are whoever's who steps it.
package struct PortTurns: ~Copyable {
    /// Places of conferences in the wheel lie below this, where all who hear each other have their turn together.
    static let firstRoom = -1
    /// Those who hear each other at most; who comes then is in another conference.
    package static let roomSize = 100
    /// Those who are let in in one turn: what they cost at their beginning is not to keep the others waiting.
    private static let joinsOfTurn = 40

    /// A call's second packet has just come, and the first waits since a packet time before: it is heard in the next turn, and then turns
    /// move to where the jitter buffer asks for them (`TurnPhase`).
    static let slotsBehindPackets = 0

    /// A turn that takes more packets than so many for each call, and these besides, is one of a flood.
    private static let (usualPackets, usualStrangers) = (4, 32)

    let plan: PortPlan
    let port: any PacketPort
    let control: PortControl
    /// Which of the port's loops it is.
    private let index: Int
    let recordings: PortRecordings?
    var room: CallRoom
    var wheel: TickWheel
    var load = LoopLoad()
    /// Those who may still be let in in this turn, and what those who were have cost, in milliseconds.
    var joinsLeft = 0
    var joining = 0.0
    /// More has come than the calls send.
    private var isFlooded = false
    private var usage = ThreadUsage()
    private var stages = StageMeter()
    private var stagesSince: HostTime?
    let memory = MemoryHeadroom()
    /// Looked at once a second, and after each new call.
    var isMemoryShort = false
    var calls: [PortCall?] = []
    /// Seats of callers who were hung up on: they keep them while they go on sending, or they would call again.
    var lingering: [Int] = []
    var goodbyes: PortGoodbyes
    /// Conferences that there are; one that nobody is in any more makes room for another.
    var rooms: [PortRoom?] = []
    private var frame: [Float] = []
    /// Encodes silence for all who are said nothing else.
    private let silence = ConferenceEncoders()
    let clock: PortClock
    private var nextSecond = HostTime.zero
    var figures = PortFigures()

    /// - Parameters:
    ///   - plan: what its calls are like.
    ///   - port: where their packets come and go.
    ///   - control: what goes between it and the rest of the program.
    ///   - index: which of the port's loops it is.
    ///   - recordings: where calls are recorded; nil: nowhere.
    ///   - clock: the time.
    init(
        _ plan: PortPlan, port: any PacketPort, control: PortControl, index: Int, recordings: PortRecordings?,
        clock: PortClock = .system
    ) {
        self.index = index
        goodbyes = PortGoodbyes(seed: plan.configuration.seed)
        self.plan = plan
        self.port = port
        self.control = control
        self.recordings = recordings
        self.clock = clock
        room = CallRoom(
            limits: .init(calls: plan.parties), allow: plan.allow,
            payloadTypes: plan.configuration.stream.expectedPayloadTypes)
        wheel = TickWheel(start: clock.now())
    }

    /// The calls of a port by themselves, in a time that is given: without a thread, so that who records calls `writeRecordings`.
    /// - Parameters:
    ///   - plan: what they are like.
    ///   - port: where their packets come and go.
    ///   - clock: the time.
    /// - Throws: where the system has no descriptor left.
    package init(_ plan: PortPlan, port: any PacketPort, clock: PortClock) throws(RealtimeError) {
        try self.init(
            plan, port: port, control: PortControl(loops: 1), index: 0, recordings: PortRecordings(plan), clock: clock)
    }

    /// What the threads of a port's recordings do: takes what was recorded from the rings and writes it.
    package func writeRecordings() {
        recordings?.collecting.drain()
        recordings?.drain()
    }

    /// Why a recording takes no more; nil: each does.
    package var recordingFailure: String? { recordings?.failure }

    /// How often they do.
    package static let writingMilliseconds = PortRecordings.collectingMilliseconds

    /// What has happened since the last time, oldest first.
    package func takeEvents() -> [PortEvent] { control.events.takeAll() }

    /// The latest figures, at most a second old.
    package var latestFigures: PortFigures { control.figures }

    /// The figures of all calls, as their reports have them.
    package var statistics: [CallStatistics] { calls.compactMap { $0?.figures } }

    /// When somebody has the next turn; what comes until then waits at the port, with the time at which it came. A flood, for which there
    /// would be no room, is looked at in each slot. nil: nobody calls, and a packet is waited for.
    package var nextTurn: HostTime? { isFlooded && wheel.count > 0 ? wheel.nextTurn : wheel.nextMembers }

    /// Nobody has called for a while: turns begin anew.
    mutating func startAnew() { wheel = TickWheel(start: clock.now()) }

    /// Takes what has come, and gives each call whose turn it is its turn.
    package mutating func turn() {
        let began = clock.now()
        stages.begin()
        let due = wheel.nextMembers
        // Who is late already has those to serve who are there.
        let isLate = due.map { began.milliseconds(since: $0) >= Admission.lateMilliseconds } ?? false
        (joinsLeft, joining) = (isLate ? 0 : Self.joinsOfTurn, 0)
        var packets = 0
        port.receive(now: began) {
            packets += 1
            take(&$0, now: began)
        }
        isFlooded = packets > Self.usualPackets * room.count + Self.usualStrangers
        goodbyes.send(by: port)
        stages.add(.receive, from: began, to: clock.now())
        let ntp = clock.ntp()
        // After a standstill there are several: each call has all its turns, in their order, a few at once.
        while let due = wheel.advance(to: began) {
            guard !wheel.due.isEmpty else {
                load.noteIdleTurn(at: began)
                continue
            }
            silence.begin()
            for member in wheel.due {
                if member <= Self.firstRoom {
                    stepConference(Self.firstRoom - member, now: began, ntp: ntp)
                } else {
                    step(member, now: began, ntp: ntp)
                }
            }
            let said = clock.now()
            port.flush()
            let ended = clock.now()
            stages.add(.send, from: said, to: ended)
            load.noteTurn(dueAt: due, endedAt: ended)
            // What has come meanwhile is taken before more is made up for: else it would be missing, and be concealed at greater cost.
            if ended.milliseconds(since: began) >= TickWheel.usualMilliseconds { break }
        }
        port.flush()
        let ended = clock.now()
        noteProcessor(at: ended)
        guard load.noteWork(dueAt: due, from: began, to: ended, calls: callsNow, joining: joining) else { return }
        for call in calls { call?.call.limitComplexity(to: load.complexityOfRunning) }
    }

    /// Whether its thread is tied to a core.
    var isPinned = false
    /// What the process may use of the processors; nil: all there are.
    var allowance: ProcessorAllowance?

    /// Once a second: looks after what is not a packet's matter, and tells the figures.
    package mutating func lookAfter() {
        let now = clock.now()
        guard now >= nextSecond else { return }
        everySecond(now)
        port.flush()
    }

    // MARK: - Turns

    private mutating func step(_ seat: Int, now: HostTime, ntp: NTPTime) {
        guard let call = calls[seat], !call.call.state.isEnded else { return }
        let slots = plan.sound == .echo ? call.slotsToMove(now: now) : 0
        if slots > 0, move(seat, call, bySlots: slots) { return }
        if stages.isSampled {
            let start = clock.now()
            call.hear(into: &frame, now: now)
            let heard = clock.now()
            call.answer(plan.sound, &frame, now: now, encoders: silence)
            let said = clock.now()
            finishTurn(seat, call, now: now, ntp: ntp)
            stages.addSampled(.hear, from: start, to: heard)
            stages.addSampled(.say, from: heard, to: said)
            stages.addSampled(.report, from: said, to: clock.now())
        } else {
            call.hear(into: &frame, now: now)
            call.answer(plan.sound, &frame, now: now, encoders: silence)
            finishTurn(seat, call, now: now, ntp: ntp)
        }
        // The other side's codec may have another packet time.
        let milliseconds = max(1, call.call.frameLength * 1000 / call.call.sampleRate)
        if milliseconds != call.turnMilliseconds, calls[seat] != nil {
            call.turnMilliseconds = milliseconds
            wheel.add(seat, everyMilliseconds: milliseconds)
        } else if slots < 0 {
            _ = move(seat, call, bySlots: slots)
        }
    }

    /// Its turns come that much later from now on, or earlier.
    private mutating func move(_ seat: Int, _ call: PortCall, bySlots slots: Int) -> Bool {
        guard wheel.move(seat, bySlots: slots) else { return false }
        call.call.movePulls(by: Double(slots) * TickWheel.usualMilliseconds)
        return true
    }

    private mutating func stepConference(_ number: Int, now: HostTime, ntp: NTPTime) {
        guard rooms.indices.contains(number), let conference = rooms[number] else { return }
        let start = clock.now()
        conference.hear(calls, now: now)
        let heard = clock.now()
        stages.add(.hear, from: start, to: heard)
        // Each turn ends with what is said, while the call is at hand in the processor's cache. Who leaves with it was heard.
        conference.say(calls, now: now) { finishTurn($0, $1, now: now, ntp: ntp) }
        stages.add(.say, from: heard, to: clock.now())
    }

    mutating func finishTurn(_ seat: Int, _ call: PortCall, now: HostTime, ntp: NTPTime) {
        call.call.advance(to: now, ntp: ntp)
        let source = room.source(of: seat)
        for event in call.takeEvents(now: now) {
            if case .ended(let reason) = event { return end(seat, call, reason, now: now) }
            tell(call.number, source, .call(event))
        }
    }

    // MARK: - Time

    private mutating func noteProcessor(at now: HostTime) {
        guard let used = allowance?.take(at: now) else { return }
        load.noteProcessor(share: used.share, milliseconds: used.milliseconds, at: now)
    }

    private mutating func everySecond(_ now: HostTime) {
        nextSecond = now.advanced(byMilliseconds: 1000)
        room.advance(to: now)
        isMemoryShort = memory.isShort
        for seat in calls.indices where room.isTaken(seat) && room.isLost(seat, at: now) {
            hangUp(seat, .mediaTimeout, now: now)
        }
        for seat in lingering where room.isSilent(seat, at: now) { letGo(seat) }
        lingering.removeAll { !room.isTaken($0) }
        if room.count == 0, !calls.isEmpty {
            (calls, frame, rooms) = ([], [], [])
            ProcessMemory.giveBack()
        }
        figures.calls = callsNow
        figures.refusals = room.refusals
        figures.loop = load.takeFigures()
        figures.loop.admits = load.admits && !isMemoryShort
        figures.pinnedThreads = isPinned ? 1 : 0
        figures.complexity = min(plan.configuration.encoder.complexity, load.complexityOfNew)
        figures.turnsLeftOut += wheel.takeSkipped()
        figures.processorShare = usage.share(now: now)
        figures.stages = stages.takeShares(ofMilliseconds: stagesSince.map { now.milliseconds(since: $0) } ?? 0)
        stagesSince = now
        let network = port.statistics
        figures.packetsReceived = network.received
        figures.packetsSent = network.sent
        figures.sendFailures = network.sendFailures
        figures.kernelDrops = network[.kernel]
        control.publish(figures, of: index)
    }

    /// Says goodbye to everybody.
    package mutating func finish(_ reason: EndReason) {
        let now = clock.now()
        for seat in calls.indices { hangUp(seat, reason, now: now) }
        port.flush()
        everySecond(now)
    }
}
