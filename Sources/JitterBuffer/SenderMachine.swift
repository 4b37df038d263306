import Realtime

/// Why a packet came late.
package enum LatenessCause: Sendable, Equatable {
    /// Nobody told of another reason.
    case network
    /// Our own machine stood still, and saw it late.
    case machine
    /// The sender's machine stood still, and sent it late.
    case sender
}

/// The sender's machine, as far as it tells of its stops (docs/rtcp-delay-app.md).
///
/// What comes late by no more than the longest of them, and not more often than it tells of, is its doing and not the network's.
/// `MachineLateness` says what it pays to hold against it, by the rules of our own machine, and forgets it as soon. Reports come after
/// what they explain: while each tells of new stops, more are expected before the next; where they begin, what came late since the
/// report before is seen anew (`ArrivalHistory.excuse`).
package struct SenderMachine {
    /// A packet may be late by more than the stop that it tells of, in milliseconds: it tells how late a turn of its device was, and
    /// those come every 5 ms or so.
    private static let slack = 5.0
    /// Late packets this close together, in milliseconds, are one stop's.
    private static let sameStop = 5.0
    /// More stops than so many times those told of, and so many beside, are not the sender's.
    private static let mostOfEach = 2
    private static let mostBeside = 2
    /// The format tells no more.
    private static let mostTold = 65_535

    private var machine: MachineLateness
    private let price: Double
    private var stops = 0
    private var longest = 0.0
    /// Stops that were seen in its packets since the last report.
    private var seen = 0
    private var lastLate = -Double.infinity
    private var clock: Double?
    /// When it told last, in milliseconds; nil: it never did.
    package private(set) var lastReport: Double?
    /// Whether what comes late now is its doing: the last report told of new stops.
    package private(set) var isStopping = false

    /// - Parameter price: milliseconds of gap a minute that a millisecond of delay is worth.
    package init(price: Double = MachineLateness.usualPrice) {
        self.price = price
        machine = MachineLateness(price: price)
    }

    /// How late packets are, in milliseconds, that a machine held up whose longest stop is `longest`; nil: it held up none.
    package static func lateness(longest: Double) -> ClosedRange<Double>? {
        let least = MachineLateness.leastMilliseconds
        return longest >= least ? least...min(longest + slack, MachineLateness.mostMilliseconds) : nil
    }

    /// Whether a packet that came late at `time` was held up by another stop than the one before it, at `last`; milliseconds.
    package static func isNewStop(at time: Double, after last: Double) -> Bool { time - last > sameStop }

    /// It told of its stops.
    /// - Parameters:
    ///   - stops: since the call's start.
    ///   - longest: of them, in milliseconds.
    ///   - late: stops that would explain what came late since the report before, and was not taken for its doing.
    ///   - time: in milliseconds.
    /// - Returns: whether they begin: what came late since the report before was its doing already.
    package mutating func note(stops: Int, longest: Double, late: Int, at time: Double) -> Bool {
        let stops = min(max(stops, 0), Self.mostTold)
        // One that begins anew counts from 0.
        let fresh = stops >= self.stops ? stops - self.stops : stops
        let isExplained = fresh > 0 && seen + late <= Self.mostOfEach * fresh + Self.mostBeside
        let begins = isExplained && !isStopping
        if fresh > 0, !isExplained { machine = MachineLateness(price: price) }
        (self.stops, self.longest) = (stops, longest)
        seen = 0
        lastReport = time
        isStopping = isExplained
        return begins
    }

    /// A packet came so many milliseconds later than the fastest.
    /// - Returns: whether that is its doing.
    package mutating func takes(excess: Double, at time: Double) -> Bool {
        guard isStopping, let range = Self.lateness(longest: longest), range.contains(excess) else { return false }
        book(excess, at: time)
        return true
    }

    /// Remembers that it held a packet up for `excess` milliseconds until `time`.
    package mutating func book(_ excess: Double, at time: Double) {
        pass(to: time)
        defer { lastLate = max(lastLate, time) }
        guard Self.isNewStop(at: time, after: lastLate) else { return }
        seen += 1
        machine.turn(lateBy: excess)
    }

    /// Delay above the fastest packets that it pays to have against it, in milliseconds; 0: none beyond `ready`, which is there anyway.
    package mutating func reserve(ready: Double, at time: Double) -> Double {
        guard machine.stops > 0 else { return 0 }
        pass(to: time)
        let reserve = machine.reserve(ready: ready)
        return reserve > ready ? reserve : 0
    }

    private mutating func pass(to time: Double) {
        if let clock, time > clock { machine.pass(seconds: (time - clock) / 1000) }
        clock = max(clock ?? time, time)
    }
}
