import CX509
import Realtime

/// The authorities that are trusted, read from a file or the system's folder. Read again when the file has changed.
struct TrustStore {
    /// Owns an `X509_STORE`.
    final class Handle {
        let pointer: OpaquePointer

        init(_ pointer: OpaquePointer) { self.pointer = pointer }

        deinit { cx509_X509_STORE_free(pointer) }
    }

    private var cached: (path: String?, stamp: FileStamp?, handle: Handle)?

    /// - Parameter path: a PEM file; nil: the system's authorities.
    mutating func handle(path: String?) throws(SignallingFailure) -> Handle {
        let stamp = path.flatMap { FileStamp($0) }
        if let cached, cached.path == path, cached.stamp == stamp { return cached.handle }
        if let missing = cx509_load() { throw .credentials(String(cString: missing)) }
        guard let store = cx509_X509_STORE_new() else { throw .credentials("out of memory for certificates") }
        let handle = Handle(store)
        let isRead = path.map { cx509_X509_STORE_load_file(store, $0) } ?? cx509_X509_STORE_set_default_paths(store)
        guard isRead == 1 else {
            cx509_ERR_clear_error()
            throw .credentials(
                "no CA certificates can be read from \(path ?? "the system's folder"): a PEM file is needed")
        }
        cached = (path, stamp, handle)
        return handle
    }
}
