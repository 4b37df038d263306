import Glibc

/// A file descriptor that takes whole lines. Text that reaches it shows control characters instead of obeying them.
///
/// A program that waits for signals (`TerminationSignal`) never waits for who reads its lines: see `OutputQueue`.
package struct Output: Sendable {
    private let queue: OutputQueue

    package static let standard = Output(queue: OutputQueue(STDOUT_FILENO))
    package static let error = Output(queue: OutputQueue(STDERR_FILENO))

    package var descriptor: Int32 { queue.descriptor }

    /// Whether a person is looking.
    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes `text` and a line end at once, so that lines of two processes do not mix. `opening` goes before it as it is.
    package func line(_ text: String, opening: String = "") { queue.add(opening + PrintableText.text(text) + "\n") }

    /// Writes `text`, the program's own, as it is. A reader that has gone is no reason to end a call.
    package func write(_ text: String) { queue.add(text) }

    /// Writes `text` as it is, unless older text still waits: what is drawn over and over.
    package func draw(_ text: String) { queue.add(text, isPassing: true) }

    /// From now on nobody waits for a reader.
    package static func neverWait() { for output in [standard, error] { output.queue.neverWaits() } }

    /// How lost lines are told on this output.
    package func tellLoss(_ text: @escaping @Sendable (Int) -> String) { queue.tellLoss(text) }

    /// Waits for readers of what is left, but not for long; tells on standard error what could not be written.
    ///
    /// - Returns: whether standard output took all that had a reader: no disk was full.
    package static func finish() -> Bool {
        standard.queue.finish(milliseconds: 1000)
        let failure = standard.queue.failure
        if failure != 0 { error.line("yodel: \(unwritten(failure))") }
        error.queue.finish(milliseconds: 200)
        return failure == 0
    }

    /// What to say where output cannot be written, by its `errno`; nil: its reader has gone, and nobody is left to tell.
    package static func complaint(_ code: Int32) -> String? { code == EPIPE ? nil : unwritten(code) }

    private static func unwritten(_ code: Int32) -> String {
        "cannot write what was asked for: \(String(cString: strerror(code))); make room, or print to another place"
    }
}
