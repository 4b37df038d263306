import CNetwork
import Glibc

/// Tells when this machine's addresses or routes change.
public final class AddressWatch {
    /// Readable while there is news.
    public let fileDescriptor: Int32

    /// nil: the kernel does not tell.
    public init?() {
        let descriptor = cnetwork_watch_addresses()
        guard descriptor >= 0 else { return nil }
        fileDescriptor = descriptor
    }

    deinit { close(fileDescriptor) }

    /// Whether anything changed since the last time.
    public func takeNews() -> Bool { cnetwork_drain_watch(fileDescriptor) }
}
