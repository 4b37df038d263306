import Logging
import Settings

/// The program's log. Only a call's owner and its events thread write to it: render and media threads tell what
/// happens through mailboxes.
package let logger = Logger(label: "yodel")

extension Logger.Level {
    /// As the configuration names it.
    package init(_ level: LogLevel) {
        self =
            switch level {
            case .trace: .trace
            case .debug: .debug
            case .info: .info
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            case .critical: .critical
            }
    }
}
