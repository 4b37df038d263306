import Calling
import RTP
import Realtime

/// A call's packets through the network emulator, and on to wherever the network ends: a socket or the other call.
public final class EmulatedPort: PacketPort {
    private var emulator: NetworkEmulator
    private var now: HostTime
    private let deliver: (NetworkEmulator.Delivery) -> Void

    /// - Parameters:
    ///   - conditions: what the network does to packets.
    ///   - seed: makes it do the same again.
    ///   - now: when the network begins.
    ///   - deliver: takes each packet when it comes out, at most one step late on a live clock; `time` is when it was due.
    public init(
        conditions: NetworkConditions, seed: UInt64, now: HostTime,
        deliver: @escaping (NetworkEmulator.Delivery) -> Void
    ) {
        emulator = NetworkEmulator(conditions: conditions, seed: seed)
        self.now = now
        self.deliver = deliver
    }

    public func send(rtp packet: UnsafeRawBufferPointer) { emulator.send(Array(packet), stream: .rtp, at: now) }

    public func send(rtcp packet: UnsafeRawBufferPointer) { emulator.send(Array(packet), stream: .rtcp, at: now) }

    public func advance(to now: HostTime) {
        self.now = now
        while let packet = emulator.nextDelivery(until: now) { deliver(packet) }
    }

    public var nextDeadline: HostTime? { emulator.nextDeadline }
}
