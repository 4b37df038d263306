import AudioFiles
import Glibc
import Realtime
import Reporting
import Softphone

/// The folder where the packets of the last calls are kept, so that a bundle can be made of a call that just went wrong. The oldest calls go
/// first; nothing else in the folder is touched.
package struct CaptureShelf: Sendable, Equatable {
    private let folder: String
    private let calls: Int
    /// That one call's capture may have.
    let bytes: Int

    /// - Parameters:
    ///   - folder: is made where it is not there.
    ///   - calls: that are kept.
    ///   - bytes: that one call's capture may have.
    package init(folder: String, calls: Int, bytes: Int) { (self.folder, self.calls, self.bytes) = (folder, calls, bytes) }

    /// A place for one call, whatever its media do.
    /// - Returns: makes room and the file when it is first called, and names that one again after that. It waits for the disk.
    package func place() -> @Sendable () -> String? {
        let taken = Lock<(isTaken: Bool, path: String?)>((false, nil))
        return {
            taken.withLock { place in
                if !place.isTaken { place = (true, next()) }
                return place.path
            }
        }
    }

    /// Makes room for the next call's capture, and an empty file that nobody else can read.
    /// - Parameter time: of the call.
    /// - Returns: its path; `nil`: the folder cannot be written to, which the log tells.
    package func next(at time: Timestamp = .now()) -> String? {
        mkdir(folder, 0o700)
        let kept = files
        let names = Dictionary(grouping: kept) { $0.name.prefix(10) }.mapValues { $0.contains { $0.bytes > 0 } }.sorted {
            $0.key < $1.key
        }
        // Who only lets it ring pushes nobody's call out.
        for old in names.filter({ $0.value }).dropLast(calls - 1) + names.filter({ !$0.value }).dropLast(calls) {
            for file in kept where file.name.hasPrefix(old.key) { unlink("\(folder)/\(file.name)") }
        }
        // Two calls of one millisecond have names of their own.
        for number in 0..<1000 {
            let path = "\(folder)/\(Self.name(Int(time.millisecondsSince1970) + number)).pcapng"
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if descriptor >= 0 {
                close(descriptor)
                return path
            }
            guard errno == EEXIST else { break }
        }
        logger.warning(
            "the call is not captured: \(folder) cannot be written to (\(String(cString: strerror(errno)))); let the program's user write there, in softphone.bundles"
        )
        return nil
    }

    /// In the order of their times, as texts too.
    private static func name(_ milliseconds: Int) -> String {
        let digits = String(max(0, milliseconds), radix: 36)
        return String(repeating: "0", count: max(0, 10 - digits.count)) + digits
    }

    /// Captures, and what they went on in where the media began anew.
    private var files: [(name: String, bytes: Int)] {
        (FolderNames.all(folder) ?? []).compactMap { name in
            var status = stat()
            guard name.wholeMatch(of: #/[0-9a-z]{10}(?:-[0-9]+)?\.pcapng/#) != nil, lstat("\(folder)/\(name)", &status) == 0
            else { return nil }
            return (name, Int(status.st_size))
        }
    }
}
