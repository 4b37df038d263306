import COpus

/// What an Opus packet's framing and header bits tell (RFC 6716 section 3), without decoding it.
package struct OpusPacket {
    /// Duration in samples at 48 kHz, 120 ... 5760.
    package let duration: Int
    /// Whether the first frame carries low bit-rate redundancy: a coarse copy of the `frameLength` samples before it,
    /// or of some of its 20 ms parts. Copies inside later frames repeat what this packet itself holds.
    package let carriesRedundancy: Bool
    /// Samples in each frame of the packet.
    package let frameLength: Int

    /// Nil when the framing is invalid.
    package init?(_ payload: UnsafeRawBufferPointer) {
        guard let bytes = payload.baseAddress?.assumingMemoryBound(to: UInt8.self), !payload.isEmpty,
            let length = Int32(exactly: payload.count)
        else { return nil }
        // At most 48 frames a packet. Both arrays stay below the size up to which Swift uses the stack.
        let first = withUnsafeTemporaryAllocation(of: UnsafePointer<UInt8>?.self, capacity: 48) { frames in
            withUnsafeTemporaryAllocation(of: Int16.self, capacity: 48) { sizes -> (count: Int32, header: UInt8?) in
                guard let sizesStart = sizes.baseAddress else { return (0, nil) }
                let count = opus_packet_parse(bytes, length, nil, frames.baseAddress, sizesStart, nil)
                return (count, count > 0 && sizes[0] > 0 ? frames[0]?.pointee : nil)
            }
        }
        frameLength = Int(opus_packet_get_samples_per_frame(bytes, 48_000))
        guard first.count > 0, Int(first.count) * frameLength <= 5760 else { return nil }
        duration = Int(first.count) * frameLength

        // Configurations 16 ... 31 are transform only. The others open with the speech layer's header (RFC 6716 section
        // 4.2.3): per channel one voice-activity bit for each 20 ms and one redundancy bit, coded with even odds, so
        // that they stand in the first byte as they are.
        let configuration = bytes[0] >> 3
        guard configuration < 16, let header = first.header else {
            carriesRedundancy = false
            return
        }
        let speechFrames = max(1, frameLength / 960)
        var redundancy = header >> (7 - speechFrames) & 1
        if bytes[0] & 4 != 0 { redundancy |= header >> (6 - 2 * speechFrames) & 1 }
        carriesRedundancy = redundancy == 1
    }
}
