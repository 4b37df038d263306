/// A VoIP metrics block, RFC 3611 section 4.7. What is not known is nil and goes out as the RFC's "unavailable".
public struct VoIPMetrics: Hashable, Sendable {
    /// Bytes after the block's header.
    static let length = 32
    /// "Unavailable" for levels, R factors and MOS.
    private static let unavailable: UInt8 = 127

    /// What the receiver does about losses (section 4.7.6, bits 0-1 of RX config).
    public enum Concealment: UInt8, Sendable {
        case unspecified = 0
        case disabled, enhanced, standard
    }

    /// Whether the jitter buffer adapts (bits 2-3 of RX config).
    public enum JitterBufferKind: UInt8, Sendable {
        case unknown = 0
        case reserved, nonAdaptive, adaptive
    }

    /// The source reported on.
    public var ssrc: UInt32
    /// Lost of expected since the beginning, 0...1, in steps of 1/256; and so the next three.
    public var lossRate = 0.0
    /// Discarded by the jitter buffer of expected.
    public var discardRate = 0.0
    public var burstDensity = 0.0
    public var gapDensity = 0.0
    public var burstMilliseconds = 0.0
    public var gapMilliseconds = 0.0
    /// nil: not measured yet.
    public var roundTripMilliseconds: Double?
    /// Both halves of the reporter's own delay.
    public var endSystemMilliseconds: Double?
    /// Voice level and noise level in dBm0, echo loss in dB.
    public var signalLevel: Int?
    public var noiseLevel: Int?
    public var echoReturnLoss: Int?
    /// Good packets in a row that end a burst.
    public var gapThreshold = UInt8(LossPattern.gapThreshold)
    /// Conversational quality by G.107, 0...100.
    public var rFactor: Double?
    /// 1...5, in steps of 0.1.
    public var mosLQ: Double?
    public var mosCQ: Double?
    public var concealment = Concealment.unspecified
    public var jitterBufferKind = JitterBufferKind.unknown
    public var jitterBufferNominal = 0.0
    public var jitterBufferMaximum = 0.0
    public var jitterBufferAbsoluteMaximum = 0.0

    public init(ssrc: UInt32) { self.ssrc = ssrc }

    init(_ bytes: UnsafeRawBufferPointer) {
        func ratio(_ offset: Int) -> Double { Double(bytes[offset]) / 256 }
        func milliseconds(_ offset: Int) -> Double { Double(bytes.bigEndian16(at: offset)) }
        func known(_ offset: Int) -> UInt8? { bytes[offset] == Self.unavailable ? nil : bytes[offset] }
        func level(_ offset: Int) -> Int? { known(offset).map { Int(Int8(bitPattern: $0)) } }
        // A score outside 1...5 is nobody's opinion.
        func score(_ offset: Int) -> Double? {
            known(offset).flatMap { (10...50).contains($0) ? Double($0) / 10 : nil }
        }
        ssrc = bytes.bigEndian32(at: 0)
        lossRate = ratio(4)
        discardRate = ratio(5)
        burstDensity = ratio(6)
        gapDensity = ratio(7)
        burstMilliseconds = milliseconds(8)
        gapMilliseconds = milliseconds(10)
        roundTripMilliseconds = milliseconds(12) > 0 ? milliseconds(12) : nil
        endSystemMilliseconds = milliseconds(14) > 0 ? milliseconds(14) : nil
        signalLevel = level(16)
        noiseLevel = level(17)
        echoReturnLoss = known(18).map { Int($0) }
        gapThreshold = bytes[19]
        rFactor = known(20).flatMap { $0 <= 100 ? Double($0) : nil }
        mosLQ = score(22)
        mosCQ = score(23)
        concealment = Concealment(rawValue: bytes[24] >> 6) ?? .unspecified
        jitterBufferKind = JitterBufferKind(rawValue: bytes[24] >> 4 & 3) ?? .unknown
        jitterBufferNominal = milliseconds(26)
        jitterBufferMaximum = milliseconds(28)
        jitterBufferAbsoluteMaximum = milliseconds(30)
    }

    func append(to bytes: inout [UInt8]) {
        func clamped(_ value: Double, _ upper: Double) -> Double {
            value.isFinite ? max(0, min(value.rounded(), upper)) : 0
        }
        // Section 4.7.1: the integer part of 256 times the ratio.
        func ratio(_ value: Double) -> UInt8 { value.isFinite ? UInt8(max(0, min(256 * value, 255))) : 0 }
        func level(_ value: Int?) -> UInt8 {
            value.map { UInt8(bitPattern: Int8(max(-126, min(0, $0)))) } ?? Self.unavailable
        }
        func number(_ value: Double?, _ scale: Double, _ range: ClosedRange<Double>) -> UInt8 {
            guard let value, value.isFinite else { return Self.unavailable }
            return UInt8(max(range.lowerBound, min((scale * value).rounded(), range.upperBound)))
        }
        bytes.appendBigEndian(ssrc)
        bytes += [ratio(lossRate), ratio(discardRate), ratio(burstDensity), ratio(gapDensity)]
        for value in [burstMilliseconds, gapMilliseconds, roundTripMilliseconds ?? 0, endSystemMilliseconds ?? 0] {
            bytes.appendBigEndian(UInt16(clamped(value, 65_535)))
        }
        let echo = echoReturnLoss.map { UInt8(max(0, min(126, $0))) } ?? Self.unavailable
        bytes += [level(signalLevel), level(noiseLevel), echo, gapThreshold]
        bytes += [
            number(rFactor, 1, 0...100), Self.unavailable, number(mosLQ, 10, 10...50), number(mosCQ, 10, 10...50),
        ]
        bytes += [concealment.rawValue << 6 | jitterBufferKind.rawValue << 4, 0]
        for value in [jitterBufferNominal, jitterBufferMaximum, jitterBufferAbsoluteMaximum] {
            bytes.appendBigEndian(UInt16(clamped(value, 65_535)))
        }
    }
}
