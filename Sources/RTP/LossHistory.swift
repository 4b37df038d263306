/// Which packets of a source came, which were lost, which came too late to be played: the last 1024 in a circle of bits,
/// everything before them as a `LossPattern`. Nothing is allocated after `init`.
struct LossHistory {
    private static let span: Int64 = 1024
    /// A packet is judged when this many later ones have been heard: reordered ones have come by then.
    private static let patience: Int64 = 25

    private var received = [UInt64](repeating: 0, count: Int(span) / 64)
    private var discarded = [UInt64](repeating: 0, count: Int(span) / 64)
    private var newest: Int64?
    private var judged: Int64 = 0
    private var reported: Int64 = 0
    private(set) var pattern = LossPattern()

    /// A new source: nothing of the old one is left.
    mutating func removeAll() { self = LossHistory() }

    /// A packet came.
    mutating func note(_ sequence: Int64) {
        guard let old = newest else {
            newest = sequence
            judged = sequence - 1
            reported = judged
            received.mark(sequence)
            return
        }
        if sequence > old {
            // Before what the circle has of it makes place.
            judge(upTo: min(old, sequence - Self.patience))
            for number in max(old + 1, sequence - Self.span + 1)...sequence {
                received.clear(number)
                discarded.clear(number)
            }
            newest = sequence
        } else if sequence <= judged, isInView(sequence), !received.has(sequence) {
            pattern.noteLate()
        }
        if isInView(sequence) { received.mark(sequence) }
        judge(upTo: (newest ?? sequence) - Self.patience)
    }

    /// A packet that came was of no use, for its time had passed.
    mutating func noteDiscarded(_ sequence: Int64) {
        guard isInView(sequence), received.has(sequence), !discarded.has(sequence) else { return }
        discarded.mark(sequence)
        if sequence <= judged { pattern.noteDiscardedLate() }
    }

    private mutating func judge(upTo limit: Int64) {
        while judged < limit {
            judged += 1
            let came = isInView(judged) && received.has(judged)
            pattern.judge(isLost: !came, isDiscarded: came && discarded.has(judged))
        }
    }

    private func isInView(_ sequence: Int64) -> Bool {
        guard let newest else { return false }
        return sequence <= newest && newest - sequence < Self.span
    }

    /// What was judged since the last call; nil before the first packet.
    mutating func takeInterval() -> LossInterval? {
        guard newest != nil else { return nil }
        let first = max(reported, judged - Self.span + Self.patience) + 1
        defer { reported = judged }
        var interval = LossInterval(
            beginSequence: UInt16(truncatingIfNeeded: first), endSequence: UInt16(truncatingIfNeeded: judged + 1))
        guard first <= judged else { return interval }
        for number in first...judged { interval.append(isReceived: received.has(number)) }
        interval.finish()
        return interval
    }
}

/// Flags of packets in a circle.
extension [UInt64] {
    private func index(_ number: Int64) -> Int { Int(truncatingIfNeeded: number >> 6) & (count - 1) }
    private func bit(_ number: Int64) -> UInt64 { 1 << UInt64(truncatingIfNeeded: number & 63) }
    fileprivate func has(_ number: Int64) -> Bool { self[index(number)] & bit(number) != 0 }
    fileprivate mutating func mark(_ number: Int64) { self[index(number)] |= bit(number) }
    fileprivate mutating func clear(_ number: Int64) { self[index(number)] &= ~bit(number) }
}
