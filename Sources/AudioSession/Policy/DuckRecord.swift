/// A stream of another program that we lowered: what it takes to undo that, also for the next process.
package struct DuckRecord: Sendable, Equatable {
    /// The run of the server (`ServerSnapshot.cookie`): indices mean nothing in another one.
    package var cookie: UInt32
    package var stream: UInt32
    /// Empty when the server remembers no volume for it.
    package var restoreID: String
    /// Volume per channel before, and what we made of it.
    package var former: [UInt32]
    package var lowered: [UInt32]

    package init(cookie: UInt32, stream: UInt32, restoreID: String, former: [UInt32], lowered: [UInt32]) {
        (self.cookie, self.stream, self.restoreID) = (cookie, stream, restoreID)
        (self.former, self.lowered) = (former, lowered)
    }

    /// One line: `COOKIE STREAM FORMER,... LOWERED,... RESTORE-ID`.
    package var line: String {
        func list(_ volumes: [UInt32]) -> String { volumes.map(String.init).joined(separator: ",") }
        let id = String(restoreID.map { $0.isNewline ? " " : $0 })
        return "\(cookie) \(stream) \(list(former)) \(list(lowered)) \(id)"
    }

    /// Reads a line back; `nil` for anything else, such as the last line of a full disk.
    package init?(line: String) {
        let parts = line.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5, let cookie = UInt32(parts[0]), let stream = UInt32(parts[1]) else { return nil }
        func list(_ text: Substring) -> [UInt32] { text.split(separator: ",").compactMap { UInt32($0) } }
        let (former, lowered) = (list(parts[2]), list(parts[3]))
        // 32 channels are the server's limit, and its greatest volume is half of what the type holds.
        guard (1...32).contains(former.count), former.count == lowered.count,
            (former + lowered).allSatisfy({ $0 < 1 << 31 })
        else { return nil }
        self.init(cookie: cookie, stream: stream, restoreID: String(parts[4]), former: former, lowered: lowered)
    }
}
