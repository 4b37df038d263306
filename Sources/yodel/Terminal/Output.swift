import Glibc
import Reporting

/// A file descriptor that takes whole lines. Text that reaches it shows control characters instead of obeying them.
///
/// A program that waits for signals (`TerminationSignal`) never waits for who reads its lines: see `OutputQueue`.
struct Output: Sendable {
    private let queue: OutputQueue

    static let standard = Output(queue: OutputQueue(STDOUT_FILENO))
    static let error = Output(queue: OutputQueue(STDERR_FILENO))

    var descriptor: Int32 { queue.descriptor }

    /// Whether a person is looking.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes `text` and a line end at once, so that lines of two processes do not mix. `opening` goes before it as it is.
    func line(_ text: String, opening: String = "") { queue.add(opening + PrintableText.text(text) + "\n") }

    /// Writes `text`, the program's own, as it is. A reader that has gone is no reason to end a call.
    func write(_ text: String) { queue.add(text) }

    /// Writes `text` as it is, unless older text still waits: what is drawn over and over.
    func draw(_ text: String) { queue.add(text, isPassing: true) }

    /// From now on nobody waits for a reader.
    static func neverWait() { for output in [standard, error] { output.queue.neverWaits() } }

    /// How lost lines are told on this output.
    func tellLoss(_ text: @escaping @Sendable (Int) -> String) { queue.tellLoss(text) }

    /// Waits for readers of what is left, but not for long.
    static func finish() {
        standard.queue.finish(milliseconds: 1000)
        error.queue.finish(milliseconds: 200)
    }
}

extension ExitStatus {
    /// Ends the process.
    static func end(_ status: ExitStatus) -> Never {
        Output.finish()
        exit(status.rawValue)
    }
}
