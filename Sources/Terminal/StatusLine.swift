import Glibc

/// One line at the bottom of a terminal that is drawn over and over; other lines push it down.
package struct StatusLine {
    private let output: Output
    private var isDrawn = false
    /// Whether the terminal's encoding has block characters.
    package let blocks: Bool

    package init(output: Output, environment: [String: String]) {
        self.output = output
        let locale = environment["LC_ALL"] ?? environment["LC_CTYPE"] ?? environment["LANG"] ?? ""
        blocks = locale.uppercased().contains("UTF-8") || locale.uppercased().contains("UTF8")
    }

    /// Columns that `draw` may use: one less than the terminal has, so that the cursor does not wrap.
    package var width: Int { TerminalMode.columns(output.descriptor) - 1 }

    /// Replaces the line. In the background nothing is drawn: the terminal is the shell's.
    package mutating func draw(_ text: String) {
        guard TerminalMode.isPossible else { return }
        output.draw("\r\(PrintableText.text(text))\u{1b}[K")
        isDrawn = true
    }

    /// Prints `text` above the line.
    package mutating func print(_ text: String) {
        clear()
        output.line(text)
    }

    /// Takes the line away.
    package mutating func clear() {
        if isDrawn, TerminalMode.isPossible { output.write("\r\u{1b}[K") }
        isDrawn = false
    }
}
