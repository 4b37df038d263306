import Glibc
import Realtime

/// How late media became usable: a decaying histogram of relative arrival delays, and their floor.
///
/// A relative delay is arrival time minus media time, in milliseconds against an arbitrary epoch: the unknown offset
/// between the two clocks cancels wherever two of them are compared.
package struct ArrivalHistory {
    /// Width of a bin in milliseconds.
    static let binWidth = 1.0
    /// 1 s of bins: the longest delay that counts, and room below it for a falling floor.
    static let bins = 1024

    private let tuning: ArrivalTuning
    /// A circle of bins: bin b of the axis is at b mod `bins`.
    private let weights: UnsafeMutablePointer<Double>
    private let owner: Storage
    /// New events weigh exp(age / memory) instead of all old ones shrinking.
    private var age = 0.0
    /// exp(age / memory): what an event of now weighs.
    private var presentWeight = 1.0
    private var lastTime = 0.0
    /// Negated delays of the last 10 s: their minimum is the worst delay.
    private var worstWindow: WindowedMinimum
    private(set) var totalWeight = 0.0
    private var base = 0
    /// The highest bin that may weigh anything: above it there are zeros alone, which nobody need add up.
    private var highest = Int.min
    private var floorWindow: WindowedMinimum
    /// Running minimum that creeps up 30 ppm: what the line does without any queue.
    private var creepingBase: Double?
    private var creepTime = 0.0
    /// Mean relative delay over about 50 packets.
    package private(set) var mean: Double?
    /// Arrivals counted since the start.
    private(set) var events = 0

    private final class Storage {
        let memory: UnsafeMutablePointer<Double>
        init(count: Int) {
            memory = ZeroedMemory.allocate(count)
        }
        deinit { ZeroedMemory.free(memory) }
    }

    package init(tuning: ArrivalTuning = ArrivalTuning(), rhythm: RhythmTuning = RhythmTuning()) {
        self.tuning = tuning
        self.rhythm = SpikeRhythm(tuning: rhythm)
        worstWindow = WindowedMinimum(windowMilliseconds: tuning.window, leastEvents: tuning.windowEvents)
        floorWindow = worstWindow
        owner = Storage(count: Self.bins)
        weights = owner.memory
    }

    /// Least relative delay of the last 10 s (at least 50 arrivals); nil before the first arrival.
    package var floor: Double? { floorWindow.value.map { $0 - trend(at: lastTime) } }

    /// The sender's clock against ours: delays are kept as if there were no drift, so that it does not look like spread.
    private var clock = ClockTrend()
    private let log = ArrivalLog()

    /// What drift has summed up to at `time`.
    private func trend(at time: Double) -> Double { clock.gain(until: time) }

    /// A new estimate of the drift, in parts per million: everything remembered is seen anew in its light.
    /// - Parameter bend: since when the clock has run like this; nil: since the beginning.
    mutating func correct(driftPPM estimate: Double, since bend: CalmLine.Bend? = nil) {
        let estimate = min(max(estimate, -tuning.mostDrift), tuning.mostDrift)
        let isNew = bend.map { $0.span.start > latestBend } ?? false
        guard isNew || abs(estimate - clock.partsPerMillion) > tuning.driftTolerance else { return }
        if let bend, isNew {
            latestBend = bend.span.start
            let time = start(of: bend)
            clock.changeRate(at: time, step: bend.latest.value(at: time) - bend.former.value(at: time))
        }
        clock.partsPerMillion = estimate
        learnAnew()
    }

    private var latestBend = -Double.infinity

    /// Since when what came lies on the latest line: from the first that is faster than the former allows, or after the last that is
    /// faster than the latest does; where the lines cross if that is between them.
    private func start(of bend: CalmLine.Bend) -> Double {
        let (step, crossing) = (bend.step, bend.crossing)
        if bend.span.end <= crossing, crossing <= bend.span.start { return crossing }
        var start = bend.span.start
        var index = log.count - 1
        while index >= 0, log[index].time > bend.span.end {
            let arrival = log[index]
            if arrival.weight == 1, arrival.delay < bend.middle(at: arrival.time) {
                if step > 0 { break }
                start = min(start, arrival.time)
            } else if step > 0 {
                start = min(start, arrival.time)
            }
            index -= 1
        }
        return start
    }

    /// What the sender's machine held up, in order, and what else it is taken to have held up.
    private var excuses: (told: [SenderStops.Held], presumed: SenderStops.Held?) = ([], nil)

    /// What is not to be held against the line from now on: everything remembered is seen anew in its light.
    mutating func excuse(_ held: (told: [SenderStops.Held], presumed: SenderStops.Held?)) {
        excuses = held
        learnAnew()
    }

    /// A delay as it would have been if the sender's machine had not stood still: no shorter than the shortest.
    private func excused(_ delay: Double, at time: Double) -> Double {
        guard let held = excuse(at: time), let floor = floorWindow.value, delay > floor else { return delay }
        return max(floor, delay - held.milliseconds)
    }

    private func excuse(at time: Double) -> SenderStops.Held? {
        if let presumed = excuses.presumed, presumed.from <= time, time <= presumed.until { return presumed }
        guard let last = excuses.told.last, time <= last.until else { return nil }
        var (low, high) = (0, excuses.told.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if excuses.told[middle].until < time { low = middle + 1 } else { high = middle }
        }
        return excuses.told[low].from <= time ? excuses.told[low] : nil
    }

    /// Whether a packet came late then.
    func hasLate(in times: SenderStops.Held) -> Bool {
        guard let floor else { return false }
        var index = log.count - 1
        while index >= 0, log[index].time >= times.from {
            let arrival = log[index]
            if arrival.time <= times.until, arrival.weight == 1, arrival.delay - floor >= SenderStops.leastLateness {
                return true
            }
            index -= 1
        }
        return false
    }

    private mutating func learnAnew() {
        for index in 0..<Self.bins { weights[index] = 0 }
        highest = .min
        totalWeight = 0
        widest = 0
        rhythm.removeAll()
        age = 0
        presentWeight = 1
        removeExtremes()
        events = 0
        for index in 0..<log.count {
            if log[index].forgetsFloor { removeExtremes() } else { learn(log[index]) }
        }
    }

    /// Delay above the floor beyond which nothing came in the last 10 s; nil before the first arrival.
    private var recentWorst: Double? {
        guard let floor = floorWindow.value, let worst = worstWindow.value else { return nil }
        return -worst - floor
    }

    /// Told by the target: the delay above the floor that it allows for.
    var allowance = 0.0
    private var calmTime = 0.0
    private var isCalm: Bool { recentWorst.map { $0 < allowance * tuning.calmShare } ?? false }

    /// What has not happened for 10 s, although the target allows for more, fades faster.
    private mutating func forgetUnseen(_ elapsed: Double) {
        guard let recentWorst else { return }
        let keep = exp(-tuning.calmSpeed * elapsed / tuning.memory)
        let first = floorBin + Int(min(recentWorst, 1e6) / Self.binWidth) + 2
        guard first >= base, first < base + Self.bins, first <= highest else { return }
        for bin in first...highest {
            let faded = weights[slot(bin)] * (1 - keep)
            weights[slot(bin)] -= faded
            totalWeight -= faded
        }
    }

    private var before = 0.0
    private var widest = 0.0
    private var rhythm: SpikeRhythm

    /// How far above the floor packets came of themselves, in milliseconds, fading with the memory: not stragglers, nor
    /// what was repaired from later packets, nor spikes that are over.
    var spread: Double { rhythm.isOver ? min(widest, rhythm.mostSince) : widest }

    /// - Parameter decay: what is left of the old, 0...1.
    private mutating func noteSpread(_ excess: Double, decay: Double) {
        widest *= decay
        widest = max(widest, excess <= tuning.spikeDelay ? excess : min(excess, before))
        if excess <= tuning.spikeDelay {
            rhythm.noteOnTime(excess: excess, at: lastTime)
        } else if before > tuning.spikeDelay {
            rhythm.noteSpike(excess: min(excess, before), at: lastTime)
        }
        before = excess
    }

    /// What the floor lies above the unqueued line, in milliseconds.
    package var standingQueue: Double {
        guard let floor = floorWindow.value, let creepingBase else { return 0 }
        return max(0, floor - creepingBase)
    }

    /// Notes what a packet's travel took, for the mean.
    mutating func noteTravel(_ delay: Double) { mean = mean.map { $0 + (delay - $0) / tuning.meanPackets } ?? delay }

    /// What packets' travel took says nothing of those to come.
    mutating func forgetTravel() { mean = nil }

    /// Notes that a packet's media became usable.
    /// - Parameters:
    ///   - delay: relative delay in milliseconds.
    ///   - weight: 1 for a packet or its full copy, less for in-band FEC and for a packet that follows it, 0 when it adds
    ///     nothing.
    ///   - time: arrival in milliseconds since the epoch.
    package mutating func add(delay: Double, weight: Double, at time: Double) {
        guard delay.isFinite, time.isFinite, abs(delay) < 1e12 else { return }
        if log.count == 0 { clock = ClockTrend(origin: time) }
        let arrival = Arrival(delay: delay, weight: weight, time: time)
        log.append(arrival)
        learn(arrival)
    }

    private mutating func learn(_ arrival: Arrival) {
        let time = arrival.time
        if events == 0 { lastTime = time }
        let elapsed = max(0, time - lastTime)
        lastTime = max(time, lastTime)
        age += elapsed
        let growth = Self.exponential(elapsed / tuning.memory)
        presentWeight *= growth
        calmTime += elapsed
        if calmTime >= tuning.fadeInterval {
            if isCalm { forgetUnseen(calmTime) }
            calmTime = 0
        }
        let delay = excused(arrival.delay + trend(at: time), at: time)
        floorWindow.add(delay, at: time)
        worstWindow.add(-delay, at: time)
        creep(to: delay, at: time)
        moveBase()

        if age > 20 * tuning.memory {
            rescale(by: exp(-min(age / tuning.memory, 60)))
            age = 0
            presentWeight = 1
        }
        let grown = arrival.weight * presentWeight
        let bin = min(Int((delay / Self.binWidth).rounded(.down)), base + Self.bins - 1)
        // Events below the base are on time whatever the target: only the total remembers them.
        if bin >= base {
            weights[slot(bin)] += grown
            highest = max(highest, bin)
        }
        totalWeight += grown
        events += 1
        if arrival.weight == 1, let floor = floorWindow.value { noteSpread(delay - floor, decay: 1 / growth) }
    }

    /// Calls `body` with the weights of the bins upward from the floor (bin 0 holds it), scaled so that an event of now
    /// weighs 1, the highest bin that weighs anything, and their total.
    func withBins<R>(_ body: (_ weight: (Int) -> Double, _ highest: Int, _ total: Double) -> R) -> R {
        let scale = 1 / presentWeight
        let first = floorBin
        // Spikes that came evenly and are over count as if they had not been.
        let last = min(base + Self.bins, rhythm.isOver ? first + Int(rhythm.mostSince / Self.binWidth) + 2 : .max)
        let top = highest < base ? 0 : min(max(highest - first, 0), Self.bins - 1)
        return body({ first + $0 < last ? weights[slot(first + $0)] * scale : 0 }, top, totalWeight * scale)
    }

    /// Forgets what was fastest but not how delays spread: a new stream came over the same line. Whenever the arrivals are
    /// seen anew, it is forgotten at the same place among them.
    mutating func forgetFloor() {
        log.append(.forgettingFloor(at: lastTime))
        removeExtremes()
    }

    private mutating func removeExtremes() {
        floorWindow.removeAll()
        worstWindow.removeAll()
        creepingBase = nil
    }

    private var floorBin: Int { floorWindow.value.map { Int(($0 / Self.binWidth).rounded(.down)) } ?? base }

    private func slot(_ bin: Int) -> Int { bin & (Self.bins - 1) }

    private mutating func creep(to delay: Double, at time: Double) {
        guard let old = creepingBase else {
            creepingBase = delay
            creepTime = time
            return
        }
        creepingBase = min(delay, old + tuning.creep * max(0, time - creepTime))
        creepTime = time
    }

    /// Keeps the circle of bins 32 ms below the floor, so that a slowly falling floor does not empty it each time.
    private mutating func moveBase() {
        let wanted = floorBin - 32
        if events == 0 {
            base = wanted
        } else if wanted > base + 32 || wanted < base - 16 {
            let distance = wanted - base
            if abs(distance) >= Self.bins {
                for index in 0..<Self.bins { weights[index] = 0 }
                highest = .min
            } else if distance > 0 {
                for bin in base..<wanted { weights[slot(bin)] = 0 }
            } else {
                // What lay above the new top stays as "very late" in the top bin.
                var above = 0.0
                for bin in (wanted + Self.bins)..<(base + Self.bins) {
                    above += weights[slot(bin)]
                    weights[slot(bin)] = 0
                }
                weights[slot(wanted + Self.bins - 1)] += above
                if highest >= wanted + Self.bins { highest = wanted + Self.bins - 1 }
            }
            base = wanted
        }
    }

    /// exp(x), x >= 0; its series where packets follow each other as usual, to 1e-14.
    private static func exponential(_ x: Double) -> Double {
        guard x < 0.01 else { return exp(x) }
        return 1 + x * (1 + x * (1 / 2 + x * (1 / 6 + x * (1 / 24 + x * (1 / 120)))))
    }

    private mutating func rescale(by factor: Double) {
        for index in 0..<Self.bins { weights[index] *= factor }
        totalWeight *= factor
    }
}
