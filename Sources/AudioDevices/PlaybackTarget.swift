/// How much sound is kept between us and the loudspeaker: grows after an underrun, a near miss and late turns, shrinks again
/// slowly.
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
    /// Two late turns foretell one so many times as late as the less late of them (one alone is a sound server's stumble over a
    /// program that joins): of 213 stops of a virtual machine in ten minutes, 5 to 19 ms long, each one longer than all before
    /// was at most 1.6 times as long as they.
    package static let lateFactor = 2.0
    /// A sound server's own block, in milliseconds.
    package static let serverBlockMilliseconds = 5.0
    /// A turn is late from here on, in milliseconds; so much counts at most; and beyond the last the program was stopped.
    package static let leastLateMilliseconds = 3.0
    package static let mostLateMilliseconds = 20.0
    package static let longestLateMilliseconds = 100.0
    /// Time without any of them before the target shrinks, in seconds; each further one doubles it: a machine that needs
    /// the higher target is not probed again and again. Stops of a virtual machine are minutes apart.
    package static let calmSeconds = 120.0
    /// The longest it becomes, in seconds.
    package static let longestCalmSeconds = 1920.0
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
    /// How late the latest turn of the recent ones was, in milliseconds; 0 without one.
    private var latest = 0.0
    private var sinceLate = 0.0
    /// Target and calm before the latest growths, which were close together.
    private var steady = (target: 0.0, calmNeeded: 0.0)
    /// Seconds for which underruns do not count.
    private var amnesty = 0.0

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
    }

    /// The target now, in frames.
    package var frames: Int { @_noLocks get { Int(target) } }

    /// The target now, in milliseconds.
    package var milliseconds: Double { @_noLocks get { target / framesPerMillisecond } }

    /// A turn found `level` frames still to be played.
    @_noLocks
    package mutating func found(level: Int) {
        if Double(level) <= Self.nearMissMilliseconds * framesPerMillisecond { underran() }
    }

    /// A turn began so many milliseconds later than it should have.
    @_noLocks
    package mutating func late(by milliseconds: Double) {
        guard milliseconds >= Self.leastLateMilliseconds, milliseconds <= Self.longestLateMilliseconds else { return }
        let counted = milliseconds < Self.mostLateMilliseconds ? milliseconds : Self.mostLateMilliseconds
        if sinceLate > Self.calmSeconds { latest = 0 }
        if sinceLate >= Self.incidentSeconds { makeRoom(for: counted < latest ? counted : latest) }
        if counted > latest { latest = counted }
        sinceLate = 0
    }

    @_noLocks
    private mutating func makeRoom(for lateness: Double) {
        let wanted = period + (Self.serverBlockMilliseconds + Self.lateFactor * lateness) * framesPerMillisecond
        guard lateness > 0, amnesty <= 0, wanted >= target - period else { return }
        calm = 0
        if wanted > target { grow(to: wanted) }
    }

    /// An underrun happened, or nearly.
    @_noLocks
    package mutating func underran() {
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
        target = wanted < ceiling ? wanted : ceiling
    }

    /// The stream went to another device: what it stalled for that, just before and soon after, is not learned from.
    @_noLocks
    package mutating func moved() {
        amnesty = Self.moveSeconds
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
        guard calm > calmNeeded, target > floor else { return }
        target -= seconds * Self.shrinkPerSecond * framesPerMillisecond
        if target < floor { target = floor }
    }
}
