import Glibc

/// What is in a folder.
package enum FolderNames {
    /// - Parameter path: of the folder.
    /// - Returns: the names in it, in no order, those of the folder itself and of the one above it too; `nil`: it cannot be read.
    package static func all(_ path: String) -> [String]? {
        guard let stream = opendir(path) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { place in
                    place.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names
    }
}
