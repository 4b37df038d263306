import Synchronization

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
