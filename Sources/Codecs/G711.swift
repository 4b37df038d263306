/// ITU-T G.711: logarithmic companding of 16-bit samples to 8 bits.
public enum G711 {
    /// The two laws of the recommendation.
    public enum Law: Sendable {
        /// mu-law (table 2 of the recommendation): North America, Japan.
        case mu
        /// A-law (table 1 of the recommendation): the rest of the world.
        case a
    }

    /// The code of a 16-bit sample. The sample's magnitude is compared with the decision values as they stand; a
    /// negative sample exactly on one takes the smaller step, as in the reference code of ITU-T G.191.
    public static func compress(_ sample: Int16, _ law: Law) -> UInt8 {
        let negative = sample < 0
        let magnitude = Int(negative ? ~sample : sample)
        switch law {
        case .mu:
            // 14 bits with a bias of 33: each of 8 segments is twice as wide as the one before it.
            let biased = min(magnitude >> 2 + 33, 0x1FFF)
            let segment = biased.bitWidth - 1 - biased.leadingZeroBitCount - 5
            let step = biased >> (segment + 1) & 0xF
            return ~UInt8(segment << 4 | step) & 0x7F | (negative ? 0 : 0x80)
        case .a:
            // 13 bits: the first two segments are equally wide, then each doubles. Every other bit is inverted.
            let level = magnitude >> 4
            let segment = level < 16 ? 0 : level.bitWidth - 1 - level.leadingZeroBitCount - 3
            let step = segment < 2 ? level & 0xF : level >> (segment - 1) & 0xF
            return (UInt8(segment << 4 | step) | (negative ? 0 : 0x80)) ^ 0x55
        }
    }

    /// The 16-bit value of a code: the middle of its quantisation interval.
    public static func expand(_ code: UInt8, _ law: Law) -> Int16 {
        switch law {
        case .mu:
            let inverted = ~code
            let segment = Int(inverted >> 4 & 7)
            let magnitude = ((Int(inverted & 0xF) << 1 + 33) << segment - 33) << 2
            return Int16(inverted & 0x80 == 0 ? magnitude : -magnitude)
        case .a:
            let plain = code ^ 0x55
            let segment = Int(plain >> 4 & 7)
            let step = Int(plain & 0xF) << 4 + 8
            let magnitude = segment == 0 ? step : (step + 0x100) << (segment - 1)
            return Int16(plain & 0x80 != 0 ? magnitude : -magnitude)
        }
    }
}
