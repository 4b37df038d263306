import Realtime
import Synchronization

/// What became of a file that a call writes: noted by the threads that fill and write it, asked by the one that tells the person.
package final class FileHealth: Sendable {
    package let path: String
    private let lost = Atomic<Int>(0)
    private let reason = Lock<String?>(nil)

    init(path: String) { self.path = path }

    /// Records or samples that are missing in the file: the disk, or who reads a pipe, was too slow, or failed.
    package var dropped: Int { lost.load(ordering: .relaxed) }
    /// Why the writing ended before its time; `nil` while it did not.
    package var failureReason: String? { reason.withLock { $0 } }

    func lose(_ count: Int) { if count > 0 { lost.wrappingAdd(count, ordering: .relaxed) } }

    /// The first reason counts.
    func fail(_ text: String) { reason.withLock { if $0 == nil { $0 = text } } }
}

/// Says once of each file that it ended before its time, and once that something is missing in it.
struct FileWarnings {
    private struct File {
        let health: FileHealth
        var hasToldFailure = false
        var hasToldLoss = false
        /// Nothing more is written to it: what there is to say is said once more.
        var isClosed = false
    }

    private var files: [File]

    init(_ files: [FileHealth]) { self.files = files.map { File(health: $0) } }

    /// A file that is written from now on.
    mutating func add(_ health: FileHealth) { files.append(File(health: health)) }

    /// It is written no more.
    mutating func close(_ health: FileHealth) {
        for index in files.indices where files[index].health === health { files[index].isClosed = true }
    }

    /// What is new, for a person.
    mutating func take() -> [String] {
        var warnings: [String] = []
        for index in files.indices {
            let health = files[index].health
            if let reason = health.failureReason {
                guard !files[index].hasToldFailure else { continue }
                files[index].hasToldFailure = true
                warnings.append("\(reason); what was recorded before is kept in \(health.path)")
            } else if health.dropped > 0, !files[index].hasToldLoss {
                files[index].hasToldLoss = true
                warnings.append("what takes \(health.path) is too slow: it will have gaps; the call goes on")
            }
        }
        files.removeAll(where: \.isClosed)
        return warnings
    }
}
