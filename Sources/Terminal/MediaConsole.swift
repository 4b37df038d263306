import Reporting

/// The person in front of a playing or recording program: status line, keys, signals; one loop on the main thread.
package struct MediaConsole {
    private let teller: EventTeller
    private let terminal: TerminalMode?
    private var status: StatusLine?
    private var input: PersonInput

    /// - Parameter readsStandardInput: whether it is free for keys, not audio.
    package init(signals: TerminationSignal, teller: EventTeller, readsStandardInput: Bool) {
        self.teller = teller
        terminal = !teller.isJSON && readsStandardInput ? TerminalMode() : nil
        input = PersonInput(signals: signals, terminal: terminal, readsKeys: readsStandardInput)
        if terminal != nil && teller.output.isTerminal {
            status = StatusLine(output: teller.output, environment: processEnvironment())
        }
    }

    /// Whether a status line is drawn.
    package var isDrawing: Bool { status != nil }
    /// Columns and whether there are block characters.
    package var shape: (width: Int, blocks: Bool) { (status?.width ?? 80, status?.blocks ?? false) }

    /// Waits for a key or signal, but no longer than `seconds`.
    ///
    /// - Returns: the keys pressed; a signal that asks for the end is `quit`.
    package mutating func wait(seconds: Double) -> [MediaKey] {
        input.wait(seconds: seconds)
        let asksForEnd = input.takeSignals(&status)
        let keys = MediaKey.parse(input.readKeys())
        // Without a terminal only q counts: text that happens to be piped in must not pause.
        return (asksForEnd ? [.quit] : []) + (terminal != nil ? keys : keys.filter { $0 == .quit })
    }

    package mutating func draw(_ parts: [String]) {
        guard let width = status?.width else { return }
        status?.draw(LevelBar.line(parts.map(PrintableText.text), width: width))
    }

    /// Tells an event, above the status line if there is one.
    package mutating func tell(_ type: String, _ members: [JSONMember] = [], text: String? = nil) {
        guard let line = teller.line(type, members, text: text) else { return }
        if status == nil { teller.output.line(line) } else { status?.print(line) }
    }

    /// Prints help above the status line.
    package mutating func help(_ text: String) { status?.print(text) }

    /// Gives the terminal back.
    package mutating func close() {
        status?.clear()
        terminal?.leave()
    }
}
