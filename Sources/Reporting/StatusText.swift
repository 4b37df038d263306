import Metrics

/// What the status line says besides the figures.
public struct CallMood: Sendable, Equatable {
    public var muted = false
    public var held = false
    /// Whether the first packet has come.
    public var hasMedia = false
    /// Gain of what is heard, dB.
    public var volumeDecibels = 0

    public init() {}
}

/// The one line that follows a call on a terminal, and its plainer sister for logs.
public enum StatusText {
    /// At most `width` columns: what does not fit is left out from the end, where the less important things stand.
    ///
    /// - Parameter blocks: draw level bars with block characters (a UTF-8 terminal) rather than `#`.
    public static func line(
        seconds: Double, _ statistics: CallStatistics, _ mood: CallMood, width: Int, blocks: Bool
    ) -> String {
        var parts = [Text.clock(seconds)]
        if !mood.hasMedia { parts.append("waiting for the other side") }
        if mood.held { parts.append("[held]") }
        if mood.muted { parts.append("[muted]") }
        if let delay = delay(statistics, digits: 0) { parts.append(delay) }
        if let lost = statistics.lostRatio { parts.append("loss \(Text.fixed(lost * 100, 1)) %") }
        if let buffer = buffer(statistics) { parts.append(buffer) }
        parts.append("mic \(LevelBar.text(statistics.levelSentDecibels, blocks: blocks))")
        parts.append("ear \(LevelBar.text(statistics.levelHeardDecibels, blocks: blocks))")
        if let echo = statistics.echo, let text = text(echo) {
            let depth = echo.erleDecibels.map { " \(Text.fixed($0, 0)) dB" } ?? ""
            parts.append(text == gone ? text + depth : text)
        }
        if mood.volumeDecibels != 0 { parts.append("volume \(mood.volumeDecibels) dB") }
        parts.append("? keys")
        return LevelBar.line(parts, width: width)
    }

    /// One line of a log: the same figures without bars.
    public static func logLine(seconds: Double, _ statistics: CallStatistics, _ mood: CallMood) -> String {
        var parts = [Text.clock(seconds)]
        if !mood.hasMedia { parts.append("waiting for the other side") }
        if mood.held { parts.append("held") }
        if mood.muted { parts.append("muted") }
        if let delay = delay(statistics, digits: 1) { parts.append(delay) }
        if let lost = statistics.lostRatio { parts.append("loss \(Text.percent(lost))") }
        if let concealed = statistics.concealedRatio { parts.append("concealed \(Text.percent(concealed))") }
        if let buffer = buffer(statistics) { parts.append(buffer) }
        if let level = statistics.levelSentDecibels { parts.append("sent \(Text.fixed(level, 0)) dBov") }
        if let level = statistics.levelHeardDecibels { parts.append("heard \(Text.fixed(level, 0)) dBov") }
        if let echo = statistics.echo, let text = text(echo) { parts.append(text) }
        return parts.joined(separator: ", ")
    }

    /// From mouth to ear where that is known, otherwise our own part of it.
    private static func delay(_ statistics: CallStatistics, digits: Int) -> String? {
        if let delay = statistics.mouthToEarMilliseconds { return "delay \(Text.fixed(delay, digits)) ms" }
        return statistics.localDelayMilliseconds.map { "own delay \(Text.fixed($0, digits)) ms" }
    }

    /// The jitter buffer's level and target.
    private static func buffer(_ statistics: CallStatistics) -> String? {
        guard let level = statistics.bufferLevelMilliseconds, let target = statistics.bufferTargetMilliseconds else {
            return nil
        }
        return "buffer \(Text.fixed(level, 0))/\(Text.fixed(target, 0)) ms"
    }

    private static let gone = "echo gone"

    /// How it stands with the echo, in two words; `nil` while the other side has not spoken.
    private static func text(_ echo: EchoFigures) -> String? {
        if echo.noEchoPath == true { return "no echo" }
        guard let converged = echo.converged else { return nil }
        return converged ? gone : "echo heard"
    }
}
