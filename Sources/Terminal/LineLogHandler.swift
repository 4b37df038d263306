import Logging
import Reporting

/// One line on standard error for each message: `yodel: TIME LEVEL: MESSAGE`.
package struct LineLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    private let output: Output
    /// Takes a status line away that stands where the message will; it is drawn again within 200 ms.
    private let opening: String

    package init(level: Logger.Level, output: Output = .error) {
        logLevel = level
        self.output = output
        opening = output.isTerminal ? "\r\u{1b}[K" : ""
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let facts = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        let text = (["\(event.message)"] + facts.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        output.line("yodel: \(Timestamp.now().text) \(event.level): \(line)", opening: opening)
    }
}
