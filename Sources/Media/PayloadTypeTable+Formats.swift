import RTP

extension PayloadTypeTable {
    /// The payload types of what may come: each format's audio, telephone events and comfort noise, with its clock.
    ///
    /// - Parameters:
    ///   - formats: where two share a number the first counts.
    ///   - redundancy: of redundant audio (RFC 2198), whose clock is its primary's; empty: none is taken.
    ///   - usualClock: the receiver's own, in Hz.
    init(_ formats: [MediaFormat], redundancy: [UInt8], usualClock: Int) {
        self.init()
        for payloadType in redundancy { self[payloadType] = .redundancy }
        for format in formats.reversed() {
            for (payloadType, kind, clock) in [
                (format.comfortNoisePayloadType, PayloadKind.comfortNoise, format.clockRate),
                (format.telephoneEventPayloadType, .telephoneEvent, format.telephoneEventClockRate ?? format.clockRate),
            ] {
                self[payloadType] = kind
                setClockRate(clock == usualClock ? nil : clock, of: payloadType)
            }
        }
        // Whatever else a number is said to be, audio goes before.
        for format in formats.reversed() {
            self[format.payloadType] = .audio
            setClockRate(format.clockRate == usualClock ? nil : format.clockRate, of: format.payloadType)
        }
    }
}
