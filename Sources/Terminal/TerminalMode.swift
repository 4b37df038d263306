import Glibc
import Synchronization

/// Keys without Enter and without echo, for as long as a call lasts; the terminal is given back as it was.
package final class TerminalMode {
    private var isRaw = false

    /// Whether standard input is a terminal, and ours to read: not a background job's.
    package static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp() }

    /// `nil` when standard input is no terminal, or not ours to change (a background job).
    package init?() {
        guard Self.isPossible else { return nil }
        guard savedMode.store() else { return nil }
        atexit { TerminalMode.restoreFromSignal() }
        enter()
    }

    deinit { leave() }

    /// Single keys from now on; signals keys (Ctrl-C, Ctrl-Z) still make signals. Nothing happens in the background: a program
    /// that changes the terminal there is stopped.
    package func enter() {
        guard !isRaw, Self.isPossible, var mode = savedMode.value else { return }
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &mode)  // a terminal that was stopped (Ctrl-S) never drains
        isRaw = true
        rawNow.store(true, ordering: .releasing)
    }

    /// The mode the terminal had.
    package func leave() {
        guard isRaw else { return }
        isRaw = false
        Self.restoreFromSignal()
    }

    /// The same, callable from a signal handler and at exit.
    package static func restoreFromSignal() {
        guard rawNow.exchange(false, ordering: .acquiringAndReleasing), var mode = savedMode.value else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    }

    /// Columns of the terminal on `descriptor`; 80 when it does not say.
    package static func columns(_ descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}

/// The mode to go back to.
///
/// Sendable: written once before raw mode begins, then only read, also by a signal handler.
private struct SavedMode: @unchecked Sendable {
    private let mode = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    private let valid = UnsafeMutablePointer<Bool>.allocate(capacity: 1)

    package init() {
        mode.initialize(to: termios())
        valid.initialize(to: false)
    }

    package func store() -> Bool {
        valid.pointee = tcgetattr(STDIN_FILENO, mode) == 0
        return valid.pointee
    }

    package var value: termios? { valid.pointee ? mode.pointee : nil }
}

private let savedMode = SavedMode()
/// Whether the terminal is in raw mode now.
private let rawNow = Atomic<Bool>(false)
