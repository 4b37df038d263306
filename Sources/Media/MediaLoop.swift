import RTP
import Realtime
import JitterBuffer

/// Steps any number of calls against one device: the media thread's whole work, without the thread.
///
/// ```
///  captureRing -> Framer -> every call's SendPath -> network
///  network -> every call's ReceivePath -> Mixer (sum, limited) -> playoutRing
/// ```
/// In a conference each call's voice also goes by the `ConferenceBridge` to every other call's SendPath, and into a device of
/// two channels by the `PlacingMixer`, from a direction of its own.
///
/// In a bridge nobody is at the device: its frames only say that it is time. Each call is pulled right before the others' frames
/// are sent, so that a voice waits in its jitter buffer and nowhere else.
///
/// Driven by the data, never by a timer: a step takes as many whole frames as were captured and fills the play-out ring
/// as far as the playback thread emptied it. The device keeps its rate; a call of another rate or frame length is converted in
/// its `LoopSeat`. Calls join and leave between two steps.
public final class MediaLoop {
    /// The hardware's side.
    public let device: DeviceEnd
    /// The calls' places, in the order they joined.
    var seats: [LoopSeat] = []
    /// The calls, in the order they joined.
    public var calls: [Call] { seats.map(\.call) }
    /// Stages between device and call, which all calls share.
    var deviceDelay = DeviceDelay()
    /// Where what passes is copied to.
    public var taps: [any MediaTap] = []
    /// Times the loudspeaker got silence because the play-out ring was empty, since the first sound.
    public internal(set) var playoutGaps = 0
    /// How long those were together, in milliseconds.
    public var playoutGapMilliseconds: Double { Double(playoutMissing) * 1000 / Double(device.sampleRate) }
    var playoutMissing = 0
    /// When the loudspeaker first asked for sound; `nil`: it has not.
    public internal(set) var playoutStart: HostTime?
    /// Measures what its work takes, where that is asked for.
    package var watch: StageWatch?
    /// Silences the microphone for all parties of a conference, who go on hearing each other.
    public var isMicrophoneMuted = false
    /// Whether the calls' other sides hear each other.
    public var isConference: Bool { bridge != nil }
    /// Whether the calls have each other in the device's place: a conference without anybody at the device.
    public let isBridge: Bool

    var bridge: ConferenceBridge?
    let headset: (any PlacingMixer)?
    /// Who of a bridge is decoded and heard; `nil`: everybody, since nobody says how loud he is.
    var speakers: SpeakerSelection?
    private var framer: Framer
    var level: PlayoutLevel
    private var samplesTaken: Int64 = 0
    private var lostCapture = LostCapture()
    private var frameLateness = FrameLateness()
    var samplesGiven: Int64 = 0
    var lastStep: HostTime?
    /// The machine's stop that the calls know of.
    var excused: MachineStop?
    /// Its late turn that they know of.
    private var lateTurn: MachineStop?
    /// Sound that the device holds because of the machine, in milliseconds.
    private var reserve = 0.0
    /// When the play-out ring is to be filled again, where nobody calls for it.
    var refill: HostTime?
    /// What the taps know of the first call's stream.
    private var changes = StreamChanges()
    var callBlock: [Float]
    var mixed: [Float]
    /// Left and right by turns; empty when one channel is played.
    var placed: [Float] = []

    /// A loop over `device` that takes frames of `frameLength` samples from it.
    public convenience init(device: DeviceEnd, frameLength: Int) {
        self.init(device: device, frameLength: frameLength, bridge: nil, headset: nil)
    }

    /// A bridge: every call's other side hears all others, and the device keeps time.
    /// - `frameLength`: a multiple of the samples pulled at once.
    public convenience init(bridgeAt device: DeviceEnd, frameLength: Int) {
        let block = Self.block(of: device)
        precondition(frameLength % block == 0, "frames of \(frameLength) samples, pulled \(block) at a time")
        self.init(
            device: device, frameLength: frameLength,
            bridge: ConferenceBridge(frameLength: frameLength, block: block, isHeardByFrames: true), headset: nil,
            isBridge: true)
    }

    /// A conference: every call's other side hears the microphone and all others, and where the device plays two channels,
    /// each is heard from a direction of its own.
    /// - `headset`: what places them, for a device of two channels.
    public convenience init(conferenceAt device: DeviceEnd, frameLength: Int, headset: (any PlacingMixer)?) {
        self.init(
            device: device, frameLength: frameLength,
            bridge: ConferenceBridge(frameLength: frameLength, block: Self.block(of: device)), headset: headset)
    }

    /// Samples pulled at once.
    public static func block(of device: DeviceEnd) -> Int { device.sampleRate * MediaLimits.pullMilliseconds / 1000 }

