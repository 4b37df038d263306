import Media
import Realtime
import Signalling
import Softphone

/// What signalling tells of a call of a load, by the call's number.
package enum LoadSignal: Sendable, Equatable {
    /// It was answered, so long after its INVITE was sent; nil as path: nothing is to be sent yet.
    case answered(Int, LoadPath?, milliseconds: Double?)
    /// Its packets go there from now on; nil: nothing is to be sent for the time being.
    case moved(Int, LoadPath?)
    /// It is over. Nothing of it follows.
    case ended(Int, LoadEnding, at: HostTime)
}

/// How a call by SIP ended.
package struct LoadEnding: Sendable, Equatable {
    /// Of the last response; nil: none came.
    package let sipCode: Int?
    package let reason: EndReason
    /// In words; they may be the network's.
    package let text: String

    package init(_ ending: CallEnding) {
        sipCode = ending.sipCode
        reason = EndReason(ending.reason)
        text = ending.text
    }

    /// Whether this side wanted it.
    package var isOurs: Bool { reason == .localHangup }

    /// What calls that were refused alike have in common: the other side's status, or why there was none that says it.
    package var kind: String { sipCode.flatMap { $0 >= 300 ? "\($0)" : nil } ?? reason.rawValue }
}
