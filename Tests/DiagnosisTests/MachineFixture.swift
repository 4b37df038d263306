import Foundation

import Diagnosis

/// Another machine, out of the files that tell of it.
struct MachineFixture {
    let root: String

    /// - Parameter files: their paths, and what stands in them.
    init(files: [String: String] = [:]) throws {
        root = NSTemporaryDirectory() + "yodel-machine-\(UUID().uuidString)"
        let manager = FileManager.default
        try manager.createDirectory(atPath: root, withIntermediateDirectories: true)
        for (path, text) in files {
            let place = URL(fileURLWithPath: root + path)
            try manager.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: place)
        }
    }

    func machine(_ environment: [String: String] = [:]) -> Machine { Machine(root: root, environment: environment) }

    func remove() { try? FileManager.default.removeItem(atPath: root) }
}
