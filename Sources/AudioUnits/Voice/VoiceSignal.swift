/// A signal inside the voice processing that can be listened to from outside.
///
/// All have the call's rate and run block by block in step, so that written side by side they line up.
public enum VoiceSignal: Sendable, CaseIterable {
    /// What the microphone picked up, after rate conversion.
    case microphone
    /// What the loudspeaker played, placed against the microphone as the canceller sees it.
    case reference
    /// After the linear echo canceller, before residual suppression.
    case afterEchoCancellation
    /// After residual suppression and comfort noise, before gain control.
    case afterResidualSuppression
    /// What the input handler gets.
    case output

    /// The name of its file in a dump.
    public var name: String {
        switch self {
        case .microphone: "microphone"
        case .reference: "reference"
        case .afterEchoCancellation: "after_echo_cancellation"
        case .afterResidualSuppression: "after_residual_suppression"
        case .output: "output"
        }
    }

    /// Position in a table; the derived `rawValue` is not fit for render threads.
    var slot: Int {
        @_noLocks get {
            switch self {
            case .microphone: 0
            case .reference: 1
            case .afterEchoCancellation: 2
            case .afterResidualSuppression: 3
            case .output: 4
            }
        }
    }
}
