import Realtime

/// How much sound is kept between us and the loudspeaker: what the machine's stops need (`MachineLateness`), given back soon after
/// they are over; and what a device needs that ran dry, or nearly, without our being late, given back slowly.
///
/// The device writes a period whenever that brings the fill level to the target, so the level moves between
/// target - period and target; the lower end is what bridges a late wake-up. A server that was late as well takes what it
/// missed and a block of its own at once.
package struct PlaybackTarget: BitwiseCopyable {
    /// Least target in periods: one being played and half a period of slack.
    package static let periods = 1.5
    /// Least target in milliseconds, for short periods: the time for which the whole machine may stand still. 10 underran in
    /// most calls on a busy machine, 12 three times in ten minutes on a quiet one, 18 once in some calls.
    package static let floorMilliseconds = 20.0
    /// What an underrun adds, as a part of the target, and at least in milliseconds.
    package static let growth = 0.25
    package static let growthMilliseconds = 4.0
    /// Underruns this close together, in seconds of sound, are one: what made the first late makes the next.
    package static let incidentSeconds = 0.5
    /// Highest target, in milliseconds (and a period less than the ring buffer).
    package static let ceilingMilliseconds = 200.0
    /// A turn that finds no more than this, in milliseconds, was nearly too late: the next one may be.
    package static let nearMissMilliseconds = 4.0
    /// A sound server's own block, in milliseconds.
    package static let serverBlockMilliseconds = 5.0
    /// What a stop costs the device beyond what a turn was late by, in milliseconds: the server was late as well, and takes what it missed
    /// before we write. Measured: of stops of 4 to 12 ms every 0.7 s, ten minutes, each gap lacked 1 to 2 ms without it.
    package static let aftermathMilliseconds = 2.75
    /// Longest period whose rhythm a stream keeps when it begins anew, in milliseconds.
    static let longestRhythmMilliseconds = 10.0
    /// How fast the level held follows what the machine needs, in milliseconds a second: the jitter buffer stretches meanwhile.
    package static let raisePerSecond = 200.0
    package static let lowerPerSecond = 60.0
    /// Time without any of them before the target shrinks, in seconds; each further one doubles it: a machine that needs
    /// the higher target is not probed again and again. Stops of a virtual machine are minutes apart.
    package static let calmSeconds = 120.0
    /// The longest it becomes, in seconds.
    package static let longestCalmSeconds = 1920.0
    /// Periods that the usual level at which one is written is taken over.
    static let slackPeriods = 200.0
    /// How long a move of the stream is felt, in seconds of sound.
    package static let moveSeconds = 2.0
    /// Shrinking speed after that, in milliseconds a second.
    package static let shrinkPerSecond = 0.2

    private let floor: Double
    private let ceiling: Double
    private let period: Double
    private let framesPerMillisecond: Double
    private var target: Double
    private var calm = 0.0
    // The first underrun makes it `calmSeconds`.
    private var calmNeeded = calmSeconds / 2
    private var sinceGrowth = incidentSeconds
    /// The machine's stops.
    package private(set) var machine = MachineLateness()
    /// What is held because of them, in frames.
    private var held = 0.0
    private var sinceLate = MachineStop.explainedSeconds
    /// Target and calm before the latest growths, which were close together.
    private var steady = (target: 0.0, calmNeeded: 0.0)
    /// Seconds for which underruns do not count.
    private var amnesty = 0.0
    /// Seconds for which a stream that began with little after a stop may still be nearly empty.
    private var filling = 0.0
    /// How far below the highest level at which a period is written one usually is, in frames: a server takes whole blocks, and where
    /// they lie makes up to a period of delay.
    private var slack = 0.0
    /// By how much less than the target is held since a stop, in frames.
    private var cut = 0.0

    @_noLocks
    package init(period: Int, buffer: Int, rate: Int) {
        framesPerMillisecond = Double(rate) / 1000
        self.period = Double(period)
        let wanted = Self.floorMilliseconds * framesPerMillisecond
        let least = Self.periods * Double(period)
        let most = Double(buffer - period)
        floor = min(least > wanted ? least : wanted, most)
        let limit = Self.ceilingMilliseconds * framesPerMillisecond
        ceiling = most < limit ? most : limit > floor ? limit : floor
        target = floor
        held = floor
    }

    /// The target now, in frames.
    package var frames: Int { @_noLocks get { Int(held > least ? held : least) } }

    /// The target now, in milliseconds.
    package var milliseconds: Double { @_noLocks get { (held > least ? held : least) / framesPerMillisecond } }

    /// The part of it that is there because this machine stands still, in milliseconds.
    package var reserveMilliseconds: Double { @_noLocks get { held > least ? (held - least) / framesPerMillisecond : 0 } }

    /// What is held whether this machine stands still or not, in frames.
    private var least: Double { @_noLocks get { target - cut } }

    /// A turn found `level` frames still to be played.
    @_noLocks
    package mutating func found(level: Int) {
        if level > frames &- Int(period) { filling = 0 }
        guard filling <= 0 else { return }
        if Double(level) <= Self.nearMissMilliseconds * framesPerMillisecond { underran() }
    }

    /// A turn writes a period where `level` frames are still to be played.
    @_noLocks
    package mutating func writes(at level: Int) {
        guard filling <= 0, sinceLate >= MachineStop.explainedSeconds else { return }
        let below = Double(frames &- level) - period
        slack += ((below < 0 ? 0 : below < period ? below : period) - slack) / Self.slackPeriods
    }

    /// A stream that begins anew meets the server's blocks elsewhere: which levels a period is written at is chosen so that they lie
    /// within half a period of the former ones.
    @_noLocks
    private mutating func keepDelay() {
        let wanted = cut + slack - period / 2
        let most = period / 2
        let next = wanted < 0 ? 0 : wanted < most ? wanted : most
        slack -= next - cut
        if held <= target { held = target - next }
        cut = next
    }

    /// A turn began later than it should have.
    /// - Parameters:
    ///   - milliseconds: by how much.
    ///   - isSettling: the stream has only just begun: that says nothing of turns to come, but explains what the device lacked.
    /// - Returns: whether the machine stood still.
    @discardableResult
    @_noLocks
    package mutating func late(by milliseconds: Double, isSettling: Bool = false) -> Bool {
        if isSettling {
            if milliseconds >= MachineLateness.leastMilliseconds { sinceLate = 0 }
            return false
        }
        guard amnesty <= 0, machine.turn(lateBy: milliseconds) else { return false }
        sinceLate = 0
        return true
    }

    /// Whether a stop of the machine explains the latest underrun: each explains one.
    private var isMachinesFault = false

    /// Silence that a stream begins with before its first period, in frames: up to the target, but after a stop of the machine, which
    /// held up sound that waits to be fetched, only what a server takes at once.
    package var lead: Int {
        @_noLocks get {
            let whole = frames &- Int(period)
            let block = Int(Self.serverBlockMilliseconds * framesPerMillisecond)
            return isMachinesFault && whole > block ? block : whole
        }
    }

    /// What that is longer by after such a stop, so that blocks are heard in the rhythm of those before, in frames: packets and blocks of
    /// the server then lie as they lay, and the delay is the former one. Longer periods are not waited for.
    /// - Parameter early: by how many frames the first block would be heard before one of those, more or less any number of periods.
    @_noLocks
    package func wait(forRhythm early: Int) -> Int {
        guard isMachinesFault, period >= 1, period <= Self.longestRhythmMilliseconds * framesPerMillisecond else { return 0 }
        let length = Int(period)
        let rest = early % length
        return rest < 0 ? rest &+ length : rest
    }

    /// What the machine's stops need, in frames.
    private var needed: Double {
        @_noLocks get {
            let beside = period + (Self.serverBlockMilliseconds + Self.aftermathMilliseconds) * framesPerMillisecond
            let floor = floor - cut
            let ready = (floor - beside) / framesPerMillisecond
            let bridged = (held - beside) / framesPerMillisecond
            let wanted = beside + machine.reserve(ready: ready > 0 ? ready : 0, held: bridged) * framesPerMillisecond
            return wanted < floor ? floor : wanted < ceiling ? wanted : ceiling
        }
    }

    /// An underrun happened, or nearly.
    @_noLocks
    package mutating func underran() {
        isMachinesFault = sinceLate < MachineStop.explainedSeconds
        guard !isMachinesFault else {
            sinceLate = MachineStop.explainedSeconds
            filling = MachineStop.explainedSeconds
            keepDelay()
            return
        }
        calm = 0
        guard sinceGrowth >= Self.incidentSeconds, amnesty <= 0 else { return }
        let step = target * Self.growth
        let least = Self.growthMilliseconds * framesPerMillisecond
        grow(to: target + (step > least ? step : least))
        calmNeeded = calmNeeded < Self.longestCalmSeconds / 2 ? calmNeeded * 2 : Self.longestCalmSeconds
    }

    @_noLocks
    private mutating func grow(to wanted: Double) {
        if sinceGrowth >= Self.moveSeconds || steady.target == 0 { steady = (target, calmNeeded) }
        sinceGrowth = 0
        cut = 0
        target = wanted < ceiling ? wanted : ceiling
    }

    /// The stream went to another device: what it stalled for that, just before and soon after, is not learned from.
    @_noLocks
    package mutating func moved() {
        amnesty = Self.moveSeconds
        (slack, cut) = (0, 0)
        guard sinceGrowth < Self.moveSeconds, steady.target > 0 else { return }
        (target, calmNeeded) = steady
        sinceGrowth = Self.incidentSeconds
    }

    /// `frames` were played without an underrun.
    @_noLocks
    package mutating func played(_ frames: Int) {
        let seconds = Double(frames) / (framesPerMillisecond * 1000)
        calm += seconds
        sinceGrowth += seconds
        sinceLate += seconds
        amnesty -= seconds
        filling -= seconds
        isMachinesFault = false
        machine.pass(seconds: seconds)
        follow(seconds)
        guard calm > calmNeeded, target > floor else { return }
        target -= seconds * Self.shrinkPerSecond * framesPerMillisecond
        if target < floor { target = floor }
    }

    @_noLocks
    private mutating func follow(_ seconds: Double) {
        let needed = needed
        let up = held + seconds * Self.raisePerSecond * framesPerMillisecond
        let down = held - seconds * Self.lowerPerSecond * framesPerMillisecond
        held = needed > up ? up : needed < down ? down : needed
    }
}
