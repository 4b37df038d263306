import Realtime

/// The stream as it arrives: where its sound lies in time, its newest packet, and what cannot belong to it.
package struct ReceivedStream {
    package let axis: StreamAxis
    package private(set) var newest: StoredPacket?
    private let tuning: StreamTuning

    package init(axis: StreamAxis, tuning: StreamTuning = StreamTuning()) {
        self.axis = axis
        self.tuning = tuning
    }

    /// Notes a packet that belongs to it.
    package mutating func note(_ packet: StoredPacket) {
        if newest.map({ packet.sequence > $0.sequence }) ?? true { newest = packet }
    }

    /// Why a packet cannot belong to the stream so far, if it cannot.
    /// - Parameters:
    ///   - duration: samples it decodes to.
    ///   - floor: delay of the fastest packets in milliseconds, if known.
    ///   - overdue: what was too late lately.
    ///   - heldUp: milliseconds for which our own machine may have held it up.
    package func jump(
        of packet: BufferedPacket, duration: Int64, floor: Double?, overdue: OverdueStream, heldUp: Double = 0
    ) -> ResetReason? {
        guard let newest else { return nil }
        let arrival = axis.hostMilliseconds(packet.arrival)
        let ahead = packet.extendedSequence - newest.sequence
        if ahead > 0, overdue.isOverdue(at: arrival) { return .delayJump }
        if abs(ahead) > Int64(tuning.maximumDropout) { return .sequenceJump }
        guard let position = axis.position(of: packet.extendedTimestamp) else { return .timestampJump }
        guard ahead > 0 else { return nil }
        if position < newest.position { return .timestampJump }
        guard let floor else { return nil }
        let late = arrival - axis.mediaMilliseconds(position) - floor
        // A talkspurt of a sender whose timestamps stood still while it paused is not late. A network that stood still for
        // as long right before a talkspurt looks the same: what it held up is then played, and shortened.
        if packet.marker, late - heldUp > tuning.overduePatience { return .timestampJump }
        // A pause takes its time; a jump ahead arrives before it could have been spoken.
        let longest = ahead * Int64(tuning.longestStep) * max(duration, newest.duration)
        return position - newest.position > longest && late < -tuning.earliest ? .timestampJump : nil
    }

    /// Where a copy (RFC 2198) belongs that came with the newest packet. Copies bear no number of their own: what they repeat
    /// lies as many packets back as their timestamp says.
    /// - Returns: nil when it repeats nothing of the stream so far.
    package func place(ofCopy packet: BufferedPacket) -> (sequence: Int64, position: Int64)? {
        guard let newest, newest.duration > 0, let position = axis.position(of: packet.extendedTimestamp),
            packet.extendedSequence == newest.sequence, position < newest.position
        else { return nil }
        let back = (newest.position - position + newest.duration / 2) / newest.duration
        return (packet.extendedSequence - back, position)
    }
}
