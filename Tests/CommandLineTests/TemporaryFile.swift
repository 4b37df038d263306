import Foundation

/// A file of the test's own that goes away with it.
final class TemporaryFile {
    let path: String

    init(_ text: String, ending: String = "yaml") throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-\(UUID().uuidString).\(ending)").path
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
