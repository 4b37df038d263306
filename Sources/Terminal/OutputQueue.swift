import Glibc
import Realtime

/// The way of lines to a file descriptor that is somebody else's: it stays in blocking mode, yet nobody waits for its reader.
///
/// A reader that stalls costs lines, whole ones, and they are counted; never the end of a call or the answer to a signal. Until
/// `neverWaits` it waits as any program does: what prints and ends is wanted whole.
final class OutputQueue: Sendable {
    /// Bytes that wait for a slow reader at most: some minutes of figures.
    static let mostWaiting = 256 * 1024

    let descriptor: Int32

    private struct State {
        var waiting: [UInt8] = []
        var lost = 0
        var waits = true
        /// Of the last write that failed, but for a reader that has gone; 0 while none has.
        var failure: Int32 = 0
        var lossText: @Sendable (Int) -> String = { "warning: \($0) lines were left out: nobody read them in time" }
    }

    private let state = Lock(State())

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    func neverWaits() { state.withLock { $0.waits = false } }

    /// Why not all was written (`errno`); 0: it was, or its reader has gone. Once nobody waits, what was written last counts.
    var failure: Int32 { state.withLock { $0.failure } }

    func tellLoss(_ text: @escaping @Sendable (Int) -> String) { state.withLock { $0.lossText = text } }

    /// Writes `text` behind what waits, or leaves it out; `isPassing` text never waits.
    func add(_ text: String, isPassing: Bool = false) {
        state.withLock { state in
            flush(&state, milliseconds: state.waits ? -1 : 0)
            if state.lost > 0, state.waiting.isEmpty {
                state.waiting += Array((state.lossText(state.lost) + "\n").utf8)
                state.lost = 0
            }
            if isPassing, !state.waiting.isEmpty { return }
            guard state.waiting.count + text.utf8.count <= Self.mostWaiting || state.waits else {
                state.lost += 1
                return
            }
            state.waiting += Array(text.utf8)
            flush(&state, milliseconds: state.waits ? -1 : 0)
        }
    }

    /// Hands over the rest, for which the reader has `milliseconds`.
    func finish(milliseconds: Double) {
        state.withLock { state in
            let deadline = HostTime.monotonicNow().advanced(byMilliseconds: milliseconds)
            while !state.waiting.isEmpty {
                let rest = deadline.milliseconds(since: .monotonicNow())
                guard rest > 0 else { return }
                flush(&state, milliseconds: Int32(rest.rounded(.up)))
            }
        }
    }

    /// Whether an error of `write` says that who read has gone: a closed pipe, a terminal that was hung up.
    private func hasReaderGone(_ code: Int32) -> Bool {
        if code == EPIPE { return true }
        var status = stat()
        return code == EIO && fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
    }

    /// Writes what the descriptor takes; waits for it no longer than `milliseconds`, for ever if negative.
    ///
    /// A pipe or terminal that polls as writable takes PIPE_BUF bytes without blocking.
    private func flush(_ state: inout State, milliseconds: Int32) {
        var written = 0
        defer { state.waiting.removeFirst(written) }
        while written < state.waiting.count {
            var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let ready = poll(&place, 1, milliseconds)
            if ready < 0, errno == EINTR, milliseconds < 0 { continue }
            guard ready > 0 else { return }
            let count = state.waiting.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress! + written, min($0.count - written, Int(PIPE_BUF)))
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                if milliseconds < 0 { continue }
                return
            }
            guard count > 0 else {
                // The reader has gone, or the disk is full: there is nobody to hand the rest to.
                let code = errno
                if count < 0, !hasReaderGone(code) { state.failure = code }
                written = state.waiting.count
                return
            }
            if !state.waits { state.failure = 0 }
            written += count
        }
    }
}
