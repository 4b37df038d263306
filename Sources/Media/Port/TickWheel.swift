import Realtime

/// When each of many calls has its turn: turns are a slot apart, calls are spread evenly over the slots of their packet time, and
/// one wait serves all calls of a slot.
///
/// ```
/// packet time of 20 ms:  | slot 0 | slot 1 | slot 2 | slot 3 | slot 0 ...
///                          a e      b f      c        d        a e
/// ```
/// Sans-I/O. Slots that were slept through are made up for one after the other, so that every call has as many turns as its packets
/// need; after a longer absence they are left out, for what they would play and send is no use to anybody.
public struct TickWheel {
    /// Length of a slot where nobody chooses: with a wait each, 200 wake-ups a second.
    public static let usualMilliseconds = 5.0
    /// Absence that is made up for, in milliseconds.
    public static let madeUpMilliseconds = 1000.0

    /// The members that have their turn in the slot at hand.
    public private(set) var due: [Int] = []
    private var skipped = 0
    /// Members there are.
    public private(set) var count = 0

    private let slotMilliseconds: Double
    private let epoch: HostTime
    /// Slots that have been since the epoch.
    private var slot: Int64 = 0
    /// For each packet time in slots: the members of each of its phases.
    private var phases: [Int: [[Int]]] = [:]
    private var periods: [Int: Int] = [:]

    /// - Parameters:
    ///   - start: when the first slot is due.
    ///   - slotMilliseconds: length of a slot, 1 or more.
    public init(start: HostTime, slotMilliseconds: Double = Self.usualMilliseconds) {
        epoch = start
        self.slotMilliseconds = max(1, slotMilliseconds)
    }

    /// When the next slot is due.
    public var nextTurn: HostTime { time(of: slot) }

    /// When the next slot is due in which a member has its turn; nil: there is none.
    public var nextMembers: HostTime? {
        guard let longest = phases.keys.max() else { return nil }
        let next = (slot..<slot + Int64(longest)).first { slot in
            phases.contains { period, lists in !lists[Int(slot % Int64(period))].isEmpty }
        }
        return next.map { time(of: $0) }
    }

    private func time(of slot: Int64) -> HostTime {
        HostTime(nanoseconds: epoch.nanoseconds &+ slot &* Int64(slotMilliseconds * 1e6))
    }

    /// Adds `member` to the phase that has fewest.
    /// - Parameters:
    ///   - member: its number; one that is there already is moved.
    ///   - milliseconds: its packet time, rounded to whole slots.
    ///   - wait: slots before the one that suits it best, where others are as full: 0 is the next one.
    public mutating func add(_ member: Int, everyMilliseconds milliseconds: Int, after wait: Int = 0) {
        remove(member)
        let period = max(1, Int((Double(milliseconds) / slotMilliseconds).rounded()))
        var lists = phases[period] ?? [[Int]](repeating: [], count: period)
        let order = (0..<period).map { (Int(slot % Int64(period)) + wait + $0) % period }
        let phase = order.min { lists[$0].count < lists[$1].count } ?? 0
        lists[phase].append(member)
        phases[period] = lists
        periods[member] = period
        count += 1
    }

    /// Lets `member` go; one that is not there is ignored. In the slot at hand it may still be due.
    public mutating func remove(_ member: Int) {
        guard let period = periods.removeValue(forKey: member) else { return }
        count -= 1
        for phase in 0..<period {
            guard let index = phases[period]?[phase].firstIndex(of: member) else { continue }
            phases[period]?[phase].remove(at: index)
            break
        }
        if count == 0 { (phases, periods) = ([:], [:]) }
    }

    /// Slots left out since the last time.
    public mutating func takeSkipped() -> Int {
        defer { skipped = 0 }
        return skipped
    }

    /// Goes on to the next slot if it is due at `now`: its members are in `due`.
    /// - Returns: when the slot was due; `nil`: none is, wait for `nextTurn`.
    public mutating func advance(to now: HostTime) -> HostTime? {
        let late = now.milliseconds(since: nextTurn)
        guard late >= 0 else { return nil }
        if late > Self.madeUpMilliseconds {
            let slots = Int64(late / slotMilliseconds)
            slot += slots
            skipped += Int(slots)
        }
        let time = nextTurn
        due.removeAll(keepingCapacity: true)
        for (period, lists) in phases { due.append(contentsOf: lists[Int(slot % Int64(period))]) }
        slot += 1
        return time
    }
}