    private init(
        device: DeviceEnd, frameLength: Int, bridge: ConferenceBridge?, headset: (any PlacingMixer)?, isBridge: Bool = false
    ) {
        precondition((headset == nil) == (device.playoutChannels == 1), "two channels are a conference's")
        self.device = device
        self.bridge = bridge
        self.headset = headset
        self.isBridge = isBridge
        framer = Framer(frameLength: frameLength)
        level = PlayoutLevel(sampleRate: device.sampleRate)
        let block = Self.block(of: device)
        callBlock = [Float](repeating: 0, count: block)
        mixed = [Float](repeating: 0, count: block)
        if headset != nil { placed = [Float](repeating: 0, count: 2 * block) }
    }

    /// Adds a call, of any rate and frame length; it takes part from the next step on.
    public func add(_ call: Call) throws(MediaLoopError) {
        if let headset, seats.count >= headset.maximumParties { throw .full(parties: headset.maximumParties) }
        seats.append(try LoopSeat(call, deviceRate: device.sampleRate, frameLength: framer.frameLength))
        bridge?.join()
        headset?.join()
        if isBridge { joinSpeakers(call) }
    }

    private func joinSpeakers(_ call: Call) {
        if speakers == nil, call.configuration.levels.isUsed {
            speakers = SpeakerSelection(sampleRate: device.sampleRate)
            for _ in seats.dropLast() { speakers?.join() }
        }
        speakers?.join()
    }

    /// Lets a call go; the others hear no gap. One that is not there is ignored.
    public func remove(_ call: Call) {
        guard let party = seats.firstIndex(where: { $0.call === call }) else { return }
        seats.remove(at: party)
        bridge?.leave(party)
        headset?.leave(party)
        speakers?.leave(party)
    }

    /// Gives a call's place to another one; nobody else moves.
    public func replace(_ call: Call, by next: Call) throws(MediaLoopError) {
        guard let party = seats.firstIndex(where: { $0.call === call }) else { return }
        seats[party] = try LoopSeat(next, deviceRate: device.sampleRate, frameLength: framer.frameLength)
        speakers?.renew(party)
    }

    /// Takes what has come from the network.
    public func receive(now: HostTime) {
        excuse(now: now)
        tellChanges(now: now)
        watch.measure(.receive) { for seat in seats { seat.call.receive(now: now) } }
    }

    /// What the machine held up is not the network's doing.
    private func excuse(now: HostTime) {
        guard let machine = device.machine() else { return }
        for seat in seats { seat.call.stream.machine = machine }
        if let last = machine.lastStop, last != excused {
            excused = last
            tell(of: last)
        }
        if let last = machine.lastLateTurn, last != lateTurn {
            lateTurn = last
            tell(of: last)
        }
        // In whole microseconds, as a capture keeps it.
        let returned = ((reserve - machine.reserveMilliseconds) * 1000).rounded() / 1000
        // What the device keeps back against stops moves no pull; only what it gives back does.
        let hasGrown = returned < 0
        if hasGrown { reserve = machine.reserveMilliseconds }
        guard returned >= Self.leastReturn else { return }
        reserve = machine.reserveMilliseconds
        for tap in taps { tap.add(pullsMovedBy: returned, at: now) }
        for seat in seats { seat.call.movePulls(by: returned) }
    }

    private func tell(of stop: MachineStop) {
        let stop = stop.inWholeMicroseconds
        for tap in taps { tap.add(stop) }
        for seat in seats { seat.call.excuse(stop) }
    }

    /// Sound that the device gives back is told in pieces of so many milliseconds.
    private static let leastReturn = 1.0

    /// One turn: sends what was captured, plays what was asked for, lets RTCP and time-outs happen.
    public func step(now: HostTime, ntp: NTPTime) {
        // A call's rate was made sure of when it joined; one that changes to an impossible one is silent until it changes again.
        for seat in seats { try? seat.prepare() }
        watch.measure(.say) { sendCaptured(now: now) }
        if isBridge { observeBridge() } else { fillPlayout(now: now) }
        watch.measure(.report) {
            for seat in seats {
                if !isBridge {
                    deviceDelay.seat = seat.delay
                    seat.call.deviceDelay = deviceDelay
                }
                seat.call.advance(to: now, ntp: ntp)
            }
        }
        tellChanges(now: now)
        lastStep = now
    }

    /// Tells the taps what a replay has to know, before it counts.
    func tellChanges(now: HostTime) {
        guard !taps.isEmpty, let call = seats.first?.call else { return }
        changes.look(at: call) { change in for tap in taps { tap.add(change, at: now) } }
    }

    /// When the next step is due even if no audio and no packet comes.
    public var nextDeadline: HostTime? {
        (seats.map(\.call).filter { !$0.state.isEnded }.map(\.nextDeadline) + [refill].compactMap(\.self)).min()
    }

    // MARK: - Towards the network

