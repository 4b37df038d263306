import Reporting

/// Notices when echo control finds the room, and when it loses it: once for each change.
package struct EchoChange: Sendable {
    private var converged = false

    package init() {}

    /// Looks at the latest figures; `nil` stands for a call without echo control.
    /// - Returns: the figures when `converged` is another than at the last look.
    package mutating func observe(_ figures: EchoFigures?) -> EchoFigures? {
        guard let figures, let now = figures.converged, now != converged else { return nil }
        converged = now
        return figures
    }
}
