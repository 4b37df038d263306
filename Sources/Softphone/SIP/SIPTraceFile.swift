import Glibc
import Realtime
import Reporting
import Signalling
import Synchronization
import Threads

/// `--sip-trace FILE`: every message of signalling as text, with its time, its way and the other side's address; secrets are masked.
///
/// A thread of its own writes, so that a slow disk holds up neither signalling nor calls: what it cannot take is left out, with a
/// count. Each message is flushed, so that a trace is whole to the last message, whatever happens to the program. A file that takes
/// no more ends the trace, is told once, and costs nothing else.
final class SIPTraceFile: Sendable {
    private let messages = EventFanOut<(message: TracedMessage, time: Timestamp)>()
    private let thread: Lock<RealtimeThread?>

    /// - Parameter onFailure: takes what is to be told when the file takes no more, on the trace's thread.
    /// - Throws: when the file cannot be written, or no thread is left.
    init(path: String, onFailure: @escaping @Sendable (String) -> Void) throws(SoftphoneError) {
        // A pipe that nobody reads is refused here, and later holds up nobody.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else {
            throw .request(
                "\(path) cannot be written (\(String(cString: strerror(errno)))), in --sip-trace; make its folder or name another file"
            )
        }
        let subscription: EventSubscription<(message: TracedMessage, time: Timestamp)>
        do {
            subscription = try messages.subscribe(capacity: 4096)
        } catch {
            close(descriptor)
            throw .resources("\(error)")
        }
        do {
            thread = Lock(
                try RealtimeThread(
                    name: "sip trace",
                    owning: TraceWriter(path: path, descriptor: descriptor, subscription, onFailure: onFailure)
                ) { $0.run() })
        } catch {
            // The descriptor went with the thread's state.
            throw .resources("\(error)")
        }
    }

    /// Notes a message. Never waits.
    func note(_ message: TracedMessage) { messages.publish((message, .now())) }

    /// Writes what waits, and closes the file.
    func finish() {
        messages.finish()
        thread.withLock { $0.take() }?.join()
    }
}

/// What the trace's thread owns.
private struct TraceWriter: ~Copyable {
    private let path: String
    private let descriptor: Int32
    private let subscription: EventSubscription<(message: TracedMessage, time: Timestamp)>
    private let onFailure: @Sendable (String) -> Void

    /// How long a pipe may be full, ms.
    private static let patience: Int32 = 1000

    init(
        path: String, descriptor: Int32, _ subscription: EventSubscription<(message: TracedMessage, time: Timestamp)>,
        onFailure: @escaping @Sendable (String) -> Void
    ) {
        self.path = path
        self.descriptor = descriptor
        self.subscription = subscription
        self.onFailure = onFailure
    }

    deinit { close(descriptor) }

    func run() {
        var isWhole = true
        while true {
            var entry = pollfd(fd: subscription.fileDescriptor, events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, -1)
            let batch = subscription.take()
            if isWhole {
                var text = batch.lost > 0 ? "--- \(batch.lost) messages were left out: the disk was too slow\n\n" : ""
                for (message, time) in batch.values { text += Self.text(message, time) }
                isWhole = put(text)
            }
            if batch.isLast { return }
        }
    }

    private static func text(_ message: TracedMessage, _ time: Timestamp) -> String {
        let way = message.direction == .sent ? "to" : "from"
        let head = "--- \(time.text) \(message.direction.rawValue) \(way) \(message.transport):\(message.remote), "
        if message.isKeepAlive { return head + "keep-alive\n\n" }
        return head + "\(message.octets.count) bytes\n\(message.text)\n"
    }

    /// False, and it is told, when the file takes no more.
    private func put(_ text: String) -> Bool {
        let octets = Array(text.utf8)
        var written = 0
        while written < octets.count {
            let count = octets.withUnsafeBytes { write(descriptor, $0.baseAddress! + written, octets.count - written) }
            if count > 0 {
                written += count
                continue
            }
            if errno == EINTR { continue }
            var reason = String(cString: strerror(errno))
            if errno == EAGAIN {
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                if poll(&entry, 1, Self.patience) > 0 { continue }
                reason = "its reader takes no more"
            }
            onFailure("\(reason); the trace of the messages ends here, in \(path)")
            return false
        }
        return true
    }
}
