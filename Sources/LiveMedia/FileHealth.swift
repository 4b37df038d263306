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
    private let files: [FileHealth]
    private var toldFailures: Set<Int> = []
    private var toldLosses: Set<Int> = []

    init(_ files: [FileHealth]) { self.files = files }

    /// What is new, for a person.
    mutating func take() -> [String] {
        var warnings: [String] = []
        for (index, file) in files.enumerated() {
            if let reason = file.failureReason {
                guard toldFailures.insert(index).inserted else { continue }
                warnings.append("\(reason); what was recorded before is kept in \(file.path)")
            } else if file.dropped > 0, toldLosses.insert(index).inserted {
                warnings.append("what takes \(file.path) is too slow: it will have gaps; the call goes on")
            }
        }
        return warnings
    }
}
