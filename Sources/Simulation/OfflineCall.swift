import AudioDevices
import AudioUnits
import Calling
import RTP
import Realtime
import Reporting

/// A whole call between two endpoints in virtual time: the same units, rings, codecs, packets and jitter buffers as a live
/// call, with simulated devices, network and clock.
///
/// ```
///  room A <-> VirtualDevice <-> unit <-> MediaLoop, Call == EmulatedPort ==> Call, MediaLoop <-> unit <-> VirtualDevice <-> room B
/// ```
/// Nothing in it waits, so a minute's call takes a few seconds; nothing is random but by the seed.
public final class OfflineCall {
    /// The two endpoints; what one sends the other receives.
    public let sides: [OfflineSide]
    let plan: LoopbackPlan
    private let tickMilliseconds: Double
    private let wires: [Wire]

    /// Builds both endpoints; nothing has happened yet.
    public init(_ plan: LoopbackPlan) throws(CallError) {
        self.plan = plan
        tickMilliseconds = plan.periodMilliseconds
        let wires = [Wire(), Wire()]
        var sides: [OfflineSide] = []
        for index in 0..<2 {
            let wire = wires[index]
            let port = EmulatedPort(conditions: plan.network, seed: plan.seed &* 4 &+ UInt64(index), now: .zero) {
                wire.deliver($0)
            }
            sides.append(try OfflineSide(plan: plan, side: index, port: port))
        }
        wires[0].target = sides[1].call
        wires[1].target = sides[0].call
        self.sides = sides
        self.wires = wires
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
        for wire in wires { wire.target = nil }
    }

    /// One tick of both devices; packets that come due in between arrive at their own time.
    private func step(to now: HostTime) {
        for side in sides { side.port.advance(to: now) }
        for side in sides { side.step(now: now) }
    }
}

/// Carries what leaves one side's network to the other side's call.
private final class Wire {
    weak var target: Call?

    func deliver(_ packet: NetworkEmulator.Delivery) {
        packet.bytes.withUnsafeBytes { bytes in
            switch packet.stream {
            case .rtp: target?.receive(rtp: bytes, arrival: packet.time)
            case .rtcp: target?.receive(rtcp: bytes, arrival: packet.time)
            }
        }
    }
}
