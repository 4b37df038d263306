import Realtime

/// Moves two endpoints whose machines stand still now and then.
///
/// Devices keep their own time, and packets arrive at theirs. The turns of a side's threads come when they are due, or when its
/// machine is back: what was captured meanwhile at once, the loudspeaker's by its queue, and the media thread after each.
struct MachineRun {
    private let sides: [OfflineSide]
    private let periodMilliseconds: Double
    /// Periods of each side's device that have passed.
    private var periods: [Int]
    /// When each side's capture thread has something to do; nil: nothing.
    private var captureDue: [HostTime?]
    /// Where a side's machine last was: its turns do not run backwards.
    private var times: [HostTime]

    init(sides: [OfflineSide], periodMilliseconds: Double) {
        self.sides = sides
        self.periodMilliseconds = periodMilliseconds
        periods = sides.map { _ in 0 }
        captureDue = sides.map { _ in nil }
        times = sides.map { _ in .zero }
    }

    /// Everything that happens until `end`, which included.
    mutating func run(until end: HostTime) {
        while let (time, side, isTurn) = next(), time <= end {
            for side in sides { side.link.advance(to: time) }
            if isTurn { turn(side, now: time) } else { passPeriod(side, now: time) }
        }
        for side in sides { side.link.advance(to: end) }
    }

    /// The next event: the devices' own first.
    private func next() -> (time: HostTime, side: Int, isTurn: Bool)? {
        var next: (time: HostTime, side: Int, isTurn: Bool)?
        for side in sides.indices {
            let period = periodEnd(side)
            if next.map({ period < $0.time }) ?? true { next = (period, side, false) }
        }
        for side in sides.indices {
            let turn = turnTime(side)
            if next.map({ turn < $0.time }) ?? true { next = (turn, side, true) }
        }
        return next
    }

    private func periodEnd(_ side: Int) -> HostTime { HostTime(milliseconds: Double(periods[side] + 1) * periodMilliseconds) }

    private func turnTime(_ side: Int) -> HostTime {
        guard let machine = sides[side].machine else { return captureDue[side] ?? HostTime(nanoseconds: .max) }
        let due = min(captureDue[side] ?? machine.device.due, machine.device.due)
        return machine.stops.resumption(of: max(due, times[side]))
    }

    private mutating func passPeriod(_ side: Int, now: HostTime) {
        periods[side] += 1
        sides[side].passPeriod(now: now)
        if captureDue[side] == nil { captureDue[side] = now }
    }

    private mutating func turn(_ side: Int, now: HostTime) {
        times[side] = now
        captureDue[side] = nil
        sides[side].turn(now: now)
    }
}
