import Foundation

/// The project's own files, found from this file's place.
struct Repository {
    struct File {
        /// Path from the project's root, with `/`.
        let path: String
        let lines: [Substring]
        var name: String { String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]) }
    }

    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// All text files below `folder` ("" is the root), sorted by path. Hidden folders are left out, and so are files
    /// that are not UTF-8.
    static func files(in folder: String, endingIn suffixes: [String] = [""]) throws -> [File] {
        let base = root.appendingPathComponent(folder).standardizedFileURL
        guard
            let walker = FileManager.default.enumerator(
                at: base, includingPropertiesForKeys: [.isRegularFileKey],
                options: [.skipsHiddenFiles])
        else { return [] }
        let prefix = root.standardizedFileURL.path + "/"
        var files = [File]()
        for case let url as URL in walker {
            let path = url.standardizedFileURL.path
            guard suffixes.contains(where: path.hasSuffix), path.hasPrefix(prefix),
                try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true,
                let text = try? String(contentsOf: url, encoding: .utf8)
            else { continue }
            var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            if lines.last?.isEmpty == true { lines.removeLast() }
            files.append(File(path: String(path.dropFirst(prefix.count)), lines: lines))
        }
        return files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }
}
