/// Which earlier packets travel again in each packet: bit k - 1 stands for the one k packets back.
public struct RedundancyOffsets: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue & 0b1111 }

    /// The packet `offset` packets back, 1 to `RedundancyPacker.maximumOffset`; none for other numbers.
    public init(offset: Int) {
        self.init(rawValue: (1...RedundancyPacker.maximumOffset).contains(offset) ? 1 << UInt8(offset - 1) : 0)
    }

    /// Copies a packet carries.
    public var count: Int { rawValue.nonzeroBitCount }

    func contains(offset: Int) -> Bool { rawValue >> UInt8(offset - 1) & 1 == 1 }
}

/// Puts copies of earlier payloads in front of a payload (RFC 2198). It keeps the last four; nothing is allocated after
/// `init`.
///
/// Offsets above 1 are what the RFC's section 3 calls for against bursts: the copy must not be lost with its original.
public struct RedundancyPacker: Sendable {
    /// Packets a copy can be behind.
    public static let maximumOffset = 4
    /// Packets are not made longer than this by copies: UDP over Ethernet, with room for IPv6, SRTP and tunnels.
    public static let maximumPacketBytes = 1300

    private struct Slot: Sendable {
        var timestamp: UInt32 = 0
        var length = 0
    }

    private let payloadType: UInt8
    private var slots: [Slot]
    private var bytes: [UInt8]
    private var next = 0

    /// - Parameter payloadType: of the payloads themselves, primary and copies alike.
    public init(payloadType: UInt8) {
        self.payloadType = payloadType & 0x7f
        slots = [Slot](repeating: Slot(), count: Self.maximumOffset)
        bytes = [UInt8](repeating: 0, count: Self.maximumOffset * RedundantPayload.maximumCopyBytes)
    }

    /// Keeps a payload that was sent, for later packets. One that no block can hold makes a hole.
    public mutating func keep(_ payload: UnsafeRawBufferPointer, timestamp: UInt32) {
        let fits = payload.count <= RedundantPayload.maximumCopyBytes
        slots[next] = Slot(timestamp: timestamp, length: fits ? payload.count : 0)
        if fits {
            let start = next * RedundantPayload.maximumCopyBytes
            for index in 0..<payload.count { bytes[start + index] = payload[index] }
        }
        next = (next + 1) % Self.maximumOffset
    }

    /// Forgets what was sent: the next packets start without copies.
    public mutating func removeAll() {
        for index in slots.indices { slots[index].length = 0 }
    }

    /// Writes `primary` with the copies asked for, as far as they exist and fit.
    ///
    /// - `timestamp`: of `primary`, in the same terms as `keep`.
    /// - Returns: length of the payload; 0 when there is no copy to send: then `primary` goes out as it is.
    public func write(
        _ primary: UnsafeRawBufferPointer, timestamp: UInt32, offsets: RedundancyOffsets,
        into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        let room = min(buffer.count, Self.maximumPacketBytes)
        var length = RedundantPayload.primaryHeaderBytes + primary.count
        guard length <= room else { return 0 }
        // The newer copies are more likely to be of use, so they are the first to get room.
        var chosen = RedundancyOffsets()
        for offset in 1...Self.maximumOffset where offsets.contains(offset: offset) {
            let slot = slot(offset)
            guard slot.length > 0, timestamp &- slot.timestamp <= RedundantPayload.maximumTimestampOffset,
                length + RedundantPayload.copyHeaderBytes + slot.length <= room
            else { continue }
            length += RedundantPayload.copyHeaderBytes + slot.length
            chosen.insert(RedundancyOffsets(offset: offset))
        }
        guard !chosen.isEmpty else { return 0 }
        write(chosen, primary, timestamp: timestamp, into: buffer)
        return length
    }

    private func write(
        _ chosen: RedundancyOffsets, _ primary: UnsafeRawBufferPointer, timestamp: UInt32,
        into buffer: UnsafeMutableRawBufferPointer
    ) {
        var header = 0
        var position = RedundantPayload.copyHeaderBytes * chosen.count + RedundantPayload.primaryHeaderBytes
        var offset = Self.maximumOffset
        while offset > 0 {
            if chosen.contains(offset: offset) {
                let slot = slot(offset)
                let word =
                    UInt32(0x80 | payloadType) << 24 | (timestamp &- slot.timestamp) << 10 | UInt32(slot.length)
                buffer.storeBigEndian(word, at: header)
                header += RedundantPayload.copyHeaderBytes
                let start = index(offset) * RedundantPayload.maximumCopyBytes
                for index in 0..<slot.length { buffer[position + index] = bytes[start + index] }
                position += slot.length
            }
            offset -= 1
        }
        buffer[header] = payloadType
        for index in 0..<primary.count { buffer[position + index] = primary[index] }
    }

    private func index(_ offset: Int) -> Int { (next + Self.maximumOffset - offset) % Self.maximumOffset }
    private func slot(_ offset: Int) -> Slot { slots[index(offset)] }
}
