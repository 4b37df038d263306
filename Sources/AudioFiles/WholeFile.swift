import Glibc

/// A file written or read in one go.
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
        try write(Array(text.utf8), path: path)
    }

    /// - Parameters:
    ///   - bytes: what it is to hold.
    ///   - path: of the file.
    /// - Throws: when it cannot be written whole.
    public static func write(_ bytes: [UInt8], path: String) throws(AudioFileError) {
        try bytes.withUnsafeBufferPointer { bytes throws(AudioFileError) in
            try write(UnsafeRawBufferPointer(bytes), path: path)
        }
    }

    /// - Parameters:
    ///   - path: of a file, or of a pipe that ends.
    ///   - mostBytes: a longer one is refused.
    /// - Returns: all that it holds.
    /// - Throws: when it cannot be read, or is too long.
    public static func read(path: String, mostBytes: Int) throws(AudioFileError) -> [UInt8] {
        guard let file = fopen(path, "rbe") else { throw failure(path) }
        defer { fclose(file) }
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&piece, 1, piece.count, file)
            guard count > 0 else { break }
            guard all.count + count <= mostBytes else {
                throw AudioFileError(path: path, reason: "longer than \(mostBytes) bytes")
            }
            all += piece[..<count]
        }
        guard ferror(file) == 0 else { throw failure(path) }
        return all
    }

    private static func failure(_ path: String) -> AudioFileError {
        AudioFileError(path: path, reason: String(cString: strerror(errno)))
    }
}
