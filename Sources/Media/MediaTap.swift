import JitterBuffer
import Realtime

/// Takes a copy of what passes through a loop: a recording, a dump, a packet capture. Called on the thread that steps the
/// loop, so it must not wait.
public protocol MediaTap: AnyObject {
    /// What stood for our own voice in the frame just sent.
    func add(sent block: [Float])
    /// What the loudspeaker is given.
    func add(heard block: [Float])
    /// How a stream's block was made.
    func add(_ outcome: PullOutcome, at now: HostTime)
    /// The machine stood still, or was late: packets that seem to have come meanwhile may have come any time before.
    func add(_ stop: MachineStop)
    /// Pulls come so many milliseconds later from now on: the device holds less.
    func add(pullsMovedBy milliseconds: Double, at now: HostTime)
    /// A block of `samples` was pulled from the streams.
    func add(pull now: HostTime, samples: Int)
    /// Something about the first call's stream is another from now on.
    func add(_ change: StreamChange, at now: HostTime)
}

extension MediaTap {
    public func add(sent block: [Float]) {}
    public func add(heard block: [Float]) {}
    public func add(_ outcome: PullOutcome, at now: HostTime) {}
    public func add(_ stop: MachineStop) {}
    public func add(pullsMovedBy milliseconds: Double, at now: HostTime) {}
    public func add(pull now: HostTime, samples: Int) {}
    public func add(_ change: StreamChange, at now: HostTime) {}
}
