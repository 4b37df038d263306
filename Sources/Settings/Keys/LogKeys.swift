/// What is told on standard error.
public struct LogKeys: ConfigurationSection {
    public static let name = "log"
    public static let title = "General"

    public let level = ConfigurationKey(
        "log_level", .cases("level"), default: LogLevel.warning, help: "How much is logged to standard error")

    public init() {}
}

/// From which weight on messages are logged, lightest first.
public enum LogLevel: String, Sendable, CaseIterable {
    case trace, debug, info, notice, warning, error, critical
}
