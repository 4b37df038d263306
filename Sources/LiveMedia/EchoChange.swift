import Metrics

/// Notices when echo control finds the room, loses it, or has to look for it anew, and when something stands in its way: once
/// for each change.
package struct EchoChange: Sendable {
    private var last = Condition(converged: false)

    /// What is told when it changes; the rest moves too often.
    private struct Condition: Sendable, Equatable {
        var converged: Bool
        var realignCount = 0
        var noEchoPath = false
        var echoAudible = false
        var microphoneClipping = false
    }

    package init() {}

    /// Looks at the latest figures; `nil` stands for a call without echo control.
    /// - Returns: the figures when anything is other than at the last look.
    package mutating func observe(_ figures: EchoFigures?) -> EchoFigures? {
        guard let figures else { return nil }
        let now = Condition(
            converged: figures.converged ?? last.converged, realignCount: figures.realignCount ?? 0,
            noEchoPath: figures.noEchoPath ?? false, echoAudible: figures.echoAudible ?? false,
            microphoneClipping: figures.microphoneClipping ?? false)
        defer { last = now }
        return now == last ? nil : figures
    }
}

/// Says in plain words what a person should do about echo, once for each time it comes.
package struct EchoWarnings: Sendable {
    private var audible = false
    private var clipping = false

    package init() {}

    /// Looks at the latest figures; `nil` stands for a call without echo control.
    package mutating func observe(_ figures: EchoFigures?) -> [String] {
        var warnings: [String] = []
        let isAudible = figures?.echoAudible ?? false
        if isAudible, !audible {
            warnings.append("the other side hears its own voice: turn the loudspeaker down, or use a headset")
        }
        audible = isAudible
        let isClipping = figures?.microphoneClipping ?? false
        if isClipping, !clipping {
            warnings.append("the microphone is overdriven, which spoils echo cancellation: lower its level in the mixer")
        }
        clipping = isClipping
        return warnings
    }
}
