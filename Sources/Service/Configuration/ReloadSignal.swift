import Glibc
import Realtime
import Synchronization

/// SIGHUP as something to wait for: the handler does nothing but ring.
final class ReloadSignal: Sendable {
    private let bell: EventSignal

    /// Takes over SIGHUP.
    init() throws(RealtimeError) {
        bell = try EventSignal()
        descriptor.store(bell.fileDescriptor, ordering: .releasing)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            let saved = errno
            let place = descriptor.load(ordering: .acquiring)
            var one: UInt64 = 1
            if place >= 0 { _ = write(place, &one, 8) }
            errno = saved
        }
        action.sa_flags = Int32(SA_RESTART)
        sigaction(SIGHUP, &action, nil)
    }

    deinit {
        signal(SIGHUP, SIG_IGN)
        descriptor.store(-1, ordering: .releasing)
        bell.close()
    }

    /// Readable once it has come; for `poll`.
    var fileDescriptor: Int32 { bell.fileDescriptor }

    /// Whether it has come since.
    func take() -> Bool {
        var entry = pollfd(fd: bell.fileDescriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, 0) > 0 else { return false }
        bell.drain()
        return true
    }
}

/// Where the handler writes.
private let descriptor = Atomic<Int32>(-1)
