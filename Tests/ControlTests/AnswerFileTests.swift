import Foundation
import Testing

import Control

@Suite("The file of --out") struct AnswerFileTests {
    /// A folder of its own, gone with it.
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-out-\(UUID().uuidString)").path

        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
        func text(_ name: String) throws -> String { try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }
        func put(_ text: String, _ name: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        }
    }

    /// What an error says; empty: there was none.
    private func told(_ body: () throws -> Void) -> String {
        do { try body() } catch { return "\(error)" }
        return ""
    }

    /// Writes a file, and gives it its name if it is whole.
    private func write(_ parts: [String], _ path: String, overwrites: Bool = false, isWhole: Bool = true) throws {
        let file = try AnswerFile(path, overwrites: overwrites)
        for part in parts { try file.write(Array(part.utf8)) }
        if isWhole { try file.finish() }
    }

    @Test("it has its name once it is whole, and what was only begun is gone")
    func whole() throws {
        let folder = try Folder()
        try write(["one ", "two"], folder.path + "/a.wav")
        var names = try folder.names()
        var text = try folder.text("a.wav")
        #expect(names == ["a.wav"] && text == "one two")
        try write(["one "], folder.path + "/b.wav", isWhole: false)
        try write(["one "], folder.path + "/a.wav", overwrites: true, isWhole: false)
        names = try folder.names()
        text = try folder.text("a.wav")
        #expect(names == ["a.wav"] && text == "one two")
    }

    @Test("one that is there stays unless its end is wished, also where it comes meanwhile")
    func taken() throws {
        let folder = try Folder()
        try folder.put("old", "a.wav")
        let refused = told { try write(["new"], folder.path + "/a.wav") }
        #expect(refused.contains("--overwrite") && refused.contains("--out"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/link", withDestinationPath: folder.path + "/a.wav")
        try write(["new"], folder.path + "/link", overwrites: true)
        var text = try folder.text("a.wav")
        #expect(text == "new", "links are followed")
        let late = try AnswerFile(folder.path + "/b.wav", overwrites: false)
        try folder.put("quick", "b.wav")
        let tooLate = told { try late.finish() }
        text = try folder.text("b.wav")
        #expect(tooLate.contains("--overwrite") && text == "quick")
    }

    @Test("a place where nothing can be written is told, and a device is written to as it is")
    func places() throws {
        let folder = try Folder()
        let nowhere = told { try write(["x"], folder.path + "/none/a.wav") }
        #expect(nowhere.contains("No such file") && nowhere.contains("--out"))
        let directory = told { try write(["x"], folder.path, overwrites: true) }
        #expect(directory.contains("directory") && directory.contains("--out"))
        let full = told { try write(["x"], "/dev/full") }
        #expect(full.contains("No space") && full.contains("/dev/full"))
        let error = #expect(throws: ControlError.self) { try write(["x"], "/dev/full") }
        #expect(error?.exitCode == 2, "as in all commands")
        try write(["x"], "/dev/null")
        let names = try folder.names()
        #expect(names.isEmpty)
    }
}
