import Foundation
import History
import Reporting
import TestPrograms
import Testing

@Suite("A history in trouble") struct HistoryTroubleTests {
    private func trouble(_ path: String) async throws -> HistoryError {
        let history = try CallHistory(path)
        history.note(call("a"))
        try await until { history.trouble != nil }
        let trouble = try #require(history.trouble)
        #expect(throws: trouble) { try history.reader() }
        history.close()
        #expect(history.lost == 1 && history.written == 0)
        return trouble
    }

    @Test(
        "what is no database, damaged, or another program's is told and left as it is", arguments: ["text", "torn", "foreign"])
    func corrupt(kind: String) async throws {
        let scratch = try Scratch()
        if kind == "text" {
            try Data("this is no database, whatever its name says\n".utf8).write(to: URL(fileURLWithPath: scratch.path))
        } else {
            let history = try CallHistory(scratch.path)
            for number in 0..<200 { history.note(call("c\(number)")) }
            try await history.settle(200)
            history.close()
            if kind == "torn" {
                let file = try #require(FileHandle(forUpdatingAtPath: scratch.path))
                for page in stride(from: UInt64(4096 * 3), to: try file.seekToEnd() - 2048, by: 4096) {
                    try file.seek(toOffset: page)
                    try file.write(contentsOf: Data(repeating: 0xA5, count: 2048))
                }
                try file.close()
            } else {
                try sql(scratch.path, "DROP TABLE grdb_migrations")
            }
        }
        let before = try Data(contentsOf: URL(fileURLWithPath: scratch.path))
        let told = try await trouble(scratch.path)
        switch told {
        case .corrupt: #expect(kind != "foreign")
        case .foreign: #expect(kind == "foreign")
        default: Issue.record("\(told)")
        }
        #expect(told.description.contains(scratch.path) && told.description.contains("left as it is"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.path)) == before)
    }

    /// By another program: Python has SQLite of its own.
    private func sql(_ path: String, _ statement: String) throws {
        let program = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit(); c.close()"
        let process = try ChildProcess(["/usr/bin/python3", "-c", program, path, statement])
        #expect(
            process.status(afterSeconds: 60) == 0,
            "\(String(decoding: process.readAll(withinSeconds: 1).errors, as: UTF8.self))")
    }

    @Test("one that became useless while the service runs, and is moved away, is made anew, with the settings of before")
    func anew() async throws {
        let scratch = try Scratch()
        let former = try CallHistory(scratch.path)
        former.keep("7", as: "rings")
        former.keep("gone", as: "handsets")
        former.close()
        let troubles = Troubles()
        let history = try CallHistory(scratch.path, troubles)
        history.note(call("a"))
        try await history.settle(1)
        try sql(scratch.path, "DROP TABLE calls")
        history.note(call("b"))
        history.keep(nil, as: "handsets")
        try await until { history.trouble != nil }
        #expect(history.written == 1)
        // Its logs first: from the moment on that the file itself is gone there may be a new one.
        for part in ["-wal", "-shm", ""] where FileManager.default.fileExists(atPath: scratch.path + part) {
            try FileManager.default.moveItem(atPath: scratch.path + part, toPath: scratch.folder + "/old" + part)
        }
        try await history.settle(2)
        try await until { history.trouble == nil }
        #expect(try history.reader().page(HistoryQuery()).calls.map(\.id) == ["b"])
        history.close()
        #expect(troubles.all.last == .some(nil) && history.lost == 0)
        let later = try CallHistory(scratch.path)
        try await until { later.kept != nil }
        #expect(later.kept == ["rings": "7"])
        later.close()
    }

    @Test("one that another program holds is told to be in use, not to lack a folder")
    func held() throws {
        let scratch = try Scratch()
        try sql(scratch.path, "CREATE TABLE calls (number)")
        let program =
            "import signal, sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); "
            + "c.execute('BEGIN EXCLUSIVE'); print('held', flush=True); signal.pause()"
        let holder = try ChildProcess(["/usr/bin/python3", "-c", program, scratch.path])
        // The line's end may come by itself.
        #expect(holder.readOutput(waitingMilliseconds: 60_000)?.starts(with: "held".utf8) == true)
        #expect(throws: HistoryError.inUse(path: scratch.path)) { try HistoryReader(path: scratch.path) }
    }

    @Test("a newer yodel's is left to it")
    func newer() async throws {
        let scratch = try Scratch()
        let history = try CallHistory(scratch.path)
        history.note(call("a"))
        try await history.settle(1)
        history.close()
        try sql(scratch.path, "INSERT INTO grdb_migrations VALUES ('of the next century')")
        #expect(try await trouble(scratch.path) == .newer(path: scratch.path))
        #expect(throws: HistoryError.newer(path: scratch.path)) { try HistoryReader(path: scratch.path) }
    }

    @Test("two services do not share one, and the second has it when the first is gone")
    func two() async throws {
        let scratch = try Scratch()
        let troubles = Troubles()
        let first = try CallHistory(scratch.path)
        first.note(call("a", reason: nil))
        try await first.settle(1)
        let second = try CallHistory(scratch.path, troubles)
        second.note(call("b"))
        try await until { second.trouble == .inUse(path: scratch.path) }
        #expect(
            try first.reader().call("a")?.endReason == nil, "the second must not take the first one's calls for interrupted")
        first.close()
        try await second.settle(1)
        #expect(second.trouble == nil)
        #expect(try second.reader().page(HistoryQuery()).calls.map(\.id) == ["b", "a"])
        second.close()
        #expect(troubles.all == [.inUse(path: scratch.path), nil], "told once, and that it is well")
    }

    @Test("a disk that is missing costs calls beyond the queue, counted; the rest is written when it is there")
    func queue() async throws {
        let scratch = try Scratch()
        let folder = scratch.folder + "/late"
        let history = try CallHistory(folder + "/history.sqlite", capacity: 10)
        for number in 0..<25 { history.note(call("c\(number)")) }
        // News of a call that waits take no place of their own.
        for _ in 0..<100 { history.note(call("c24", reason: "busy")) }
        #expect(history.lost == 15)
        try await until { history.trouble != nil }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try await history.settle(10)
        #expect(try history.reader().page(HistoryQuery()).calls.map(\.id) == (15..<25).reversed().map { "c\($0)" })
        #expect(try history.reader().call("c24")?.endReason == "busy")
        #expect(history.lost == 15)
        history.close()
    }

    @Test("who writes at once from many threads loses nothing")
    func threads() async throws {
        let scratch = try Scratch()
        let history = try CallHistory(scratch.path, capacity: 10_000)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<100 {
                        history.note(call("\(task)-\(number)", reason: nil))
                        history.note(call("\(task)-\(number)"))
                    }
                }
            }
        }
        history.close()
        let reader = try HistoryReader(path: scratch.path)
        var reasons: [String?] = []
        try reader.each(HistoryQuery()) { reasons.append($0.endReason) }
        #expect(reasons.count == 800 && reasons.allSatisfy { $0 == "local_hangup" })
    }
}
