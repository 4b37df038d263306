import AudioDevices
import AudioUnits
import Link
import LiveMedia
import RTP
import Realtime
import Reporting

/// A whole call between two endpoints in virtual time: the same units, rings, codecs, packets and jitter buffers as a live
/// call, with simulated devices, network and clock.
///
/// ```
///  room A <-> VirtualDevice <-> unit <-> MediaLoop, Call == EmulatedLink ==> Call, MediaLoop <-> unit <-> VirtualDevice <-> room B
/// ```
/// Encrypted, an `SRTPLink` stands between each call and its emulated network.
/// Nothing in it waits, so a minute's call takes a few seconds; nothing is random but by the seed.
public final class OfflineCall {
    /// The two endpoints; what one sends the other receives.
    public let sides: [OfflineSide]
    let plan: LoopbackPlan
    private let tickMilliseconds: Double
    private let ends: [WireEnd]

    /// What moves the sides where a machine stands still.
    private var machineRun: MachineRun?

    /// Builds both endpoints; nothing has happened yet.
    public init(_ plan: LoopbackPlan) throws(CallError) {
        self.plan = plan
        tickMilliseconds = plan.periodMilliseconds
        let ends = [WireEnd(), WireEnd()]
        ends[0].other = ends[1]
        ends[1].other = ends[0]
        var sides: [OfflineSide] = []
        for index in 0..<2 {
            let network = EmulatedLink(
                over: ends[index], conditions: plan.network, seed: plan.seed &* 4 &+ UInt64(index), now: .zero)
            let link: any PacketLink =
                plan.encrypts
                ? try SimulatedKeys.protect(network, side: index, seed: plan.keySeed?(index) ?? plan.seed)
                : network
            sides.append(try OfflineSide(plan: plan, side: index, link: link))
        }
        self.sides = sides
        self.ends = ends
        for (end, side) in zip(ends, sides) { end.machine = side.machine?.stops }
        if plan.machine != nil { machineRun = MachineRun(sides: sides, periodMilliseconds: tickMilliseconds) }
    }

    /// Seconds of the call that have passed.
    public private(set) var seconds = 0.0

    /// Runs the whole call, or as far as `isInterrupted` lets it; it is asked after each tick.
    public func run(isInterrupted: () -> Bool = { false }) throws(CallError) {
        try run(isInterrupted: isInterrupted, afterTick: { _ in })
    }

    /// Runs the whole call and hands out the time after each tick, for whoever presses keys meanwhile.
    package func run(
        isInterrupted: () -> Bool = { false }, afterTick: (HostTime) -> Void
    ) throws(CallError) {
        for side in sides { try side.start() }
        let ticks = max(1, Int(plan.seconds * 1000 / tickMilliseconds))
        var tick = 0
        var now = HostTime.zero
        while tick < ticks, !isInterrupted() {
            tick += 1
            now = HostTime(milliseconds: Double(tick) * tickMilliseconds)
            step(to: now)
            afterTick(now)
        }
        seconds = now.milliseconds(since: .zero) / 1000
        for side in sides { side.hangUp(now: now) }
        for side in sides { side.finish() }
    }

    /// Pulls the network's plug: nothing arrives any more, in both directions, and nobody is told.
    package func unplug() {
        for end in ends { end.other = nil }
    }

    /// One tick of both devices; packets that come due in between arrive at their own time.
    private func step(to now: HostTime) {
        if machineRun != nil {
            machineRun?.run(until: now)
            return
        }
        for side in sides { side.link.advance(to: now) }
        for side in sides { side.step(now: now) }
        // What the second side sent to the first without delay has arrived too.
        for side in sides { side.receive(now: now) }
    }
}
