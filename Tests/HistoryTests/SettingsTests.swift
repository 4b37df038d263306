import Foundation
import History
import Testing

@Suite("What the history keeps beside calls") struct SettingsTests {
    @Test("settings are there after a restart as they were last; what was forgotten is not") func settings() async throws {
        let scratch = try Scratch()
        let first = try CallHistory(scratch.path)
        first.keep("one", as: "a")
        try await until { first.kept != nil }
        for number in 0..<50 { first.keep("\(number)", as: "b") }
        first.keep("Änn's \"it\"; DROP TABLE settings", as: "c")
        first.keep("gone", as: "d")
        first.keep(nil, as: "d")
        first.keep(nil, as: "never")
        first.close()
        let second = try CallHistory(scratch.path)
        try await until { second.kept != nil }
        #expect(second.kept == ["a": "one", "b": "49", "c": "Änn's \"it\"; DROP TABLE settings"])
        second.keep(nil, as: "a")
        second.note(call("x"))
        try await second.settle(1)
        second.close()
        let third = try CallHistory(scratch.path)
        try await until { third.kept != nil }
        #expect(third.kept?.count == 2 && third.kept?["a"] == nil)
        third.close()
    }

    @Test("nobody else may read it, nor its log") func rights() async throws {
        let scratch = try Scratch()
        let history = try CallHistory(scratch.path)
        history.note(call("a"))
        try await history.settle(1)
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.folder)
        #expect(names.contains("history.sqlite") && names.contains("history.sqlite-wal"))
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: scratch.folder + "/" + name)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        history.close()
    }
}
