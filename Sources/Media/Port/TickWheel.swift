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

    /// By so many members more than a quarter above the mean a phase may be fuller than others because its members asked for it.
    private static let evenness = 4

    /// The members that have their turn in the slot at hand.
    public private(set) var due: [Int] = []
    private var skipped = 0
    /// Members there are.
    public private(set) var count = 0

    private let slotMilliseconds: Double
    private let epoch: HostTime
    /// Slots that have been since the epoch.
    private var slot: Int64 = 0
    /// Members of one packet time, by the phase in which they have their turn: as many as it has slots.
    private struct Ring {
        var phases: [[Int]]

        var period: Int { phases.count }
        var count: Int { phases.reduce(0) { $0 + $1.count } }
        /// Members that a phase may have because they asked for it.
        var mostOfPhase: Int { count * 5 / (4 * period) + TickWheel.evenness }

        /// The phase of a member, and its place there; nil: it is not here.
        func place(of member: Int) -> (phase: Int, index: Int)? {
            for phase in phases.indices {
                if let index = phases[phase].firstIndex(of: member) { return (phase, index) }
            }
            return nil
        }
    }

    private var rings: [Ring] = []
    /// The period of each member, in slots.
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
        guard let longest = rings.lazy.map(\.period).max() else { return nil }
        let next = (slot..<slot + Int64(longest)).first { slot in
            rings.contains { !$0.phases[Int(slot % Int64($0.period))].isEmpty }
        }
        return next.map { time(of: $0) }
    }

    private func time(of slot: Int64) -> HostTime {
        HostTime(nanoseconds: epoch.nanoseconds &+ slot &* Int64(slotMilliseconds * 1e6))
    }

    /// Adds `member` to the phase that suits it, where that is not crowded; else, and where none does, to the one that has fewest.
    /// - Parameters:
    ///   - member: its number; one that is there already is moved.
    ///   - milliseconds: its packet time, rounded to whole slots.
    ///   - wait: slots before the one that suits it: 0 is the next one; nil: none does.
    public mutating func add(_ member: Int, everyMilliseconds milliseconds: Int, after wait: Int? = nil) {
        remove(member)
        let period = max(1, Int((Double(milliseconds) / slotMilliseconds).rounded()))
        let ring = ring(of: period)
        let order = (0..<period).map { (Int(slot % Int64(period)) + (wait ?? 0) + $0) % period }
        let fewest = order.min { rings[ring].phases[$0].count < rings[ring].phases[$1].count } ?? 0
        let isSuited = wait != nil && rings[ring].phases[order[0]].count < rings[ring].mostOfPhase
        let phase = isSuited ? order[0] : fewest
        rings[ring].phases[phase].append(member)
        // A move allocates nothing.
        let most = rings[ring].mostOfPhase
        for phase in 0..<period where rings[ring].phases[phase].capacity < most {
            rings[ring].phases[phase].reserveCapacity(2 * most)
        }
        periods[member] = period
        count += 1
        if due.capacity < count { due.reserveCapacity(2 * count) }
    }

    /// Moves `member` to another phase of its packet time.
    /// - Parameters:
    ///   - member: its number.
    ///   - slots: by so many slots later, or earlier where negative. One that is due in the slot at hand and is moved to a later one is due
    ///     again in that.
    /// - Returns: false where nothing was done: it is not there, or too many have their turn then already.
    public mutating func move(_ member: Int, bySlots slots: Int) -> Bool {
        guard let period = periods[member], let ring = rings.firstIndex(where: { $0.period == period }),
            let (from, index) = rings[ring].place(of: member)
        else { return false }
        let phase = ((from + slots) % period + period) % period
        guard phase != from, rings[ring].phases[phase].count < rings[ring].mostOfPhase else { return false }
        rings[ring].phases[from].remove(at: index)
        rings[ring].phases[phase].append(member)
        return true
    }

    /// Where members of that packet time are.
    private mutating func ring(of period: Int) -> Int {
        if let ring = rings.firstIndex(where: { $0.period == period }) { return ring }
        rings.append(Ring(phases: [[Int]](repeating: [], count: period)))
        return rings.count - 1
    }

    /// Lets `member` go; one that is not there is ignored. In the slot at hand it may still be due.
    public mutating func remove(_ member: Int) {
        guard let period = periods.removeValue(forKey: member) else { return }
        count -= 1
        if let ring = rings.firstIndex(where: { $0.period == period }), let (phase, index) = rings[ring].place(of: member) {
            rings[ring].phases[phase].remove(at: index)
        }
        if count == 0 { (rings, periods) = ([], [:]) }
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
        for ring in rings { due.append(contentsOf: ring.phases[Int(slot % Int64(ring.period))]) }
        slot += 1
        return time
    }
}
