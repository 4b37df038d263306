import Synchronization

/// A time in which this machine did nothing of ours, as far as we know.
public struct MachineStop: Sendable, Equatable, BitwiseCopyable {
    /// When something of ours last ran before.
    public var begin: HostTime
    /// When it ran again.
    public var end: HostTime

    @_noLocks
    public init(begin: HostTime, end: HostTime) {
        self.begin = begin
        self.end = end
    }
}

extension MachineStop {
    /// What the other side's machine held up, and the report that tells of it, come this close together, in milliseconds: they are not
    /// quite as long on their way.
    public static let closeness = 30.0

    /// So soon after its end it explains that sound was missing, in seconds.
    public static var explainedSeconds: Double { @_noLocks get { 0.3 } }

    /// A turn that is late by so many milliseconds held up what came meanwhile, though that is no stop yet.
    static let leastLateness = 1.0
    /// What is later, and no stop, says nothing: the device was just beginning. In whole microseconds it is no stop either.
    static let mostLateness = MachineLateness.leastMilliseconds - 0.001

    /// Whether it is a stop; less is a turn that was late.
    public var isStop: Bool { @_noLocks get { milliseconds >= MachineLateness.leastMilliseconds } }

    /// What a turn says that was due and began now: where that was a stop, all the time since the turn before; where it was late all the
    /// same, since it was due; nil: nothing.
    @_noLocks
    public static func found(isStop: Bool, since previous: HostTime, due: HostTime, now: HostTime) -> MachineStop? {
        if isStop { return MachineStop(begin: previous, end: now) }
        let late = MachineStop(begin: due, end: now)
        return late.milliseconds >= leastLateness && late.milliseconds < mostLateness ? late : nil
    }

    /// Its length in milliseconds.
    public var milliseconds: Double { end.milliseconds(since: begin) }

    /// The same as a capture keeps it: its length in whole microseconds.
    public var inWholeMicroseconds: MachineStop {
        MachineStop(end: end, microseconds: (milliseconds * 1000).rounded())
    }

    /// A stop that ended at `end`.
    public init(end: HostTime, microseconds: Double) {
        self.init(begin: end.advanced(byMilliseconds: -microseconds / 1000), end: end)
    }
}

/// What a device's thread knows of its machine.
public struct MachineReading: Sendable, Equatable, BitwiseCopyable {
    /// Stops since the start, and the longest of them, in milliseconds.
    public var stops = 0
    public var longestMilliseconds = 0.0
    /// How late 99 of 100 turns were at most, in milliseconds.
    public var lateness99 = 0.0
    /// Delay that is there because of the stops, in milliseconds.
    public var reserveMilliseconds = 0.0
    /// The latest stop; nil: there was none.
    public var lastStop: MachineStop?
    /// The latest turn that was late, but no stop.
    public var lastLateTurn: MachineStop?

    @_noLocks
    public init() {}
}

/// Where a render thread leaves what it knows of the machine, for whoever wants to read it.
///
/// The numbers are read one by one: those of two turns may mix, which does no harm to any of them.
public struct MachineBoard: ~Copyable, Sendable {
    private let stops = Atomic<Int>(0)
    // Microseconds.
    private let longest = Atomic<Int>(0)
    private let lateness99 = Atomic<Int>(0)
    private let reserve = Atomic<Int>(0)
    private let lastStop = MachineStopCell()
    private let lastLateTurn = MachineStopCell()

    public init() {}

    /// Leaves what is known. Safe on a render thread.
    @_noLocks
    public func write(_ machine: borrowing MachineLateness, reserveMilliseconds: Double) {
        stops.store(machine.stops, ordering: .relaxed)
        longest.store(Int(machine.longestMilliseconds * 1000), ordering: .relaxed)
        reserve.store(Int(reserveMilliseconds * 1000), ordering: .relaxed)
        lateness99.store(Int(machine.lateness99 * 1000), ordering: .relaxed)
    }

    /// Leaves the latest stop, or the latest turn that was late.
    @_noLocks
    public func write(_ stop: MachineStop) {
        if stop.isStop { lastStop.write(stop) } else { lastLateTurn.write(stop) }
    }

    /// What was left last.
    public var reading: MachineReading {
        var reading = MachineReading()
        reading.stops = stops.load(ordering: .relaxed)
        reading.longestMilliseconds = Double(longest.load(ordering: .relaxed)) / 1000
        reading.lateness99 = Double(lateness99.load(ordering: .relaxed)) / 1000
        reading.reserveMilliseconds = Double(reserve.load(ordering: .relaxed)) / 1000
        reading.lastStop = lastStop.value
        reading.lastLateTurn = lastLateTurn.value
        return reading
    }
}

/// Where a render thread leaves a stop.
private struct MachineStopCell: ~Copyable, Sendable {
    // Nanoseconds of the host's clock; 0: never.
    private let begin = Atomic<Int64>(0)
    private let end = Atomic<Int64>(0)

    @_noLocks
    func write(_ stop: MachineStop) {
        begin.store(stop.begin.nanoseconds, ordering: .relaxed)
        end.store(stop.end.nanoseconds, ordering: .releasing)
    }

    /// What was left last; nil: nothing yet.
    var value: MachineStop? {
        let last = end.load(ordering: .acquiring)
        guard last != 0 else { return nil }
        return MachineStop(begin: HostTime(nanoseconds: begin.load(ordering: .relaxed)), end: HostTime(nanoseconds: last))
    }
}
