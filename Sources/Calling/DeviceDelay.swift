import AudioUnits
import Reporting

/// The ledger's stages on this side of the codec, as the media thread sees them go by.
///
/// The samples carry the time they were at the transducer, so a whole half is measured, not added up: what the device and
/// the unit do not claim for themselves is the wait in the ring between.
public struct DeviceDelay {
    private var capture = SmoothedFigure()
    private var ring = SmoothedFigure()
    private var playoutRing = SmoothedFigure()
    private var playback = SmoothedFigure()
    private var frameMilliseconds: Double?
    private var processing: Double?
    private var conversion: Double?

    /// A frame is taken from the capture ring.
    /// - Parameters:
    ///   - ageMilliseconds: since its first sample was at the microphone.
    ///   - frameMilliseconds: its length.
    ///   - blockMilliseconds: length of the device's blocks; the framer's wait already covers it.
    ///   - unit: what the I/O unit says of itself.
    mutating func observeCapture(
        ageMilliseconds: Double, frameMilliseconds: Double, blockMilliseconds: Double, unit: UnitLatency
    ) {
        let device = max(0, (unit.captureDevice ?? 0) - blockMilliseconds)
        capture.add(device)
        ring.add(max(0, ageMilliseconds - device - frameMilliseconds))
        self.frameMilliseconds = frameMilliseconds
        processing = unit.processing
        conversion = unit.conversion
    }

    /// A block is put into the play-out ring.
    /// - Parameter waitMilliseconds: until its first sample is at the loudspeaker.
    mutating func observePlayout(waitMilliseconds: Double, unit: UnitLatency) {
        let device = unit.playbackDevice ?? 0
        playback.add(device)
        playoutRing.add(max(0, waitMilliseconds - device))
    }

    /// Writes the stages into `ledger`.
    func fill(_ ledger: inout DelayLedgerFigures) {
        ledger.capture = capture.value
        ledger.voiceProcessing = processing
        ledger.conversion = conversion
        ledger.ring = ring.value
        ledger.framer = frameMilliseconds
        ledger.playoutRing = playoutRing.value
        ledger.playback = playback.value
    }
}