    private func sendCaptured(now: HostTime) {
        let timing = device.captureTiming.latest()
        if timing.isValid { lostCapture.observe(timing, sampleRate: device.sampleRate, stop: excused, now: now) }
        framer.process(&device.captureRing) { frame in
            if let missing = lostCapture.take(before: samplesTaken + Int64(frame.count)) {
                for seat in seats { seat.call.skip(milliseconds: missing) }
            }
            if timing.isValid { observeCapture(timing, frameLength: frame.count, now: now) }
            if timing.isValid { noteCapture(timing) }
            samplesTaken += Int64(frame.count)
            guard bridge == nil else { return sendMixed(frame, now: now) }
            for (index, seat) in seats.enumerated() {
                let sent = seat.send(frame, now: now)
                // One voice, whoever hears it: what the first call sends is what is kept.
                guard index == 0, !taps.isEmpty else { continue }
                let kept = sent ?? Array(frame)
                for tap in taps { tap.add(sent: kept) }
            }
        }
        // What is sent next is known before its frame is whole: who waits for the microphone waits less.
        if timing.isValid, timing.sampleIndex + Int64(timing.frames) > samplesTaken { noteCapture(timing) }
    }

    /// A conference's frame: to each party what all others say. What is kept of it is our own voice.
    private func sendMixed(_ frame: UnsafeBufferPointer<Float>, now: HostTime) {
        let own = isMicrophoneMuted ? [Float](repeating: 0, count: frame.count) : Array(frame)
        for tap in taps { tap.add(sent: own) }
        if isBridge {
            chooseSpeakers(frameLength: frame.count)
            watch.measure(.hear) { for _ in 0..<frame.count / mixed.count { pullBlock(now: now) } }
        }
        bridge?.nextFrame()
        own.withUnsafeBufferPointer { microphone in
            for (party, seat) in seats.enumerated() {
                if speakers != nil, seat.call.tellsSpeakers { seat.call.tell(speakers(heardBy: party)) }
                bridge?.mix(for: party, microphone: microphone) { seat.send($0, now: now) }
            }
        }
    }

    /// Who is not heard is not decoded either.
    private func chooseSpeakers(frameLength: Int) {
        guard speakers != nil else { return }
        speakers?.choose(milliseconds: Double(frameLength) * 1000 / Double(device.sampleRate)) { seats[$0].call.claimedLevel }
        for (party, seat) in seats.enumerated() {
            seat.call.isDecoded = speakers?.isDecoded(party) ?? true
            bridge?.setSilenced(speakers?.isSilenced(party) ?? false, party)
        }
    }

    /// Whom a party hears in the frame at hand, and how loud each is.
    private func speakers(heardBy party: Int) -> ContributingSources {
        var heard = ContributingSources()
        for (other, seat) in seats.enumerated() where other != party {
            guard let level = speakers?.level(of: other), let source = seat.call.heardSource else { continue }
            heard.add(source, level: level)
        }
        return heard
    }

    private func noteCapture(_ timing: StreamTiming) {
        let firstSample = timing.hostTime(of: samplesTaken, sampleRate: device.sampleRate)
        for seat in seats { seat.call.noteCapture(of: firstSample) }
    }

    private func observeCapture(_ timing: StreamTiming, frameLength: Int, now: HostTime) {
        let firstSample = timing.hostTime(of: samplesTaken, sampleRate: device.sampleRate)
        let millisecondsPerSample = 1000 / Double(device.sampleRate)
        let age = now.milliseconds(since: firstSample)
        noteLate(by: frameLateness.note(ageMilliseconds: age), now: now)
        deviceDelay.observeCapture(
            ageMilliseconds: age,
            frameMilliseconds: Double(frameLength) * millisecondsPerSample,
            blockMilliseconds: Double(timing.frames) * millisecondsPerSample,
            heldUpMilliseconds: excused.map { max(0, $0.end.milliseconds(since: max($0.begin, firstSample))) } ?? 0,
            unit: device.latency())
    }

    /// A stop that no turn of the device noticed made a frame late: the other side is told.
    private func noteLate(by milliseconds: Double, now: HostTime) {
        guard milliseconds > 0, excused.map({ now.milliseconds(since: $0.end) > Self.catchUp }) ?? true else { return }
        let stop = MachineStop(end: now, microseconds: milliseconds * 1000)
        for seat in seats { seat.call.noteHeldUp(stop) }
    }

    /// Of several others the farthest counts.
    private func observeBridge() {
        var (before, after) = (FarthestOther(), FarthestOther())
        for (party, seat) in seats.enumerated() {
            before.add(seat.delayBeforeBridge, of: party)
            after.add(seat.delayBehindBridge, of: party)
        }
        for (party, seat) in seats.enumerated() {
            var delay = DeviceDelay(before: before.value(without: party), after: after.value(without: party))
            delay.seat = seat.delay
            seat.call.deviceDelay = delay
        }
    }
}
