import Glibc

/// A file descriptor that takes whole lines.
struct Output: Sendable {
    let descriptor: Int32

    static let standard = Output(descriptor: STDOUT_FILENO)
    static let error = Output(descriptor: STDERR_FILENO)

    /// Whether a person is looking.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes `text` and a line end at once, so that lines of two processes do not mix.
    func line(_ text: String) { write(text + "\n") }

    /// Writes `text` as it is. A reader that has gone is no reason to end a call.
    func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while rest.count > 0 {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}

extension ExitStatus {
    /// Ends the process.
    static func end(_ status: ExitStatus) -> Never { exit(status.rawValue) }
}
