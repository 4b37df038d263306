import Realtime
import Synchronization

/// Finds for each microphone block the reference that was being played while it was captured.
///
/// The distance between the two is held constant, for the canceller unlearns with every shift; only when it is off by
/// more than `tolerance` for half a second is it set anew, and counted. The reference is placed `lead` early, so that
/// errors of the time stamps cannot make the echo come before its cause.
struct ReferenceAligner: ~Copyable {
    private var ring: RingConsumer<Float>
    private var anchors: TripleBufferReader<ReferenceAnchor>
    private let history: UnsafeMutablePointer<Float>
    private let mask: Int
    private let rate: Double
    /// Reference samples taken from the ring so far.
    private var read: Int64 = 0
    /// Reference index minus microphone index; nil until placed.
    private var offset: Int64?
    private var seconds = 0.0
    private var starvedInARow = 0
    /// Whether the last call moved the reference against the microphone.
    private(set) var hasMoved = false

    /// Allowed error of the placement, in seconds.
    private static var tolerance: Double { @_noLocks get { 0.0045 } }
    /// How early the reference is placed, in seconds.
    private static var lead: Double { @_noLocks get { 0.003 } }
    /// How long the placement must be off before it is set anew, in seconds.
    private static var patience: Double { @_noLocks get { 0.5 } }
    /// History kept, in seconds; more than any device's play-out delay.
    static var historySeconds: Double { @_noLocks get { 1.5 } }

    init(
        ring: consuming RingConsumer<Float>, anchors: consuming TripleBufferReader<ReferenceAnchor>, rate: Double
    ) {
        self.ring = ring
        self.anchors = anchors
        self.rate = rate
        var capacity = 1
        while Double(capacity) < rate * Self.historySeconds { capacity *= 2 }
        mask = capacity - 1
        history = .allocate(capacity: capacity)
        history.initialize(repeating: 0, count: capacity)
    }

    deinit { history.deallocate() }

    /// Fills `block` with the reference for the microphone block that starts at sample `position` of the microphone's
    /// stream and began at host time `micSeconds`.
    ///
    /// Returns false when nothing has been played around that time; the block is then silent.
    @_noLocks
    mutating func next(
        _ block: UnsafeMutablePointer<Float>, count: Int, position: Int64, micSeconds: Double,
        captureClock: DeviceClock, meters: UnsafePointer<EchoMeters>
    ) -> Bool {
        drain()
        hasMoved = false
        let anchor = anchors.latest()
        if anchor.rateRatio > 0, let ratio = captureClock.rateRatio {
            let drift = (ratio / anchor.rateRatio - 1) * 1e6
            meters.pointee.driftPPM.store(drift.bitPattern, ordering: .relaxed)
        }
        guard anchor.rate > 0, micSeconds > 0 else {
            zero(block, frames: count)
            return false
        }
        let now = anchor.index &+ Int64((micSeconds - anchor.seconds) * anchor.rate)
        place(now, position: position, count: count, meters: meters)
        guard let offset else {
            zero(block, frames: count)
            return false
        }
        let first = position &+ offset
        let missing = copy(from: first, to: block, count: count)
        if missing > 0 {
            meters.pointee.starved.wrappingAdd(1, ordering: .relaxed)
            starvedInARow &+= 1
        } else {
            starvedInARow = 0
        }
        return missing < count
    }

    /// Chooses the offset at first, and again when it has been wrong for long.
    @_noLocks
    private mutating func place(
        _ now: Int64, position: Int64, count: Int, meters: UnsafePointer<EchoMeters>
    ) {
        // Early by the lead, but not earlier than what has been rendered: an ideal device plays without delay.
        let wanted = min(now &+ Int64(Self.lead * rate), max(now, read &- Int64(count)))
        let target = wanted &- position
        guard let held = offset else {
            // Nothing rendered for this moment yet: wait rather than hold on to a guess.
            if wanted >= 0 && now < read { set(target, now: now, meters: meters) }
            return
        }
        let blockSeconds = Double(count) / rate
        let isOff = Double((target &- held).magnitude) > Self.tolerance * rate
        let isStarving = starvedInARow >= 3 && target < held
        seconds = isOff || isStarving ? seconds + blockSeconds : 0
        if seconds > Self.patience {
            meters.pointee.realigns.wrappingAdd(1, ordering: .relaxed)
            hasMoved = true
            set(target, now: now, meters: meters)
        }
    }

    @_noLocks
    private mutating func set(_ target: Int64, now: Int64, meters: UnsafePointer<EchoMeters>) {
        offset = target
        seconds = 0
        starvedInARow = 0
        let delay = Double(read &- now) / rate * 1000
        meters.pointee.delayMilliseconds.store(delay.bitPattern, ordering: .relaxed)
    }

    /// Takes what has been rendered into the history; called alone while no reference is wanted.
    @_noLocks
    mutating func drain() {
        while true {
            let start = Int(truncatingIfNeeded: read) & mask
            let taken = ring.read(into: history + start, count: mask &+ 1 &- start)
            if taken == 0 { return }
            read &+= Int64(taken)
        }
    }

    /// Returns how many samples were not there; zeros stand in for them.
    @_noLocks
    private func copy(from first: Int64, to block: UnsafeMutablePointer<Float>, count: Int) -> Int {
        let oldest = max(0, read &- Int64(mask &+ 1))
        var missing = 0
        for index in 0..<count {
            let sample = first &+ Int64(index)
            if sample >= oldest && sample < read {
                block[index] = history[Int(truncatingIfNeeded: sample) & mask]
            } else {
                block[index] = 0
                missing &+= 1
            }
        }
        return missing
    }
}
