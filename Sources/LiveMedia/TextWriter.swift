import Glibc
import Realtime

/// Lines of text on their way from the media thread to a file: the thread pushes them into a ring and goes on.
///
/// A file that takes no more, a pipe whose reader has stopped, costs lines, which are counted, and never the thread.
final class TextWriter: DiskWriter {
    let health: FileHealth
    private let descriptor: Int32
    private var inlet: RingProducer<UInt8>
    private var outlet: RingConsumer<UInt8>

    /// Some seconds of a line each 5 ms.
    private static let ringBytes = 1 << 15

    /// Creates the file at `path`; an existing file is replaced.
    init(path: String, head: String) throws(CallError) {
        health = FileHealth(path: path)
        do {
            let ends = try RingEnds<UInt8>(minimumCapacity: Self.ringBytes)
            inlet = ends.producer
            outlet = ends.consumer
        } catch {
            throw .resources("\(error)")
        }
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0o644)
        guard descriptor >= 0 else {
            let reason = errno == ENXIO ? "nobody reads this pipe yet" : String(cString: strerror(errno))
            throw .recording(path: path, reason: reason)
        }
        add(head)
    }

    deinit { close(descriptor) }

    /// The filling thread: a line goes into the ring whole or not at all.
    func add(_ line: String) {
        var line = line + "\n"
        line.withUTF8 { bytes in
            guard let base = bytes.baseAddress, inlet.room(wanted: bytes.count) >= bytes.count else {
                return health.lose(1)
            }
            _ = inlet.write(base, count: bytes.count)
        }
    }

    /// The disk's thread: hands over what the file takes; the rest stays in the ring.
    func drain() {
        while outlet.available(wanted: 1) > 0 {
            guard health.failureReason == nil else { return outlet.consume(outlet.available(wanted: Self.ringBytes)) }
            let count = outlet.withFilled { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            guard count > 0 else {
                health.fail(String(cString: strerror(count < 0 ? errno : ENOSPC)))
                continue
            }
            outlet.consume(count)
        }
    }

    func finish() {
        drain()
        if outlet.available(wanted: 1) > 0 { health.fail("its reader takes no more") }
    }
}
