import COpus

extension Codec {
    /// Takes the sound out of a packet's payload and leaves all that numbers follow from: its length, how long it lasts, whether it holds
    /// a copy of the sound before it, and whether it is silence.
    /// - Parameter payload: any bytes; changed in place.
    package func blank(_ payload: UnsafeMutableRawBufferPointer) {
        let kept = self == .opus ? OpusPacket.header(of: UnsafeRawBufferPointer(payload)) : (bytes: 0, mask: 0)
        let silence: UInt8 = self == .pcmu ? 0xff : self == .pcma ? 0xd5 : 0
        for index in payload.indices where index >= kept.bytes {
            payload[index] = index == kept.bytes ? payload[index] & kept.mask | silence : silence
        }
    }
}

extension OpusPacket {
    /// What of a packet says how it is cut into frames: the bytes in front of the first frame, and the bits of that frame's first byte that
    /// tell of voice and of copies.
    /// - Parameter payload: any bytes; of what is no packet the first byte counts.
    /// - Returns: how many bytes, and which bits of the byte behind them.
    fileprivate static func header(of payload: UnsafeRawBufferPointer) -> (bytes: Int, mask: UInt8) {
        guard let bytes = payload.baseAddress?.assumingMemoryBound(to: UInt8.self), let length = Int32(exactly: payload.count),
            length > 0
        else { return (0, 0) }
        let offset = withUnsafeTemporaryAllocation(of: Int16.self, capacity: 48) { sizes -> Int32 in
            guard let sizes = sizes.baseAddress else { return 1 }
            var offset: Int32 = 1
            return opus_packet_parse(bytes, length, nil, nil, sizes, &offset) > 0 ? offset : 1
        }
        guard bytes[0] >> 3 < 16 else { return (Int(offset), 0) }
        let channels = bytes[0] & 4 != 0 ? 2 : 1
        let flags = channels * (max(1, Int(opus_packet_get_samples_per_frame(bytes, 48_000)) / 960) + 1)
        return (Int(offset), ~(0xff >> UInt8(min(flags, 8))))
    }
}
