/// How late a machine's turns are: its stops, what they will be like, and what it pays to be ready for.
///
/// One model for all that waits for this machine, as the jitter buffer has one for the network. A host takes a container's processors
/// away for some milliseconds now and then; each time what is due then is done later. Who keeps as much sound as the stop is long
/// does not notice, and pays with so much delay all the time. So the stops that were are remembered, and a cost is put on both.
public struct MachineLateness: BitwiseCopyable, Sendable {
    /// A turn is late from here on, in milliseconds: a stop.
    public static let leastMilliseconds = 3.0
    /// Beyond this, in milliseconds, the program was stopped: nothing to be ready for.
    public static let mostMilliseconds = 200.0
    /// Stops that are remembered, and for how long, in seconds.
    static let capacity = 96
    static let memorySeconds = 300.0
    /// Milliseconds of gap a minute that a millisecond of delay is worth: what the jitter buffer's usual price says of late packets.
    public static let usualPrice = 10.0
    /// What a gap costs beside its length, in milliseconds: a device that ran dry begins anew.
    static let costOfGap = 15.0
    /// What it costs to hold more or less than before, in milliseconds of gap a minute, once as many stops are known as are remembered:
    /// so much less must another reserve cost. What is best differs a little from stop to stop, and a little is enough to move a packet
    /// to the next or the former period of the device, which is a step of 5 ms in what is heard.
    static let costOfMove = 30.0
    /// Stops are over when none came for so many times the usual interval (of exponential ones 1 of 90 is as long), in seconds within
    /// these bounds. When one comes again, all are remembered.
    static let patience = 6.5
    static let patienceSeconds = (least: 2.0, most: 120.0)
    /// More are expected at least so long after one, in seconds: however often they come, a false end costs a gap, and what is held for
    /// nothing is given back within five seconds all the same.
    static let leastExpectation = 4.0
    /// Shortest time that a frequency is taken over, in seconds.
    static let leastSpan = 10.0

    /// As many as `capacity`.
    private typealias Values = InlineArray<96, Double>

    private var lengths = Values(repeating: 0)
    private var ends = Values(repeating: 0)
    /// The lengths of those that are remembered, the shortest first.
    private var ordered = Values(repeating: 0)
    private var next = 0
    /// Stops that are remembered.
    private var count = 0
    private var clock = 0.0
    private var usualInterval = 0.0
    private let price: Double
    /// Turns by how late they were, in steps of half a millisecond.
    private var turns = InlineArray<64, UInt32>(repeating: 0)
    private var turnCount: UInt32 = 0

    /// Stops since the start.
    public private(set) var stops = 0
    /// The longest of them, in milliseconds.
    public private(set) var longestMilliseconds = 0.0

    /// - Parameter price: milliseconds of gap a minute that a millisecond of delay is worth.
    @_noLocks
    public init(price: Double = usualPrice) { self.price = price }

    /// Time passes.
    @_noLocks
    public mutating func pass(seconds: Double) { clock += seconds }

    /// A turn began so many milliseconds later than it should have.
    /// - Returns: whether the machine stood still.
    @discardableResult
    @_noLocks
    public mutating func turn(lateBy milliseconds: Double) -> Bool {
        guard milliseconds > -1e9, milliseconds < 1e9 else { return false }
        let bin = Int(milliseconds > 0 ? milliseconds * 2 : 0)
        turns[bin < 64 ? bin : 63] &+= 1
        turnCount &+= 1
        guard milliseconds >= Self.leastMilliseconds else { return false }
        stops &+= 1
        if milliseconds > longestMilliseconds { longestMilliseconds = milliseconds }
        guard milliseconds <= Self.mostMilliseconds else { return true }
        forget()
        lengths[next] = milliseconds
        ends[next] = clock
        next = (next &+ 1) % Self.capacity
        if count < Self.capacity { count &+= 1 }
        order()
        usualInterval = medianInterval()
        return true
    }

    /// How late 99 of 100 turns are at most, in milliseconds, to half a one; 0 without turns.
    public var lateness99: Double {
        @_noLocks get {
            var above = turnCount / 100
            var bin = 63
            while bin > 0, turns[bin] <= above {
                above &-= turns[bin]
                bin &-= 1
            }
            return turnCount > 0 && bin > 0 ? Double(bin &+ 1) / 2 : 0
        }
    }

    /// Seconds after the latest stop from which on they are over; nil: one alone says nothing of others.
    public var overAfterSeconds: Double? {
        @_noLocks get {
            guard count >= 2 else { return nil }
            let wanted = Self.patience * usualInterval
            let bounds = Self.patienceSeconds
            return wanted < bounds.least ? bounds.least : wanted > bounds.most ? bounds.most : wanted
        }
    }

