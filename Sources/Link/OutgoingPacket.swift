import Realtime

/// Which of a session's two flows a packet belongs to.
public enum PacketFlow: UInt8, Sendable, Hashable, CaseIterable {
    /// RTP, and whatever shares its port.
    case media
    /// RTCP.
    case control
}

/// A packet on its way down a link: bytes at the head of a buffer that has room behind them for what layers add in place.
public struct OutgoingPacket {
    public let flow: PacketFlow
    /// Where it goes when that is not the peer: a check or a handshake before there is one.
    public var destination: SocketAddress?
    private let buffer: UnsafeMutableRawBufferPointer
    /// Bytes of the packet so far.
    public private(set) var count: Int

    /// - `buffer`: stays valid and is not touched by others while the packet is on its way; `count` of its bytes are the packet.
    public init(
        _ flow: PacketFlow, in buffer: UnsafeMutableRawBufferPointer, count: Int, to destination: SocketAddress? = nil
    ) {
        precondition(count >= 0 && count <= buffer.count, "\(count) bytes in a buffer of \(buffer.count)")
        self.flow = flow
        self.buffer = buffer
        self.count = count
        self.destination = destination
    }

    /// The packet.
    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[..<count]) }

    /// Bytes that still fit behind the packet.
    public var room: Int { buffer.count - count }

    /// Has `body` change the packet in place: it gets the whole buffer and the packet's length, and returns the new length,
    /// or nil to leave the packet as it is.
    /// - Returns: false when `body` gave nil.
    public mutating func transform(_ body: (UnsafeMutableRawBufferPointer, Int) -> Int?) -> Bool {
        guard let changed = body(buffer, count), changed >= 0, changed <= buffer.count else { return false }
        count = changed
        return true
    }
}

extension PacketLink {
    /// Sends a copy of `bytes`, with room behind them. For packets that are rare: RTCP, and what an emulator held back.
    @discardableResult
    public func send(copying bytes: some Collection<UInt8>, on flow: PacketFlow, now: HostTime) -> Bool {
        let length = bytes.count
        return withUnsafeTemporaryAllocation(
            byteCount: length + PacketLimits.trailerBytes, alignment: MemoryLayout<UInt64>.alignment
        ) { buffer in
            buffer.copyBytes(from: bytes)
            var packet = OutgoingPacket(flow, in: buffer, count: length)
            return send(&packet, now: now)
        }
    }
}
