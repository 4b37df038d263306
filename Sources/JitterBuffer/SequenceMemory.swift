/// Which of the last 128 packets came, and whose media came otherwise: tells copies and losses apart.
struct SequenceMemory {
    /// How much of a packet's media is in hand.
    enum Coverage { case none, fec, whole }

    private static let span: Int64 = 128

    private let tuning: LossTuning

    /// Packets that came.
    private var seen = Flags()
    /// Those whose media came whole: as a packet or as a full copy.
    private var whole = Flags()
    /// Those whose media came as in-band FEC in the next packet, or are led to by its sound.
    private var fec = Flags()
    private(set) var newest: Int64?
    private var judged: Int64 = 0
    /// Packets that never came, 0...1, over some hundred packets.
    private(set) var lossRatio = 0.0

    init(tuning: LossTuning) { self.tuning = tuning }

    @inline(__always)
    func hasSeen(_ sequence: Int64) -> Bool { inView(sequence) && seen[sequence] }

    /// What is in hand of a packet's media; one out of view counts as whole, since nothing more will be made of it.
    func coverage(of sequence: Int64) -> Coverage {
        if let newest, sequence > newest { return .none }
        guard inView(sequence), sequence >= first else { return .whole }
        return whole[sequence] ? .whole : fec[sequence] ? .fec : .none
    }

    /// The first packet's number: what lies before it was never expected.
    private var first: Int64 = .min

    mutating func noteCopy(of sequence: Int64) { if inView(sequence) { whole[sequence] = true } }
    mutating func noteFEC(of sequence: Int64) { if inView(sequence) { fec[sequence] = true } }

    /// Notes a packet, and judges those that fell out of patience.
    mutating func note(_ sequence: Int64) {
        guard let old = newest else {
            newest = sequence
            first = sequence
            judged = sequence - 1
            seen[sequence] = true
            whole[sequence] = true
            return
        }
        if sequence > old {
            // Bits are used in a circle: those of the numbers that come into view are cleared.
            for number in max(old + 1, sequence - Self.span + 1)...sequence {
                seen[number] = false
                whole[number] = false
                fec[number] = false
            }
            newest = sequence
        }
        if inView(sequence) {
            seen[sequence] = true
            whole[sequence] = true
        }
        judge(upTo: (newest ?? sequence) - Int64(tuning.patience))
    }

    private mutating func judge(upTo limit: Int64) {
        judged = max(judged, limit - Self.span)
        while judged < limit {
            judged += 1
            lossRatio += ((hasSeen(judged) ? 0 : 1) - lossRatio) / tuning.packets
        }
    }

    private func inView(_ sequence: Int64) -> Bool {
        guard let newest else { return false }
        return sequence <= newest && newest - sequence < Self.span
    }
}

/// 128 flags in a circle.
private struct Flags {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    subscript(number: Int64) -> Bool {
        get {
            let index = UInt64(truncatingIfNeeded: number) & 127
            return (index < 64 ? low : high) >> (index & 63) & 1 == 1
        }
        set {
            let index = UInt64(truncatingIfNeeded: number) & 127
            let mask: UInt64 = 1 << (index & 63)
            if index < 64 { low = newValue ? low | mask : low & ~mask }
            if index >= 64 { high = newValue ? high | mask : high & ~mask }
        }
    }
}
