import AudioSession
import Foundation
import Testing

@Suite("What a killed session left lowered") struct DuckingStoreTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/yodel-duck-\(UUID().uuidString)"
    private let record = DuckRecord(cookie: 7, stream: 3, restoreID: "by name:a b", former: [65_536], lowered: [30_419])

    @Test("V2: a living session's records are held, not taken")
    func living() throws {
        let mine = try #require(DuckingStore(folder: folder))
        let other = try #require(DuckingStore(folder: folder))
        mine.save([record])
        #expect(other.takeOrphans().isEmpty)
        #expect(other.held(cookie: 7) == [3] && other.held(cookie: 8).isEmpty)
        #expect(mine.held(cookie: 7).isEmpty)
        mine.finish()
        #expect(other.held(cookie: 7).isEmpty && other.takeOrphans().isEmpty)
        try? FileManager.default.removeItem(atPath: folder)
    }

    @Test("V2: a dead session's records are taken once, and stay on disk until they are undone")
    func orphans() throws {
        let mine = try #require(DuckingStore(folder: folder))
        try (record.line + "\nnonsense\n").write(toFile: folder + "/ducked-1-1", atomically: true, encoding: .utf8)
        try Data([0xff, 0, 0xfe]).write(to: URL(fileURLWithPath: folder + "/ducked-2-1"))
        #expect(mine.takeOrphans() == [record])
        #expect(mine.takeOrphans().isEmpty)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(left.count == 1 && left[0].hasPrefix("ducked-\(getpid())-"), "\(left)")
        mine.save([])
        mine.finish()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        try? FileManager.default.removeItem(atPath: folder)
    }

    @Test("V2: what is still lowered when a session ends is the next one's to put back")
    func leftToTheNext() throws {
        let mine = try #require(DuckingStore(folder: folder))
        let next = try #require(DuckingStore(folder: folder))
        mine.save([record])
        mine.finish(keepsRecords: true)
        mine.finish()
        #expect(next.held(cookie: 7).isEmpty && next.takeOrphans() == [record])
        next.finish()
        try? FileManager.default.removeItem(atPath: folder)
    }

    @Test("V2: a session that begins while another looks for orphans keeps its record", .timeLimit(.minutes(20)))
    func race() async throws {
        let (folder, record) = (folder, record)
        let looker = Task.detached {
            let other = DuckingStore(folder: folder)
            var taken = 0
            for _ in 0..<20_000 where !Task.isCancelled { taken += other?.takeOrphans().count ?? 0 }
            return taken
        }
        let witness = try #require(DuckingStore(folder: folder))
        var missing = 0
        for _ in 0..<1500 {
            let mine = try #require(DuckingStore(folder: folder))
            mine.save([record])
            if witness.held(cookie: 7) != [3] { missing += 1 }
            mine.finish()
        }
        looker.cancel()
        #expect(await looker.value == 0 && missing == 0, "\(missing) records were gone while their session lived")
        try? FileManager.default.removeItem(atPath: folder)
    }

    @Test("V2: a folder that cannot be made is no store")
    func noFolder() { #expect(DuckingStore(folder: "/proc/nowhere") == nil) }
}
