import Glibc
import Softphone

/// A folder for files that nobody keeps: it and what is in it are gone with this object.
final class PassingFolder {
    let path: String

    /// - Throws: where none can be made.
    init() throws(SoftphoneError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? P_tmpdir
        var name = Array("\(parent)/yodel-XXXXXX".utf8CString)
        let isMade = name.withUnsafeMutableBufferPointer { name in name.baseAddress.map { mkdtemp($0) != nil } ?? false }
        guard isMade else {
            throw .request(
                "no folder for what is recorded can be made in \(parent): \(String(cString: strerror(errno))); set TMPDIR")
        }
        path = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    deinit {
        if let stream = opendir(path) {
            while let entry = readdir(stream) {
                let file = withUnsafeBytes(of: entry.pointee.d_name) { name in
                    name.baseAddress.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } ?? "."
                }
                if file != ".", file != ".." { unlink("\(path)/\(file)") }
            }
            closedir(stream)
        }
        rmdir(path)
    }
}
