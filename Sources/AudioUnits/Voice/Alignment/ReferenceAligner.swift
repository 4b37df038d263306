import DSP
import Realtime
import Synchronization

/// Finds for each microphone block the reference whose echo is in it.
///
/// Time stamps and the audio share the work. The stamps say what is heard while a block is captured: that places the
/// reference at once (`StampedPlacement`) and chooses the half second in which the echo is looked for (`FinderWindow`).
/// They know nothing of the room, nor of buffers that no driver tells of. The audio does: once `DelayFinder` has found the
/// echo, the reference stands 4 ms before it, wherever the stamps wander. Two things move it to another place, and are counted:
/// the echo is found elsewhere, or the stamps jump out of reach. In between only the `DriftLoop` moves it, by less than a sample
/// a block, in the one `ReferenceLine`.
///
/// Without `followsAudio` the stamps do everything, as plain SpeexDSP has it.
struct ReferenceAligner: ~Copyable {
    private var line: ReferenceLine
    private var anchors: TripleBufferReader<ReferenceAnchor>
    private var placement: StampedPlacement
    private var window: FinderWindow
    private var finder: DelayFinder
    private var loop: DriftLoop
    private let tuning: AlignmentTuning
    private let farThreshold: Float
    private let followsAudio: Bool
    private let rate: Double
    private let farBlock: UnsafeMutablePointer<Float>
    private var isLocked = false
    /// How far before its echo the reference stands, in samples; less than wanted where it has only just been rendered.
    private var lead = 0.0
    private var wasStarved = false
    private var windowWasStarved = false
    /// Reference sample heard as the block begins by the stamps, less that whose echo it begins with; averaged.
    private var delay: Double?

    /// History kept, in seconds; more than any device's play-out delay.
    static var historySeconds: Double { @_noLocks get { 1.5 } }

    /// - Parameters:
    ///   - blockFrames: samples of the blocks, 10 ms of `rate`.
    ///   - spectrumRate: Hz of the signals whose spectra `follow` gets.
    init(
        source: consuming ReferenceSource, rate: Double, blockFrames: Int, spectrumRate: Int, followsAudio: Bool,
        tuning: VoiceTuning = VoiceTuning()
    ) throws(AudioUnitError) {
        finder = try DelayFinder(rate: Int(rate), tuning: tuning.alignment, activity: tuning.activity)
        self.tuning = tuning.alignment
        farThreshold = tuning.activity.farThreshold
        line = ReferenceLine(
            ring: source.ring, capacity: Int(rate * Self.historySeconds), longestBlock: blockFrames)
        anchors = source.anchors
        self.rate = rate
        self.followsAudio = followsAudio
        placement = StampedPlacement(rate: rate, tuning: tuning.alignment.stamps)
        window = FinderWindow(rate: rate, tuning: tuning.alignment.window)
        loop = DriftLoop(
            rate: spectrumRate, bins: spectrumRate / 100 + 1, tuning: tuning.alignment.drift, activity: tuning.activity)
        farBlock = cleared(blockFrames)
    }

    deinit { farBlock.deallocate() }

    /// Takes what has been rendered into the history; called alone while no reference is wanted.
    @_noLocks
    mutating func drain() { line.drain() }

    /// Fills `block` with the reference for the microphone block that starts at sample `position` of the microphone's
    /// stream and began at host time `micSeconds`; silence where nothing is known of that time.
    ///
    /// `isCancelling`: whether the filters take more than 5 dB off the echo.
    @_noLocks
    mutating func next(
        _ block: UnsafeMutablePointer<Float>, microphone: UnsafePointer<Float>, count: Int, position: Int64,
        micSeconds: Double, captureClock: DeviceClock, isCancelling: Bool, meters: UnsafePointer<EchoMeters>
    ) -> ReferenceAlignment {
        line.drain()
        var alignment = ReferenceAlignment()
        let anchor = anchors.latest()
        let heard = (micSeconds - anchor.seconds) * anchor.rate
        guard anchor.rate > 0, micSeconds > 0, heard.magnitude < 1e12 else {
            zero(block, frames: count)
            return alignment
        }
        let now = anchor.index &+ Int64(heard)
        if !isLocked { alignment.hasMoved = place(now, position: position, count: count, meters: meters) }
        if followsAudio {
            let moved = find(
                microphone, now: now, position: position, count: count, isCancelling: isCancelling, meters: meters)
            alignment.hasMoved = alignment.hasMoved || moved
        } else if anchor.rateRatio > 0, let ratio = captureClock.rateRatio {
            meters.pointee.driftPPM.store(((ratio / anchor.rateRatio - 1) * 1e6).bitPattern, ordering: .relaxed)
        }
        guard line.position != nil else {
            zero(block, frames: count)
            return alignment
        }
        report(now: now, meters: meters)
        wasStarved = line.read(block, count: count, pace: 1 + loop.drift) > 0
        if wasStarved { meters.pointee.starved.wrappingAdd(1, ordering: .relaxed) }
        alignment.isLocked = isLocked
        alignment.hasNoEcho = !isLocked && finder.hasNoEcho
        alignment.farIsActive = meanPower(block, count: count) > farThreshold
        return alignment
    }

