import Glibc
import Synchronization

/// SIGINT and SIGTERM as something to wait for, by a self-pipe: the handlers do nothing but write one byte.
///
/// Until `endInOrder` there is nothing to lose, and an `open` may wait for ever (a FIFO that nobody writes): a signal ends the
/// process at once, with the terminal restored. So does a second signal later, in case the orderly end hangs.
package final class TerminationSignal: Sendable {
    /// Readable once a signal has come; each byte is a signal's number.
    package let descriptor: Int32

    /// Takes over SIGINT and SIGTERM, and SIGHUP unless it is ignored: `nohup` wants it to outlive the terminal. SIGINT counts
    /// all the same: a shell lets what a script runs in the background ignore it, and the script may end it by that.
    package init() {
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) != 0 { ends = [-1, -1] }
        for end in ends where end >= 0 {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        descriptor = ends[0]
        pipeEnd.store(ends[1], ordering: .releasing)
        // A signal must be heeded whoever reads our lines, or does not.
        Output.neverWait()
        if !Self.isIgnored(SIGHUP) { Self.handle(SIGHUP) }
        for number in [SIGINT, SIGTERM] { Self.handle(number) }
    }

    /// Takes over SIGTSTP, unless it is ignored, and SIGCONT: from now on somebody reads `descriptor`, and stops the process by
    /// `suspend` when Ctrl-Z asks for that.
    package func takeStops() {
        if !Self.isIgnored(SIGTSTP) { Self.handle(SIGTSTP) }
        Self.handle(SIGCONT)
    }

    /// From now on there is something to lose: the first signal asks for an orderly end.
    package func endInOrder() { endsInOrder.store(true, ordering: .releasing) }

    /// The signal that asked the process to end; `nil` while none has.
    package static var caught: Int32? {
        let number = firstSignal.load(ordering: .acquiring)
        return number == 0 ? nil : number
    }

    /// Takes the next signal that has come.
    package func take() -> Int32? {
        var byte: UInt8 = 0
        return read(descriptor, &byte, 1) == 1 ? Int32(byte) : nil
    }

    /// Stops the process as Ctrl-Z asks; returns when it goes on.
    package func suspend() {
        signal(SIGTSTP, SIG_DFL)
        raise(SIGTSTP)
        Self.handle(SIGTSTP)
    }

    /// A closed pipe is an error of `write`, not the end.
    package static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

    /// A file that reached the limit on its size (`ulimit -f`) is an error of `write`, not the end.
    package static func ignoreFullFiles() { signal(SIGXFSZ, SIG_IGN) }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        let handler = action.__sigaction_handler.sa_handler
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static func handle(_ number: Int32) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            let saved = errno
            if number != SIGTSTP && number != SIGCONT {
                let (first, _) = firstSignal.compareExchange(
                    expected: 0, desired: number, ordering: .acquiringAndReleasing)
                if !first || !endsInOrder.load(ordering: .acquiring) {
                    TerminalMode.restoreFromSignal()
                    _exit(128 + number)
                }
            }
            var byte = UInt8(truncatingIfNeeded: number)
            _ = write(pipeEnd.load(ordering: .acquiring), &byte, 1)
            errno = saved
        }
        action.sa_flags = Int32(SA_RESTART)
        sigaction(number, &action, nil)
    }
}

/// Where the handlers write; set before they are installed.
private let pipeEnd = Atomic<Int32>(-1)
/// Whether the first signal is one to wait for.
private let endsInOrder = Atomic<Bool>(false)
/// The first signal that asked for the end.
private let firstSignal = Atomic<Int32>(0)
