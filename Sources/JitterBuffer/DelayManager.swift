/// What the arrivals say of the network: how delays spread, how the clocks drift, what is lost, and the delay to aim at.
///
///     packet -> SequenceMemory -> ArrivalHistory -> TargetDelay
///          `--> DriftEstimator ---^
///     what the sender tells of its machine -> SenderStops -> ArrivalHistory
package struct DelayManager: ~Copyable {
    /// The delay to aim at.
    package private(set) var target: TargetDelay
    private var history: ArrivalHistory
    private var drift: DriftEstimator
    private var sequences: SequenceMemory
    private var senderStops = SenderStops()
    private let startDelay: Double
    private let tuning: JitterBufferTuning

    /// A machine that stood still for longer, in milliseconds, lost sound of its microphone: the ring holds no more. What its sender
    /// sends next may bear time stamps that stood still as well.
    static let longestHold = 400.0

    package init(configuration: JitterBufferConfiguration = JitterBufferConfiguration()) {
        tuning = configuration.tuning
        history = ArrivalHistory(tuning: tuning.arrivals, rhythm: tuning.rhythm)
        target = TargetDelay(configuration: configuration)
        drift = DriftEstimator(tuning: tuning.drift)
        sequences = SequenceMemory(tuning: tuning.loss)
        startDelay = configuration.latency.startDelayMilliseconds
    }

    /// Begins with what `other` learnt of the same line.
    init(continuing other: borrowing DelayManager) {
        tuning = other.tuning
        history = other.history
        target = other.target
        drift = DriftEstimator(tuning: tuning.drift)
        sequences = SequenceMemory(tuning: tuning.loss)
        senderStops = other.senderStops
        startDelay = other.startDelay
    }

    /// Relative delay of the fastest packets of the last seconds, in milliseconds; nil before the first.
    package var floor: Double? { history.floor }
    /// Mean relative delay, in milliseconds; nil before the first packet.
    package var mean: Double? { history.mean }
    /// What the floor lies above the line without a queue, in milliseconds.
    package var standingQueue: Double { history.standingQueue }

    /// The sender's clock against this host's in parts per million, positive when the sender's runs fast; nil until
    /// 20 s have been heard.
    package var driftPPM: Double? { drift.isSettled ? drift.partsPerMillion : nil }

    /// Delay above the floor at which a stream starts, in milliseconds: the target, once it rests on so many events.
    package func startDelay(afterEvents events: Int) -> Double {
        history.events >= events ? target.aboveFloor : startDelay
    }

    /// Whether a packet of this number came already.
    // Inlined, or the whole history would be copied for it.
    @inline(__always)
    package func hasSeen(_ sequence: Int64) -> Bool { sequences.hasSeen(sequence) }

    /// A packet came that has no sound.
    mutating func note(_ sequence: Int64) { sequences.note(sequence) }

    /// The stream ended; what was learnt of the network stands.
    mutating func endStream() {
        sequences = SequenceMemory(tuning: tuning.loss)
        drift.removeAll()
    }

    /// A new stream comes over the same line.
    /// - Returns: the delay of its first packet, in milliseconds: it counts as one of the usual delay.
    mutating func beginStream() -> Double {
        if history.events > 0 { history.forgetFloor() }
        return history.mean ?? 0
    }

    /// What was learnt last is how late the stream is, which is no spread of its packets.
    mutating func forgetDelays() {
        history = ArrivalHistory(tuning: tuning.arrivals, rhythm: tuning.rhythm)
        senderStops = SenderStops()
    }

    /// Our machine stood still for so many milliseconds. After a long time nothing says that the delay is what it was: the sender may
    /// have stood still with us. How delays spread stands.
    package mutating func standStill(milliseconds: Double) {
        guard milliseconds > Self.longestHold, history.events > 0 else { return }
        history.forgetFloor()
        history.forgetTravel()
    }

    /// The sender told of its machine's stops since its report before.
    /// - Parameters:
    ///   - stops: when each was over, in milliseconds since the epoch, and for how long nothing ran.
    ///   - time: when the report came.
    package mutating func told(_ stops: [(end: Double, milliseconds: Double)], at time: Double) {
        let line = history
        if senderStops.told(stops, at: time, isSeen: { line.hasLate(in: $0) }) { history.excuse(senderStops.excuses) }
    }

    /// Whose doing the target is.
    package var targetReason: TargetReason { senderStops.goOn ? .sender : .network }

    /// Notes when media first became usable: the packet's own, and that of the packet before it that it can stand for in part.
    /// What never arrives otherwise makes no event, since no delay would help it.
    /// - Parameters:
    ///   - concealsItself: whether the codec conceals, so that the packet adds little to what is concealed before it.
    ///   - heldUp: milliseconds for which our own machine may have held it up: as far as it is late by them, it came as usual. After a
    ///     long time that says nothing.
    package mutating func learn(
        from packet: StoredPacket, axis: StreamAxis, concealsItself: Bool, heldUp: Double = 0
    ) {
        guard heldUp <= Self.longestHold else {
            if packet.kind == .redundant { sequences.noteCopy(of: packet.sequence) } else { sequences.note(packet.sequence) }
            return
        }
        let seen = packet.arrival - axis.mediaMilliseconds(packet.position)
        let delay = heldUp > 0 ? max(seen - heldUp, min(seen, history.mean ?? seen)) : seen
        let isCopy = packet.kind == .redundant
        let before = sequences.coverage(of: packet.sequence)
        if isCopy {
            if before == .whole { return }
            sequences.noteCopy(of: packet.sequence)
        } else {
            history.noteTravel(delay)
            drift.add(delay: delay, at: packet.arrival)
            if let estimate = drift.partsPerMillion { history.correct(driftPPM: estimate, since: drift.bend) }
            sequences.note(packet.sequence)
        }
        let weight =
            switch before {
            case .none: 1.0
            case .fec: tuning.arrivals.weightAfterFEC
            case .whole: 0.0
            }
        history.add(delay: delay, weight: weight, at: packet.arrival)
        if senderStops.wereSeen, !isCopy, let floor = history.floor,
            senderStops.note(excess: delay - floor, duration: axis.milliseconds(packet.duration), at: packet.arrival)
        {
            history.excuse(senderStops.excuses)
        }
        // Of a packet that never comes its successor still tells much: by in-band FEC, or by where its sound led to.
        let help =
            packet.carriesFEC
            ? tuning.arrivals.weightOfFEC : concealsItself || packet.isSilence ? 0 : tuning.arrivals.weightOfSuccessor
        if help > 0, sequences.coverage(of: packet.sequence - 1) == .none {
            sequences.noteFEC(of: packet.sequence - 1)
            history.add(delay: delay + axis.milliseconds(packet.duration), weight: help, at: packet.arrival)
        }
        if !isCopy { target.update(&history, lossRatio: sequences.lossRatio, at: packet.arrival) }
    }
}
