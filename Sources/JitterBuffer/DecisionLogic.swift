/// Decides what the player does next, for one pull: when the stream starts, how much sound is stretched, how a gap ends.
///
/// Holds nothing but its inputs, as they stand during the pull. Times are milliseconds on the axis of `StreamAxis`; the delay
/// of a sample is the time at which it is pulled less its media time.
package struct DecisionLogic: ~Copyable {
    package let tuning: DecisionTuning
    package let axis: StreamAxis
    /// When the pulled stream began, by the earliest of the last pulls (`PullClock`); nil before the first pull.
    package let start: Double?
    /// Delay of the fastest packets of the last seconds; nil before the first.
    package let floor: Double?
    /// What that floor lies above the line without a queue.
    package let standingQueue: Double
    package let target: TargetDelay
    /// Delay above the floor at which a stream starts.
    package let startDelay: Double
    /// Samples of the pull, and samples pulled before it.
    package let wanted: Int
    package let pullStart: Int64

    package init(
        axis: StreamAxis, start: Double?, delays: borrowing DelayManager, pull: borrowing Pull,
        tuning: DecisionTuning = DecisionTuning()
    ) {
        self.axis = axis
        self.start = start
        self.tuning = tuning
        floor = delays.floor
        standingQueue = delays.standingQueue
        target = delays.target
        startDelay = delays.startDelay(afterEvents: tuning.eventsBeforeTarget)
        wanted = pull.wanted
        pullStart = pull.start
    }

    /// The target on the axis of relative delays.
    private var absoluteTarget: Double { (floor ?? 0) + target.aboveFloor }

    // MARK: Start and stall

    /// Whether a stream that begins with `first` is due in this pull.
    package func isDue(_ first: StoredPacket) -> Bool {
        guard let start, let floor else { return false }
        let delay = start + axis.milliseconds(pullStart) - axis.mediaMilliseconds(first.position)
        return delay >= floor + startDelay + reserve(for: first)
    }

    /// Whether `head` is to be dropped after the player stood still for `stall` milliseconds, instead of being played late.
    package func isMissed(_ head: StoredPacket, cursor: PlayoutCursor, endOfQueue: Int64, stall: Double) -> Bool {
        guard let start else { return false }
        let end = axis.milliseconds(endOfQueue)
        let delay = start + end - axis.mediaMilliseconds(max(head.position, cursor.position))
        let before = start + end - axis.mediaMilliseconds(cursor.position) - stall
        let allowed = max(absoluteTarget, min(before, absoluteTarget + tuning.roomAfterPause))
        return delay - allowed >= axis.milliseconds(head.duration)
    }

    /// Milliseconds by which later packets may be needed earlier in their blocks than one that begins a block.
    private func reserve(for packet: StoredPacket) -> Double {
        max(0, axis.milliseconds(Int64(wanted) - divisor(packet: packet.duration)))
    }

    /// Spacing of the places in a block at which packets begin, in samples: the common divisor of both lengths.
    private func divisor(packet: Int64) -> Int64 {
        var (a, b) = (max(Int64(wanted), 1), max(packet, 1))
        while b > 0 { (a, b) = (b, a % b) }
        return a
    }

    // MARK: Time stretching

    /// By how much sound is to be stretched.
    package enum Stretch: Equatable {
        /// The delay is not known.
        case unknown
        /// The delay is right, or not wrong enough to matter.
        case none
        /// Samples to take out (positive) or to put in (negative).
        case by(Int)
    }

    /// Samples by which the delay exceeds its target (negative: falls short of it), as far as it matters.
    ///
    /// A packet is needed at the start of the pull that reaches it, up to a block before its first sample is due.
    /// Packets begin at places in their blocks that differ by the common divisor of both lengths: down to the next
    /// such place the delay can be lowered for nothing, and from there by whole divisors only.
    ///
    /// Example: at 8 kHz, blocks of 80 samples and packets of 160 have places 10 ms apart. The target is 3 ms, and nothing is
    /// lost. A packet that is needed 50 ms later than the fastest come has 47 ms to spare: four places, 320 samples to take
    /// out. One that is needed 20 ms sooner than they come lacks 23 ms: three places, 240 samples to put in.
    /// - Parameter endOfQueue: samples of the pulled stream up to the end of the queue.
    package func stretch(for head: StoredPacket, endOfQueue: Int64) -> Stretch {
        guard let start, let floor else { return .unknown }
        let needed = start + axis.milliseconds(pullStart) - axis.mediaMilliseconds(head.position)
        let into = endOfQueue - pullStart
        let divisor = divisor(packet: head.duration)
        let free = into % divisor
        let latest = Int64(wanted) - divisor + free
        let spare = needed - axis.milliseconds(latest - into) - (floor + target.aboveFloor)
        let grid = axis.milliseconds(divisor)
        let excess = axis.milliseconds(free) + grid * steps(over: spare, grid: grid)
        let deadZone = tuning.deadZone + tuning.deadZoneShare * (standingQueue + target.aboveFloor)
        let matters =
            excess < 0 ? target.hasLoss || spare < -tuning.shortfallShare * target.margin : excess >= deadZone
        guard matters, abs(excess) < Self.mostExcess else { return .none }
        // A sample may be all that lies between a packet and the next pull.
        return .by(Int((excess * Double(axis.sampleRate) / 1000).rounded()))
    }

    /// No delay in milliseconds that a stream can have is wrong by so much.
    private static let mostExcess = 10_000.0

    /// Steps of `grid` milliseconds from the present place, `spare` milliseconds over the target, down to the place to take.
    ///
    /// Where packets are lost the place above the target is taken if the one below clearly costs more. Elsewhere each near
    /// miss is a shift in speech: the place below is taken only if part of the target's margin covers what it lacks.
    private func steps(over spare: Double, grid: Double) -> Double {
        guard target.hasLoss else {
            return ((spare + tuning.marginShare * min(target.margin, grid)) / grid).rounded(.down)
        }
        let steps = (spare / grid).rounded(.down)
        let upper = target.aboveFloor + spare - steps * grid
        // Below the target the present place can only be the lower one.
        let gain = spare < 0 ? -tuning.leastGain : tuning.leastGain
        let isLowerTaken = target.cost(of: upper - grid) <= target.cost(of: upper) + tuning.lossAllowance - gain
        return isLowerTaken ? steps + 1 : steps
    }

    // MARK: Gaps

    /// How a gap goes on.
    package struct GapDecision: Equatable {
        package let step: GapStep
        /// First sample that `head`, or the in-band FEC in it, can fill.
        package let position: Int64
        /// Whether the sender paused before `head`, so that nothing is missing.
        package let isPause: Bool
        /// Whether the packet after the gap may set the delay anew: after a pause or a long outage.
        package let mayRestart: Bool
    }

    /// What to do about a gap before `head`, the next packet there is.
    package func decide(_ head: StoredPacket, cursor: PlayoutCursor, gap: Gap, endOfQueue: Int64) -> GapDecision {
        let isPause = head.sequence == cursor.sequence &+ 1 && head.position > cursor.position
        let position = max(head.position - (isPause ? 0 : fecLength(in: head, cursor)), cursor.position)
        let duration = axis.milliseconds(head.end - position)
        let start = start ?? 0
        let media = cursor.position + gap.concealed
        let policy = GapPolicy(
            delay: start + axis.milliseconds(endOfQueue) - axis.mediaMilliseconds(media), target: absoluteTarget,
            concealed: axis.milliseconds(gap.concealed), emptied: axis.milliseconds(gap.emptied),
            hasDropped: gap.hasDropped,
            roomAfterLongMiss: GapPolicy.room(aboveTarget: standingQueue + target.aboveFloor, tuning: tuning),
            tuning: tuning)
        let mayRestart = isPause || policy.concealed > tuning.outage
        guard mayRestart else {
            let missing = axis.milliseconds(position - cursor.position)
            return GapDecision(
                step: policy.step(missing: missing, duration: duration), position: position, isPause: false,
                mayRestart: false)
        }
        let delayNow = start + axis.milliseconds(pullStart) - axis.mediaMilliseconds(position) - reserve(for: head)
        let room = isPause ? tuning.roomAfterPause : 0
        return GapDecision(
            step: policy.stepInPause(delayNow: delayNow, duration: duration, room: room), position: position,
            isPause: isPause, mayRestart: true)
    }

    /// Samples before `head` that in-band FEC in it can fill, as far as they are still wanted; 0 without FEC.
    private func fecLength(in head: StoredPacket, _ cursor: PlayoutCursor) -> Int64 {
        guard head.carriesFEC else { return 0 }
        return max(0, min(cursor.duration, head.position - cursor.position))
    }
}
