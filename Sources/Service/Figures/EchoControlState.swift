import Metrics

/// The state of a call's echo control, as `yodel_echo_calls` counts it.
package enum EchoControlState: String, Sendable, CaseIterable {
    /// The call has none.
    case off
    case learning
    case converged
    /// There is no echo to be taken out.
    case none
    /// The other side hears itself.
    case audible

    init(_ figures: EchoFigures?) {
        guard let figures else {
            self = .off
            return
        }
        self =
            figures.echoAudible == true
            ? .audible : figures.noEchoPath == true ? .none : figures.converged == true ? .converged : .learning
    }
}
