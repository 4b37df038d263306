import Link

/// What a sequence number means for its source.
enum SequenceVerdict: Equatable {
    /// Next, or later with a gap that counts as loss. The extended sequence number.
    case inOrder(Int64)
    /// Older than the newest by less than `RTPSource.maxMisorder`, and not seen before.
    case reordered(Int64)
    /// Seen before.
    case duplicate
    /// The source is not valid yet.
    case probation
    /// A jump too great for loss; the next packet decides whether the source restarted.
    case jump
    /// Two in sequence after a jump, or the end of probation: the source starts anew, counting from the first of them.
    case started(Int64)
}

/// Sequence validation, loss and jitter of one source: RFC 3550 appendices A.1, A.3 and A.8, with their names.
///
/// Two additions to A.1: a window tells duplicates from reordered packets (A.1 counts both as received), and a packet
/// from just before the first one lowers the base.
struct RTPSource {
    /// MIN_SEQUENTIAL: packets in sequence that make a source valid.
    static let minSequential = 2
    /// MAX_MISORDER: a packet this far behind the newest is no longer late but a restart.
    static let maxMisorder = 100

    let ssrc: UInt32
    /// Highest extended sequence number seen.
    private(set) var maxExtended: Int64
    private(set) var baseExtended: Int64
    /// Packets received, late ones and duplicates included, as A.3 has it.
    private(set) var received = 0
    private(set) var duplicates = 0
    private(set) var reordered = 0
    /// A.8 jitter in clock units.
    private(set) var jitter = 0.0

    private var probation: Int
    private var badSequence: UInt16?
    /// Bit i: `maxExtended` - i has arrived. Wider than `maxMisorder`.
    private var seen: UInt128 = 0
    private var expectedPrior: Int64 = 0
    private var receivedPrior = 0
    private var transit: UInt32?
    private var jitterSummary = JitterSummary()
    private var duplicatesPrior = 0

    /// A source whose first packet is `sequence`, to be followed by `update` with the same number.
    ///
    /// - Parameter probation: packets in sequence still needed; 0 accepts the first packet at once.
    init(ssrc: UInt32, sequence: UInt16, probation: Int = RTPSource.minSequential) {
        self.ssrc = ssrc
        self.probation = probation
        maxExtended = Int64(sequence) - 1
        baseExtended = Int64(sequence)
    }

    /// init_seq of A.1, with `earlier` packets already in hand before `extended`.
    private mutating func start(at extended: Int64, earlier: Int) {
        baseExtended = extended - Int64(earlier)
        maxExtended = extended
        badSequence = nil
        received = 1 + earlier
        duplicates = 0
        reordered = 0
        seen = (1 << UInt128(1 + earlier)) - 1
        expectedPrior = 0
        receivedPrior = 0
        transit = nil
        jitter = 0
        jitterSummary = JitterSummary()
        duplicatesPrior = 0
    }

    /// update_seq of RFC 3550 appendix A.1.
    mutating func update(_ sequence: UInt16) -> SequenceVerdict {
        let delta = sequence &- UInt16(truncatingIfNeeded: maxExtended)
        if received == 0 { return updateProbation(sequence, delta: delta) }
        if delta == 0 {
            return noteDuplicate()
        } else if delta < SequenceGap.restart {
            maxExtended += Int64(delta)
            badSequence = nil
            seen = delta < 128 ? seen << UInt128(delta) | 1 : 1
            received += 1
            return .inOrder(maxExtended)
        } else if Int(delta) <= 0x10000 - Self.maxMisorder {
            guard sequence == badSequence else {
                badSequence = sequence &+ 1
                return .jump
            }
            start(at: Int64(sequence), earlier: 1)
            return .started(maxExtended)
        }
        let behind = 0x10000 - Int(delta)
        let bit: UInt128 = 1 << UInt128(behind)
        if seen & bit != 0 { return noteDuplicate() }
        seen |= bit
        received += 1
        reordered += 1
        let extended = maxExtended - Int64(behind)
        baseExtended = min(baseExtended, extended)
        return .reordered(extended)
    }

    private mutating func updateProbation(_ sequence: UInt16, delta: UInt16) -> SequenceVerdict {
        if delta == 1 || probation == 0 {
            probation -= 1
            guard probation > 0 else {
                start(at: Int64(sequence), earlier: probation < 0 ? 0 : Self.minSequential - 1)
                return .started(maxExtended)
            }
        } else {
            probation = Self.minSequential - 1
        }
        maxExtended = Int64(sequence)
        return .probation
    }

    private mutating func noteDuplicate() -> SequenceVerdict {
        received += 1
        duplicates += 1
        return .duplicate
    }

    /// Interarrival jitter, RFC 3550 appendix A.8 (gain 1/16, here in floating point).
    ///
    /// - Parameter arrival: arrival time in clock units, modulo 2^32.
    mutating func updateJitter(timestamp: UInt32, arrival: UInt32) {
        let transit = arrival &- timestamp
        if let previous = self.transit {
            let difference = Double(Int32(bitPattern: transit &- previous)).magnitude
            jitter += (difference - jitter) / 16
            jitterSummary.add(difference)
        }
        self.transit = transit
    }

    /// Time stamps go on in other units: those before and after are not compared.
    mutating func changeClock(from: Int, to: Int) {
        jitter *= Double(to) / Double(from)
        jitterSummary = JitterSummary()
        transit = nil
    }

    /// Duplicates since the last call.
    mutating func takeDuplicates() -> Int {
        defer { duplicatesPrior = duplicates }
        return duplicates - duplicatesPrior
    }

    /// Jitter since the last call, RFC 3611 section 4.6; nil when fewer than two packets came.
    mutating func takeJitterSummary() -> JitterSummary? {
        defer { jitterSummary = JitterSummary() }
        return jitterSummary.count > 0 ? jitterSummary : nil
    }

    /// Packets that should have arrived, A.3.
    var expected: Int64 { received == 0 ? 0 : maxExtended - baseExtended + 1 }

    /// A report block on this source, RFC 3550 section 6.4.1 and appendix A.3. Starts a new interval for the fraction.
    ///
    /// LSR and DLSR are left to `RTCPSession`, which hears the sender reports.
    mutating func makeReportBlock() -> ReportBlock {
        let expectedInterval = expected - expectedPrior
        let lostInterval = expectedInterval - Int64(received - receivedPrior)
        expectedPrior = expected
        receivedPrior = received
        let fraction = expectedInterval > 0 && lostInterval > 0 ? lostInterval * 256 / expectedInterval : 0
        return ReportBlock(
            ssrc: ssrc,
            fractionLost: UInt8(min(255, fraction)),
            cumulativeLost: Int32(max(-0x80_0000, min(0x7f_ffff, expected - Int64(received)))),
            highestSequence: UInt32(truncatingIfNeeded: maxExtended),
            jitter: UInt32(min(jitter, Double(UInt32.max))))
    }
}
