import Link

/// What an RTP payload type carries in a call.
public enum PayloadKind: Sendable, Hashable {
    case audio
    case telephoneEvent
    case comfortNoise
    /// Audio with copies of earlier audio, RFC 2198.
    case redundancy
}

/// The payload types that a receiver accepts; every other one is a counted drop.
public struct PayloadTypeTable: Sendable, Hashable {
    private var audio: UInt128 = 0
    private var telephoneEvent: UInt128 = 0
    private var comfortNoise: UInt128 = 0
    private var redundancy: UInt128 = 0
    private var clocks: [Clock] = []

    /// The clock rate of one payload type.
    private struct Clock: Sendable, Hashable {
        let payloadType: UInt8
        let rate: Int
    }

    public init() {}

    /// Every payload type in the table.
    public var known: PayloadTypeSet { PayloadTypeSet(bits: audio | telephoneEvent | comfortNoise | redundancy) }

    /// The payload types of one kind, in order.
    package func numbers(of kind: PayloadKind) -> [UInt8] { (0..<128).filter { self[$0] == kind } }

    /// The usual table of a call: one audio payload type, optionally telephone events, comfort noise, redundancy.
    public init(
        audio: UInt8, telephoneEvent: UInt8? = nil, comfortNoise: UInt8? = nil, redundancy: UInt8? = nil
    ) {
        if let redundancy { self[redundancy] = .redundancy }
        if let comfortNoise { self[comfortNoise] = .comfortNoise }
        if let telephoneEvent { self[telephoneEvent] = .telephoneEvent }
        self[audio] = .audio
    }

    /// RTP clock of `payloadType` in Hz, of telephone events that of their durations; nil where it is that of the receiver.
    public func clockRate(of payloadType: UInt8) -> Int? {
        for clock in clocks where clock.payloadType == payloadType { return clock.rate }
        return nil
    }

    /// Gives `payloadType` a clock of its own, in Hz: another codec's; nil gives it the receiver's again.
    public mutating func setClockRate(_ rate: Int?, of payloadType: UInt8) {
        clocks.removeAll { $0.payloadType == payloadType }
        if let rate { clocks.append(Clock(payloadType: payloadType, rate: max(1, rate))) }
    }

    /// What `payloadType` carries; nil: unknown. Numbers above 127 are never known.
    public subscript(payloadType: UInt8) -> PayloadKind? {
        get {
            let bit: UInt128 = payloadType < 128 ? 1 << UInt128(payloadType) : 0
            if audio & bit != 0 { return .audio }
            if telephoneEvent & bit != 0 { return .telephoneEvent }
            if comfortNoise & bit != 0 { return .comfortNoise }
            return redundancy & bit != 0 ? .redundancy : nil
        }
        set {
            let bit: UInt128 = payloadType < 128 ? 1 << UInt128(payloadType) : 0
            audio &= ~bit
            telephoneEvent &= ~bit
            comfortNoise &= ~bit
            redundancy &= ~bit
            switch newValue {
            case .audio: audio |= bit
            case .telephoneEvent: telephoneEvent |= bit
            case .comfortNoise: comfortNoise |= bit
            case .redundancy: redundancy |= bit
            case nil: break
            }
        }
    }
}
