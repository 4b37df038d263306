import History
import Reporting
import Testing

@Suite("The history of texts") struct TextTests {
    private func text(_ id: String, at time: Timestamp = .now(), state: String = "received") -> TextEntry {
        TextEntry(id: id, time: time, state: state, to: "sip:100@example.com", text: "'quoted' \\ of \(id)\nänd more")
    }

    private func opened(_ history: CallHistory) async throws -> HistoryReader {
        try await until { (try? history.reader()) != nil }
        return try history.reader()
    }

    @Test("a text is a row from when it was sent, its answer changes it, and the newest are read oldest first")
    func rows() async throws {
        let scratch = try Scratch()
        let history = try CallHistory(scratch.path)
        var sent = text("a", state: "sending")
        sent.account = "office"
        history.note(sent)
        var came = text("b")
        (came.sender, came.name) = ("sip:102@example.com", "Änn")
        history.note(came)
        try await history.settle(2)
        (sent.state, sent.sipCode, sent.reason) = ("delivered", 200, "OK")
        history.note(sent)
        try await history.settle(3)
        let reader = try history.reader()
        #expect(try reader.texts(10) == [sent, came])
        #expect(try reader.texts(1) == [came])
        #expect(try reader.page(HistoryQuery()).calls.isEmpty, "texts are no calls")
        history.close()
    }

    @Test("what was on its way when the service ended is told so at the next start")
    func interrupted() async throws {
        let scratch = try Scratch()
        var history = try CallHistory(scratch.path)
        history.note(text("a", state: "sending"))
        history.note(text("b", state: "delivered"))
        try await history.settle(2)
        history.close()
        history = try CallHistory(scratch.path)
        let kept = try await opened(history).texts(10)
        #expect(
            kept.map(\.state) == ["failed", "delivered"] && kept[0].reason?.contains("ended") == true && kept[1].reason == nil)
        history.close()
    }

    @Test("old texts go by their days, and by the size before calls that came later")
    func retention() async throws {
        let scratch = try Scratch()
        let day: Int64 = 86_400_000
        let now = Timestamp.now().millisecondsSince1970
        var history = try CallHistory(scratch.path)
        history.note(text("old", at: Timestamp(millisecondsSince1970: now - 100 * day)))
        history.note(text("early", at: Timestamp(millisecondsSince1970: now - 2 * day)))
        history.note(call("call", started: Timestamp(millisecondsSince1970: now - day)))
        history.note(text("late"))
        try await history.settle(4)
        history.close()
        history = try CallHistory(scratch.path, days: 90)
        var reader = try await opened(history)
        try await until { (try? reader.texts(10).map(\.id)) == ["early", "late"] }
        history.close()
        // Less than an empty database has.
        history = try CallHistory(scratch.path, bytes: 1)
        reader = try await opened(history)
        try await until { (try? reader.texts(10).isEmpty) == true }
        #expect(try reader.call("call") == nil, "what came before the last text went before it")
        history.close()
    }

    @Test("of many texts the newest stay, and no call goes for them")
    func many() async throws {
        let scratch = try Scratch()
        var history = try CallHistory(scratch.path)
        history.note(call("call", started: Timestamp(millisecondsSince1970: 0)))
        for number in 1...500 { history.note(text("\(number)")) }
        try await history.settle(501)
        history.close()
        history = try CallHistory(scratch.path, texts: 3)
        let reader = try await opened(history)
        try await until { (try? reader.texts(1000).map(\.id)) == ["498", "499", "500"] }
        #expect(try reader.call("call") != nil)
        history.close()
    }
}
