import Glibc
import Reporting

/// The person in front of a playing or recording program: status line, keys, signals; one loop on the main thread.
struct MediaConsole {
    private let signals: TerminationSignal
    private let teller: EventTeller
    private let terminal: TerminalMode?
    private var status: StatusLine?
    private var readsKeys: Bool

    /// - Parameter readsStandardInput: whether it is free for keys, not audio.
    init(signals: TerminationSignal, teller: EventTeller, readsStandardInput: Bool) {
        self.signals = signals
        self.teller = teller
        terminal = !teller.isJSON && readsStandardInput ? TerminalMode() : nil
        // A program in the background that reads the terminal is stopped.
        readsKeys = readsStandardInput && (terminal != nil || isatty(STDIN_FILENO) == 0)
        if terminal != nil && teller.output.isTerminal {
            status = StatusLine(output: teller.output, environment: processEnvironment())
        }
    }

    /// Whether a status line is drawn.
    var isDrawing: Bool { status != nil }
    /// Columns and whether there are block characters.
    var shape: (width: Int, blocks: Bool) { (status?.width ?? 80, status?.blocks ?? false) }

    /// Waits for a key or signal, but no longer than `seconds`.
    ///
    /// - Returns: the keys pressed; a signal that asks for the end is `quit`.
    mutating func wait(seconds: Double) -> [MediaKey] {
        var descriptors = [
            pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: readsKeys ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
        ]
        poll(&descriptors, nfds_t(descriptors.count), Int32(max(1, seconds * 1000)))
        var keys: [MediaKey] = []
        while let number = signals.take() {
            switch number {
            case SIGTSTP:
                status?.clear()
                terminal?.leave()
                signals.suspend()
                terminal?.enter()
            case SIGCONT: terminal?.enter()
            default: keys.append(.quit)
            }
        }
        if readsKeys, descriptors[1].revents != 0 { keys += readKeys() }
        return keys
    }

    private mutating func readKeys() -> [MediaKey] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        guard count > 0 else {
            readsKeys = false
            return []
        }
        let keys = MediaKey.parse(bytes[..<count])
        // Without a terminal only q counts: text that happens to be piped in must not pause.
        return terminal != nil ? keys : keys.filter { $0 == .quit }
    }

    mutating func draw(_ parts: [String]) {
        guard let width = status?.width else { return }
        status?.draw(LevelBar.line(parts, width: width))
    }

    /// Tells an event, above the status line if there is one.
    mutating func tell(_ type: String, _ members: [JSONMember] = [], text: String? = nil) {
        guard let line = teller.line(type, members, text: text) else { return }
        if status == nil { teller.output.line(line) } else { status?.print(line) }
    }

    /// Prints help above the status line.
    mutating func help(_ text: String) { status?.print(text) }

    /// Gives the terminal back.
    mutating func close() {
        status?.clear()
        terminal?.leave()
    }
}
