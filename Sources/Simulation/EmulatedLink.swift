import Link
import RTP
import Realtime

/// A layer that sends through the network emulator; what comes the other way it hands on untouched.
public final class EmulatedLink: LinkLayer {
    public let lower: any PacketLink
    private var emulator: NetworkEmulator
    private var now: HostTime

    /// - Parameters:
    ///   - lower: takes each packet when it comes out, at most one step late on a live clock.
    ///   - conditions: what the network does to packets.
    ///   - seed: makes it do the same again.
    ///   - now: when the network begins.
    public init(over lower: any PacketLink, conditions: NetworkConditions, seed: UInt64, now: HostTime) {
        self.lower = lower
        emulator = NetworkEmulator(conditions: conditions, seed: seed)
        self.now = now
    }

    @discardableResult
    public func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool {
        // A step hands in what it makes at the time it began.
        emulator.send(Array(packet.bytes), stream: packet.flow == .media ? .rtp : .rtcp, at: self.now)
        return true
    }

    public func advance(to now: HostTime) {
        self.now = now
        while let packet = emulator.nextDelivery(until: now) {
            lower.send(copying: packet.bytes, on: packet.stream == .rtp ? .media : .control, now: packet.time)
        }
        lower.advance(to: now)
    }

    public var nextDeadline: HostTime? { [emulator.nextDeadline, lower.nextDeadline].compactMap(\.self).min() }
}