    /// Whether more stops are to come.
    public var expectsStops: Bool {
        @_noLocks get {
            guard let patience = overAfterSeconds else { return false }
            return clock - ends[slot(0)] <= (patience < Self.leastExpectation ? Self.leastExpectation : patience)
        }
    }

    /// Length of a stop that it pays to be ready for, in milliseconds: the one of least cost, or what is held where that costs little more.
    /// - Parameters:
    ///   - ready: what costs nothing, since it is there anyway.
    ///   - held: what is held now.
    @_noLocks
    public func reserve(ready: Double, held: Double = 0) -> Double {
        guard expectsStops else { return ready }
        // The longest of so many is not the longest there is.
        let foreseen = ordered[count &- 1] * Double(count &+ 4) / Double(count &+ 2)
        var (best, least) = (foreseen, price * (foreseen > ready ? foreseen : ready))
        // Somewhat more than each stop, from the longest on, and at last what is there anyway.
        var longer = Longer()
        for index in 0...count {
            let isLast = index == count || longest(after: index) + 1 <= ready
            let one = isLast ? ready : longest(after: index) + 1
            add(to: &longer, than: one)
            let cost = cost(of: one, longer, foreseen: foreseen)
            if cost < least || isLast && cost == least { (best, least) = (one, cost) }
            if isLast { break }
        }
        let wanted = best > ready ? best : ready
        guard held > ready else { return wanted }
        longer = Longer()
        add(to: &longer, than: held)
        // Of few stops little is known, so that what was held is soon wrong.
        let move = Self.costOfMove * Double(count) / Double(Self.capacity)
        return cost(of: held, longer, foreseen: foreseen) <= least + move ? held : wanted
    }

    /// Stops that are longer than something: how many, and their sum in milliseconds.
    private struct Longer: BitwiseCopyable {
        var number = 0
        var milliseconds = 0.0
    }

    /// Adds those that are longer than `milliseconds`, which is no more than before.
    @_noLocks
    private func add(to longer: inout Longer, than milliseconds: Double) {
        while longer.number < count, longest(after: longer.number) > milliseconds {
            longer.milliseconds += longest(after: longer.number)
            longer.number &+= 1
        }
    }

    /// What it costs to be ready for stops of up to `milliseconds`, delay and gaps together, in milliseconds of gap a minute.
    @_noLocks
    private func cost(of milliseconds: Double, _ longer: Longer, foreseen: Double) -> Double {
        var gaps = longer.milliseconds + Double(longer.number) * (Self.costOfGap - milliseconds)
        // Beyond all of them there is the one that is foreseen.
        if longer.number == 0, foreseen > milliseconds { gaps += foreseen - milliseconds + Self.costOfGap }
        let span = clock - ends[slot(count &- 1)]
        return gaps / ((span > Self.leastSpan ? span : Self.leastSpan) / 60) + price * milliseconds
    }

    /// Length in milliseconds of the longest stop but for `index` longer ones.
    @_noLocks
    private func longest(after index: Int) -> Double { ordered[count &- 1 &- index] }

    @_noLocks
    private mutating func order() {
        for index in 0..<count { Self.insert(lengths[slot(index)], into: &ordered, count: index) }
    }

    /// Puts a value in its place among the first `count`, which are in ascending order.
    @_noLocks
    private static func insert(_ value: Double, into values: inout Values, count: Int) {
        var place = count
        while place > 0, values[place &- 1] > value {
            values[place] = values[place &- 1]
            place &-= 1
        }
        values[place] = value
    }

    @_noLocks
    private mutating func forget() {
        while count > 0, clock - ends[slot(count &- 1)] > Self.memorySeconds { count &-= 1 }
    }

    /// Half of the intervals are shorter: a pause among them does not count.
    @_noLocks
    private func medianInterval() -> Double {
        guard count >= 2 else { return 0 }
        var sorted = Values(repeating: 0)
        let number = count &- 1
        for index in 0..<number { Self.insert(ends[slot(index)] - ends[slot(index &+ 1)], into: &sorted, count: index) }
        return number % 2 == 1 ? sorted[number / 2] : (sorted[number / 2] + sorted[number / 2 &- 1]) / 2
    }

    /// Where the stop that was `index` stops before the latest one is.
    @_noLocks
    private func slot(_ index: Int) -> Int { (next &+ Self.capacity &- 1 &- index) % Self.capacity }
}
