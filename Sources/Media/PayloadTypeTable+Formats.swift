import RTP

extension PayloadTypeTable {
    /// The payload types of what may come: each format's audio, telephone events and comfort noise, with its clock.
    ///
    /// - Parameters:
    ///   - formats: where two share a number the first counts.
    ///   - redundancy: of redundant audio (RFC 2198), whose clock is its primary's; `nil` takes none.
    ///   - usualClock: the receiver's own, in Hz.
    init(_ formats: [MediaFormat], redundancy: UInt8?, usualClock: Int) {
        self.init()
        if let redundancy { self[redundancy] = .redundancy }
        for format in formats.reversed() {
            let clock = format.clockRate == usualClock ? nil : format.clockRate
            for (payloadType, kind) in [
                (format.comfortNoisePayloadType, PayloadKind.comfortNoise),
                (format.telephoneEventPayloadType, .telephoneEvent),
            ] {
                self[payloadType] = kind
                setClockRate(clock, of: payloadType)
            }
        }
        // Whatever else a number is said to be, audio goes before.
        for format in formats.reversed() {
            self[format.payloadType] = .audio
            setClockRate(format.clockRate == usualClock ? nil : format.clockRate, of: format.payloadType)
        }
    }
}
