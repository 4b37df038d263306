import Media
import Signalling

extension Media.EndReason {
    /// What signalling tells of a call's end, by the name that events and reports have for it.
    package init(_ reason: CallEnding.Reason) {
        self =
            switch reason {
            case .localHangup: .localHangup
            case .remoteHangup: .remoteHangup
            case .busy: .busy
            case .refused, .redirected, .noCommonMedia, .badTarget: .refused
            case .noAnswer: .noAnswer
            case .authentication, .certificate: .authentication
            case .network, .lost: .network
            case .replaced: .replaced
            }
    }
}
