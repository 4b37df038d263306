public import AudioUnits
import Glibc

/// A file written in one go.
public enum WholeFile {
    /// - Throws: `DeviceError.file` when it cannot be written whole.
    public static func write(_ bytes: UnsafeRawBufferPointer, path: String) throws(DeviceError) {
        guard let file = fopen(path, "wbe") else { throw failure(path) }
        let written = fwrite(bytes.baseAddress, 1, bytes.count, file)
        // Closing flushes: only then is a full disk known.
        guard fclose(file) == 0, written == bytes.count else { throw failure(path) }
    }

    /// - Throws: `DeviceError.file` when it cannot be written whole.
    public static func write(_ text: String, path: String) throws(DeviceError) {
        try Array(text.utf8).withUnsafeBufferPointer { bytes throws(DeviceError) in
            try write(UnsafeRawBufferPointer(bytes), path: path)
        }
    }

    private static func failure(_ path: String) -> DeviceError {
        .file(path: path, reason: String(cString: strerror(errno)))
    }
}
