extension JitterBuffer {
    /// Stores a redundant copy (RFC 2198) where its content is missing; drops it in silence elsewhere.
    func insertCopy(_ packet: BufferedPacket) -> InsertOutcome {
        guard let axis, let newest, packet.payload.count <= workspace.packets.slotBytes,
            let position = axis.position(of: packet.extendedTimestamp), position < newest.position,
            let duration = decoder.duration(of: packet.payload), duration > 0, duration <= decoder.maximumFrames,
            !workspace.packets.isFull, !isPlaying || position >= nextPosition
        else { return .late }
        // Blocks bear no number; in a stream of packets of one length the place tells it.
        let behind = (newest.position - position + Int64(duration) / 2) / Int64(duration)
        let sequence = newest.sequence - behind
        guard !sequences.hasSeen(sequence) else { return .duplicate }
        let arrival = axis.hostMilliseconds(packet.arrival)
        let stored = StoredPacket(
            sequence: sequence, position: position, duration: Int64(duration), slot: 0, payloadLength: 0,
            carriesFEC: decoder.carriesFEC(packet.payload), isSilence: packet.payload.count <= 2, isCopy: true,
            arrival: arrival)
        guard case .stored = workspace.packets.insert(stored, payload: packet.payload) else { return .duplicate }
        if !sequences.hasCopy(sequence) {
            sequences.noteCopy(of: sequence)
            history.add(delay: arrival - axis.mediaMilliseconds(position), weight: 1, at: packet.arrival)
            target.update(&history, lossRatio: sequences.lossRatio, at: packet.arrival)
        }
        return .accepted
    }
}
