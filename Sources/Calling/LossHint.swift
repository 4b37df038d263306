/// What the encoder is told to expect, given the loss that the other side reports.
///
/// In-band FEC takes its bits from the speech: on a clean line it is off, and a hint of the measured 10-25 % costs more
/// voice than it saves. 3 % already makes libopus carry it in every packet.
package enum LossHint {
    /// Loss from which FEC pays, 0...1.
    package static let threshold = 0.01
    /// The hint given then, in percent.
    package static let percentUnderLoss = 3

    /// Percent for `AudioEncoder.setExpectedLoss`.
    package static func percent(for lossRatio: Double) -> Int { lossRatio >= threshold ? percentUnderLoss : 0 }
}
