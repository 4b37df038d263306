import Codecs
import Media
import Metrics

/// How what came back of a call sounds, by the E-model, as far as whoever made the call can tell: by its codec, by the packets that were
/// lost on the way back, and by the time from mouth to ear. What the other side lost of ours, and conceals, is not in it.
package struct CallQuality: Sendable, Equatable {
    /// Listening quality, 1...5; nil: nothing came back, or the codec has no constants.
    package let mosLQ: Double?
    /// Conversational quality, with the delay; nil: that was not found either.
    package let mosCQ: Double?

    /// - Parameters:
    ///   - received: packets that came back.
    ///   - lost: packets that should have come back and did not.
    ///   - lossRuns: times that packets were lost in a row.
    ///   - delayMilliseconds: from mouth to ear; nil: the sound was not found.
    package init(_ codec: Codec, received: Int, lost: Int, lossRuns: Int, delayMilliseconds: Double?) {
        guard received > 0, let constants = codec.eModelConstants else {
            (mosLQ, mosCQ) = (nil, nil)
            return
        }
        let model = EModel(
            codec: constants, lossRatio: Double(lost) / Double(lost + received),
            meanLossRun: Double(lost) / Double(max(1, lossRuns)))
        mosLQ = EModel.mos(model.rating(oneWayMilliseconds: 0))
        mosCQ = delayMilliseconds.map { EModel.mos(model.rating(oneWayMilliseconds: $0)) }
    }
}
