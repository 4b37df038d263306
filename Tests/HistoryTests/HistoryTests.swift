import Foundation
import History
import Reporting
import Testing

@Suite("The history of calls") struct HistoryTests {
    @Test("a call is a row from its beginning on, and its end changes it")
    func rows() async throws {
        let scratch = try Scratch()
        let history = try CallHistory(scratch.path)
        history.note(call("a", reason: nil))
        try await history.settle(1)
        #expect(try history.reader().call("a")?.endReason == nil)
        var end = call("a", reason: "remote_hangup")
        (end.ended, end.durationSeconds, end.sipCode, end.codec) = (Timestamp.now().text, 12.345, 200, "opus")
        (end.mouthToEarMilliseconds, end.gaps, end.concealedRatio) = (87.5, 3, 0.25)
        (end.name, end.report) = ("Änn \"quoted\", 'and' more", #"{"mos_lq":4.1}"#)
        history.note(end)
        try await history.settle(2)
        let kept = try #require(try history.reader().call("a"))
        #expect(kept == end)
        #expect(kept.wholeJSON.value(at: "report.mos_lq") == .number(4.1))
        #expect(try history.reader().call("b") == nil)
        #expect(try history.reader().page(HistoryQuery()).calls.count == 1)
        history.close()
    }

    @Test("searches take letters as they are, and pages hold every call once")
    func search() async throws {
        let scratch = try Scratch()
        let history = try CallHistory(scratch.path)
        for number in 0..<57 {
            var entry = call("c\(number)", started: Timestamp(millisecondsSince1970: 86_400_000 * Int64(number)))
            if number % 10 == 0 { (entry.direction, entry.name) = ("incoming", "50%_\\off") }
            if number == 7 { entry.account = "home" }
            history.note(entry)
        }
        try await history.settle(57)
        let reader = try history.reader()
        func found(_ change: (inout HistoryQuery) -> Void) throws -> [String] {
            var query = HistoryQuery()
            change(&query)
            return try reader.page(query).calls.map(\.id)
        }
        #expect(try found { $0.text = "0%_\\O" } == ["c50", "c40", "c30", "c20", "c10", "c0"])
        #expect(try found { $0.text = "' OR 1 --" } == [])
        #expect(try found { $0.text = "%" }.count == 6)
        #expect(try found { $0.account = "home" } == ["c7"])
        #expect(try found { $0.direction = "incoming" }.count == 6)
        #expect(try found { ($0.since, $0.until) = ("1970-02-01", "1970-02-02") } == ["c32", "c31"])
        #expect(try found { $0.until = "1970-01-01T00:00Z" } == ["c0"])
        var query = HistoryQuery()
        query.limit = 10
        var all: [String] = []
        repeat {
            let page = try reader.page(query)
            all += page.calls.map(\.id)
            query.before = page.next
        } while query.before != nil
        #expect(all == (0..<57).reversed().map { "c\($0)" })
        history.close()
    }

    @Test("what ran when the process was killed is marked, and what was written is there", arguments: [false, true])
    func interrupted(torn: Bool) async throws {
        let scratch = try Scratch()
        let copy = scratch.folder + "/copy.sqlite"
        let history = try CallHistory(scratch.path)
        history.note(call("done"))
        history.note(call("running", reason: nil))
        try await history.settle(2)
        // As the disk is at this moment, its log not yet taken in.
        for part in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: scratch.path + part, toPath: copy + part)
        }
        if torn {
            let log = try #require(FileHandle(forWritingAtPath: copy + "-wal"))
            try log.seekToEnd()
            try log.write(contentsOf: Data(repeating: 0x5A, count: 3000))
        }
        let again = try CallHistory(copy)
        again.note(call("new"))
        try await again.settle(1)
        #expect(
            try again.reader().page(HistoryQuery()).calls.map(\.endReason) == ["local_hangup", "interrupted", "local_hangup"])
        again.close()
        history.close()
    }

    @Test("old calls go by their days, the oldest by the size, and running ones stay")
    func retention() async throws {
        let scratch = try Scratch()
        let day: Int64 = 86_400_000
        let now = Timestamp.now().millisecondsSince1970
        var history = try CallHistory(scratch.path)
        history.note(call("old", started: Timestamp(millisecondsSince1970: now - 100 * day)))
        history.note(call("running", started: Timestamp(millisecondsSince1970: now - 100 * day), reason: nil))
        // The clock was ahead once.
        history.note(call("future", started: Timestamp(millisecondsSince1970: now + 100 * day)))
        history.note(call("new"))
        try await history.settle(4)
        history.close()
        history = try CallHistory(scratch.path, days: 90)
        let reader = try await opened(history)
        try await until { (try? reader.call("old")) == .some(nil) && (try? reader.call("running")) == .some(nil) }
        #expect(
            try reader.page(HistoryQuery()).calls.map(\.id) == ["new", "future"], "both came too long ago, and are over now")
        for number in 0..<3000 {
            var entry = call("n\(number)")
            entry.report = #"{"text":"\#(String(repeating: "x", count: 1000))"}"#
            history.note(entry)
            if number % 500 == 499 { try await history.settle(UInt64(number + 1)) }
        }
        try await history.settle(3000)
        history.close()
        // What the log still holds has not come into the file yet.
        let before = try size(scratch.path) + ((try? size(scratch.path + "-wal")) ?? 0)
        history = try CallHistory(scratch.path, bytes: 1_000_000)
        let small = try await opened(history)
        try await until { (try? small.call("n1999")) == .some(nil) }
        try await until { ((try? size(scratch.path)) ?? .max) < 1_100_000 }
        #expect(before > 3_000_000)
        #expect(try small.call("n2999") != nil)
        history.close()
    }

    private func size(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }

    private func opened(_ history: CallHistory) async throws -> HistoryReader {
        try await until { (try? history.reader()) != nil }
        return try history.reader()
    }

    @Test(
        "a mark behind a sign of CSV or of a formula does not hide it",
        arguments: [
            ("=\u{301}1", "'=\u{301}1"), ("+\u{FE0F}1", "'+\u{FE0F}1"), ("\n=1", "\"'\n=1\""),
            ("x\"\u{301},=1", "\"x\"\"\u{301},=1\""), ("x,\u{301}y", "\"x,\u{301}y\""), ("\"\r\n", "\"\"\"\r\n\""),
        ])
    func marks(name: String, cell: String) {
        var entry = call("a")
        entry.name = name
        // By scalars: to characters they are the same or not, whatever a spreadsheet reads.
        let line = Array(HistoryForm.csv.line(entry).unicodeScalars)
        let wanted = Array("a,outgoing,sip,office,sip:a@example.com,\(cell),".unicodeScalars)
        #expect(Array(line.prefix(wanted.count)) == wanted)
    }

    @Test("lists are text, JSON and CSV that no spreadsheet takes for formulas")
    func listing() async throws {
        let scratch = try Scratch()
        let history = try CallHistory(scratch.path)
        var entry = call("a")
        (entry.name, entry.gaps, entry.report) = ("=cmd(), \"x\"", 2, #"{"mos_lq":4.1}"#)
        history.note(entry)
        try await history.settle(1)
        // While it is open.
        func lines(_ form: HistoryForm) throws -> [String] {
            var lines: [String] = []
            try HistoryListing(form, nil, nil, nil, path: scratch.path).print { lines.append($0) }
            return lines
        }
        let csv = try lines(.csv)
        #expect(csv.count == 2 && csv[0].hasPrefix("id,direction,kind,account,peer,name,started,"))
        #expect(csv[1].hasPrefix(#"a,outgoing,sip,office,sip:a@example.com,"'=cmd(), ""x""","#))
        #expect(try JSONValue(reading: try #require(try lines(.json).first)).value(at: "report.mos_lq") == .number(4.1))
        #expect(try lines(.text).first?.contains("to sip:a@example.com as office local_hangup 2 gaps a") == true)
        #expect(throws: HistoryError.self) { try HistoryListing(.text, nil, nil, nil, path: nil) }
        #expect(throws: HistoryError.self) { try HistoryListing(.text, nil, "yesterday", nil, path: scratch.path) }
        #expect(throws: HistoryError.self) { try HistoryListing(.text, nil, nil, nil, path: scratch.folder + "/none") }
        history.close()
    }
}
