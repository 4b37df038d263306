/// A time in which this machine did nothing of ours, as far as we know: a stop, or the time by which a turn of its was late.
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

    /// Whether it is a stop; a shorter one is a turn that was late.
    public var isStop: Bool { @_noLocks get { milliseconds >= MachineLateness.leastMilliseconds } }

    /// What a turn says that begins now, later than it was due by so many milliseconds: a stop, which may be any time since the turn
    /// before, or that it was late since it was due; nil: nothing.
    @_noLocks
    public static func found(
        isStop: Bool, since previous: HostTime, lateBy milliseconds: Double, now: HostTime
    ) -> MachineStop? {
        guard isStop || milliseconds >= leastLateness && milliseconds < mostLateness else { return nil }
        let due = HostTime(nanoseconds: now.nanoseconds &- Int64(milliseconds * 1e6))
        return MachineStop(begin: isStop && previous < due ? previous : due, end: now)
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
