import Codecs
import Reporting

extension CodecKind {
    /// Its constants in the E-model; `nil` for L16, for which nobody has published any.
    var impairment: EModel.Codec? {
        switch self {
        case .opus: .opus
        case .pcmu, .pcma: .g711
        case .l16: nil
        }
    }
}
