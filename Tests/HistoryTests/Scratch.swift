import Foundation
import History
import Realtime
import Reporting

/// A folder of a test's own, gone with it.
final class Scratch: Sendable {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-history-\(UUID().uuidString)").path
    var path: String { folder + "/history.sqlite" }

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: folder) }
}

/// What a history tells of its troubles.
final class Troubles: Sendable {
    private let told = Lock<[HistoryError?]>([])
    var all: [HistoryError?] { told.withLock { $0 } }
    func take(_ trouble: HistoryError?) { told.withLock { $0.append(trouble) } }
}

extension CallHistory {
    convenience init(
        _ path: String, days: Int = 0, bytes: Int = 0, texts: Int = 10_000, capacity: Int = 1024,
        _ troubles: Troubles = Troubles()
    ) throws {
        try self.init(
            path: path, retention: HistoryRetention(days: days, bytes: bytes, texts: texts), capacity: capacity,
            retryMilliseconds: 20
        ) { troubles.take($0) }
    }

    /// Waits until so many calls were written.
    func settle(_ count: UInt64) async throws { try await until { self.written >= count } }
}

func until(_ condition: () -> Bool) async throws {
    let limit = ContinuousClock.now + .seconds(60)
    while !condition() {
        guard ContinuousClock.now < limit else { throw CancellationError() }
        try await Task.sleep(for: .milliseconds(5))
    }
}

func call(_ id: String, started: Timestamp = .now(), reason: String? = "local_hangup") -> CallEntry {
    var entry = CallEntry(id: id, direction: "outgoing", kind: "sip", started: started)
    (entry.account, entry.peer, entry.endReason) = ("office", "sip:\(id)@example.com", reason)
    return entry
}
