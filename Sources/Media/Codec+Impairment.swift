import Codecs
import Metrics

extension Codec {
    /// Its constants as the E-model takes them; nil for a codec that has none.
    package var eModelConstants: EModel.Codec? {
        impairment.map { EModel.Codec(impairment: $0.equipment, lossRobustness: $0.lossRobustness) }
    }
}