    /// Lets the drift loop look at a block's spectra of the microphone and of the echo in it as the filter believes it;
    /// after the filter has had what `next` gave. `presence`: near-end speech, 0 ... 1.
    @_noLocks
    mutating func follow(microphone: UnsafePointer<Complex>, echo: UnsafePointer<Complex>, presence: Float) {
        guard followsAudio, isLocked else { return }
        let seconds = loop.update(microphone: microphone, echo: echo, presence: presence)
        if let position = line.position, seconds != 0 { line.place(at: position + seconds * rate) }
    }

    /// Places by the stamps; returns whether the reference was moved.
    @_noLocks
    private mutating func place(
        _ now: Int64, position: Int64, count: Int, meters: UnsafePointer<EchoMeters>
    ) -> Bool {
        switch placement.look(
            now: now, written: line.written, position: position, count: count, wasStarved: wasStarved)
        {
        case .wait, .hold: return false
        case .place(let offset):
            line.place(at: Double(position &+ offset))
            return false
        case .move(let offset):
            line.place(at: Double(position &+ offset))
            meters.pointee.realigns.wrappingAdd(1, ordering: .relaxed)
            return true
        }
    }

    /// Looks for the echo; returns whether the reference was moved.
    @_noLocks
    private mutating func find(
        _ microphone: UnsafePointer<Float>, now: Int64, position: Int64, count: Int, isCancelling: Bool,
        meters: UnsafePointer<EchoMeters>
    ) -> Bool {
        var echo: Int64?
        if isLocked, let place = line.position { echo = Int64(place - lead) }
        var isLost = false
        switch window.look(
            now: now, written: line.written, position: position, count: count, wasStarved: windowWasStarved, echo: echo)
        {
        case .wait: return false
        case .hold: break
        case .shifted: finder.restart()
        case .lost:
            finder.restart()
            loop.restart()
            isLocked = false
            isLost = true
            delay = nil
            placement = StampedPlacement(rate: rate, tuning: tuning.stamps)
            _ = place(now, position: position, count: count, meters: meters)
            meters.pointee.realigns.wrappingAdd(1, ordering: .relaxed)
            echo = nil
        }
        guard let offset = window.offset else { return isLost }
        let first = position &+ offset
        windowWasStarved = line.copy(from: first, into: farBlock, count: count) > 0
        var held: Double?
        if let echo { held = Double(first &- echo) / rate }
        let finding = finder.process(
            far: farBlock, microphone: microphone, count: count, held: held, isCancelling: isCancelling)
        switch finding {
        case .nothing: return isLost
        case .found(let seconds):
            isLocked = true
            return isLost || lock(to: Double(first) - seconds * rate, count: count)
        case .moved(let seconds):
            loop.restart()
            delay = nil
            meters.pointee.realigns.wrappingAdd(1, ordering: .relaxed)
            return lock(to: Double(first) - seconds * rate, count: count) || isLost
        }
    }

    /// Places the reference before the echo; returns whether that is another place than before.
    @_noLocks
    private mutating func lock(to echo: Double, count: Int) -> Bool {
        let latest = Double(line.written &- Int64(count &+ FractionalInterpolator.taps / 2))
        let target = Double(Int64(min(echo + tuning.aligner.lead * rate, latest)))
        if let present = line.position, present <= latest,
            (present - target).magnitude < tuning.aligner.leadTolerance * rate
        {
            lead = present - echo
            return false
        }
        lead = target - echo
        line.place(at: target)
        return true
    }

    @_noLocks
    private mutating func report(now: Int64, meters: UnsafePointer<EchoMeters>) {
        guard isLocked, let position = line.position else { return }
        let measured = (Double(now) - position + lead) / rate
        let smooth = (delay ?? measured) + (measured - (delay ?? measured)) * tuning.aligner.delayRate
        delay = smooth
        meters.pointee.delayMilliseconds.store((smooth * 1000).bitPattern, ordering: .relaxed)
        if loop.observedSeconds > tuning.aligner.driftSeconds {
            // The reference is read faster when the playback clock is the faster one.
            meters.pointee.driftPPM.store((-loop.drift * 1e6).bitPattern, ordering: .relaxed)
        }
    }
}
