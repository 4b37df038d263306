import Glibc

/// A file written in one go.
public enum WholeFile {
    /// - Throws: when it cannot be written whole.
    public static func write(_ bytes: UnsafeRawBufferPointer, path: String) throws(AudioFileError) {
        guard let file = fopen(path, "wbe") else { throw failure(path) }
        let written = fwrite(bytes.baseAddress, 1, bytes.count, file)
        // Closing flushes: only then is a full disk known.
        guard fclose(file) == 0, written == bytes.count else { throw failure(path) }
    }

    /// - Throws: when it cannot be written whole.
    public static func write(_ text: String, path: String) throws(AudioFileError) {
        try Array(text.utf8).withUnsafeBufferPointer { bytes throws(AudioFileError) in
            try write(UnsafeRawBufferPointer(bytes), path: path)
        }
    }

    private static func failure(_ path: String) -> AudioFileError {
        AudioFileError(path: path, reason: String(cString: strerror(errno)))
    }
}
