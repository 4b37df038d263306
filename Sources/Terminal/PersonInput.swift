import Glibc

/// Signals and keys of the person in front of a running program.
package struct PersonInput {
    private let signals: TerminationSignal
    private let terminal: TerminalMode?
    private var readsKeys: Bool

    /// - Parameters:
    ///   - terminal: given back while the program is stopped.
    ///   - readsKeys: whether standard input is free for keys, not audio.
    package init(signals: TerminationSignal, terminal: TerminalMode?, readsKeys: Bool) {
        (self.signals, self.terminal, self.readsKeys) = (signals, terminal, readsKeys)
        signals.takeStops()
    }

    /// Whether standard input is to be read now: a program in the background that reads the terminal is stopped.
    private var mayRead: Bool { readsKeys && (isatty(STDIN_FILENO) == 0 || TerminalMode.isPossible) }

    /// Waits for a signal, a key or one of `others`, but no longer than `seconds`, up to the next millisecond: what is due then is not
    /// waited for twice.
    package func wait(seconds: Double, others: [Int32] = []) {
        // A shell brings a program that runs to the foreground without a signal.
        terminal?.enter()
        let descriptors = [signals.descriptor, mayRead ? STDIN_FILENO : -1] + others
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        poll(&entries, nfds_t(entries.count), Int32(max(1, (seconds * 1000).rounded(.up))))
    }

    /// Takes the signals that came. Ctrl-Z stops the program and gives the terminal back until it goes on.
    ///
    /// - Returns: whether one asks for the end.
    package func takeSignals(_ status: inout StatusLine?) -> Bool {
        var asksForEnd = false
        while let number = signals.take() {
            switch number {
            case SIGTSTP:
                status?.clear()
                terminal?.leave()
                signals.suspend()
                terminal?.enter()
            case SIGCONT: terminal?.enter()
            default: asksForEnd = true
            }
        }
        return asksForEnd
    }

    /// The bytes of the keys that were pressed; after the end of standard input there are none any more.
    package mutating func readKeys() -> ArraySlice<UInt8> {
        var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard mayRead, poll(&descriptor, 1, 0) > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        guard count > 0 else {
            readsKeys = false
            return []
        }
        return bytes[..<count]
    }
}
