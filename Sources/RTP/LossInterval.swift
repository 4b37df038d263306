/// Which packets of an interval came: a Loss RLE report block's content (RFC 3611 section 4.1).
public struct LossInterval: Hashable, Sendable {
    /// First sequence number of the interval.
    public var beginSequence: UInt16
    /// The one after the last.
    public var endSequence: UInt16
    /// 16-bit chunks: 0RLL.. a run of L packets that came (R = 1) or not, 1BBB.. the next 15 packets' bits.
    public var chunks: [UInt16] = []
    /// Packets of the interval that did not come.
    public private(set) var lost = 0

    // What is not in a chunk yet: a run, or the bits since it ended.
    private var run = 0
    private var runIsReceived = true
    private var bits: UInt16 = 0
    private var bitCount = 0

    public init(beginSequence: UInt16, endSequence: UInt16) {
        self.beginSequence = beginSequence
        self.endSequence = endSequence
    }

    /// Packets in the interval.
    public var count: Int { Int(endSequence &- beginSequence) }

    /// A bit vector takes 15 packets whatever they did: a run pays from 16 on.
    private static let bitsPerChunk = 15
    private static let longestRun = 0x3fff

    mutating func append(isReceived: Bool) {
        if !isReceived { lost += 1 }
        if bitCount == 0, run > 0, isReceived == runIsReceived, run < Self.longestRun {
            run += 1
        } else if bitCount == 0, run == 0 {
            (run, runIsReceived) = (1, isReceived)
        } else if bitCount == 0, run > Self.bitsPerChunk {
            appendRun()
            (run, runIsReceived) = (1, isReceived)
        } else {
            if bitCount == 0 {
                for _ in 0..<run { appendBit(runIsReceived) }
                run = 0
                guard bitCount > 0 else {
                    // The run filled its bit vector exactly.
                    (run, runIsReceived) = (1, isReceived)
                    return
                }
            }
            appendBit(isReceived)
        }
    }

    private mutating func appendRun() {
        chunks.append((runIsReceived ? 0x4000 : 0) | UInt16(run))
        run = 0
    }

    private mutating func appendBit(_ isReceived: Bool) {
        if isReceived { bits |= 0x4000 >> UInt16(bitCount) }
        bitCount += 1
        guard bitCount == Self.bitsPerChunk else { return }
        chunks.append(0x8000 | bits)
        (bits, bitCount) = (0, 0)
    }

    mutating func finish() {
        if run > 0 { appendRun() }
        // Bits beyond the end are ignored (section 4.1.2).
        if bitCount > 0 { chunks.append(0x8000 | bits) }
        (bits, bitCount) = (0, 0)
    }

    /// Runs of lost packets and packets in them, as the chunks tell; what they say beyond the interval is left out, and
    /// packets that they say nothing of count as received.
    public var lossRuns: (runs: Int, packets: Int) {
        var left = count
        var runs = 0
        var packets = 0
        var previousWasLost = false
        func take(_ isLost: Bool, _ length: Int) {
            let length = min(length, left)
            guard length > 0 else { return }
            left -= length
            if isLost {
                packets += length
                if !previousWasLost { runs += 1 }
            }
            previousWasLost = isLost
        }
        for chunk in chunks where left > 0 {
            if chunk & 0x8000 == 0 {
                take(chunk & 0x4000 == 0, Int(chunk & 0x3fff))
            } else {
                for bit in 0..<Self.bitsPerChunk { take(chunk & (0x4000 >> UInt16(bit)) == 0, 1) }
            }
        }
        return (runs, packets)
    }
}
