import Metrics

/// The ledger's stages on this side of the codec, as the media thread sees them go by.
///
/// The samples carry the time they were at the transducer, so each half is measured as a whole; what device and unit do
/// not claim of it is the wait in the ring between them and the media thread.
package struct DeviceDelay {
    /// From the microphone until the frame is taken, of the frame's first sample; `nil` before there was one.
    package var sendMilliseconds: Double? { age.value.map { $0 + seat.framer + seat.sendConversion } }
    /// From the moment a sample is given until the loudspeaker; `nil` before anything was played.
    package var receiveMilliseconds: Double? { wait.value.map { $0 + seat.receiveConversion } }
    /// What the call's seat in the loop adds.
    var seat = SeatDelay()

    private var age = SmoothedFigure()
    private var wait = SmoothedFigure()
    private var capture = SmoothedFigure()
    private var playback = SmoothedFigure()
    private var frameMilliseconds = 0.0
    private var unit = UnitLatency()

    package init() {}

    /// Of a bridge, where another call stands in the device's place.
    /// - Parameters:
    ///   - before: from that call's mouth until the bridge has the voice, ms; `nil`: not known.
    ///   - after: from the bridge until that call's other side, ms; `nil`: not known.
    package init(before: Double?, after: Double?) {
        if let before { age.add(before) }
        if let after { wait.add(after) }
    }

    /// A frame is taken from the capture ring.
    /// - Parameters:
    ///   - ageMilliseconds: since its first sample was at the microphone.
    ///   - frameMilliseconds: its length.
    ///   - blockMilliseconds: length of the device's blocks; the framer's wait already covers it.
    ///   - heldUpMilliseconds: for how long the machine's stop may have held it up: as far as it is older by that, it counts as
    ///     usual. The other side's jitter buffer counts what the wait for it costs.
    ///   - unit: what the I/O unit says of itself.
    package mutating func observeCapture(
        ageMilliseconds: Double, frameMilliseconds: Double, blockMilliseconds: Double, heldUpMilliseconds: Double = 0,
        unit: UnitLatency
    ) {
        age.add(max(ageMilliseconds - heldUpMilliseconds, min(ageMilliseconds, age.value ?? ageMilliseconds)))
        capture.add(max(0, (unit.captureDevice ?? 0) - blockMilliseconds))
        self.frameMilliseconds = frameMilliseconds
        self.unit = unit
    }

    /// A block is put into the play-out ring.
    /// - Parameter waitMilliseconds: until its first sample is at the loudspeaker.
    package mutating func observePlayout(waitMilliseconds: Double, unit: UnitLatency) {
        wait.add(waitMilliseconds)
        playback.add(unit.playbackDevice ?? 0)
        self.unit = unit
    }

    /// Writes the stages into `ledger`.
    package func fill(_ ledger: inout DelayLedgerFigures) {
        ledger.voiceProcessing = unit.processing
        let converted = seat.sendConversion + seat.receiveConversion
        ledger.conversion = converted > 0 ? (unit.conversion ?? 0) + converted : unit.conversion
        if let age = age.value, let capture = capture.value {
            ledger.capture = capture
            ledger.framer = frameMilliseconds + seat.framer
            ledger.ring = max(
                0, age - capture - frameMilliseconds - (unit.processing ?? 0) - (unit.captureConversion ?? 0))
        }
        if let wait = wait.value, let playback = playback.value {
            ledger.playback = playback
            ledger.playoutRing = max(0, wait - playback - (unit.playbackConversion ?? 0))
        }
    }
}
