import AudioFiles
import Foundation
import Testing

@Suite("Reasons of refusals") struct RefusalTextTests {
    private let files: MediaFiles

    init() throws { files = try MediaFiles() }

    private func refused(_ arguments: [String], _ words: String..., without other: String = "--config") throws {
        let ending = try yodel(arguments)
        #expect(ending.status == 2 && ending.output.isEmpty, "\(ending)")
        for word in words { #expect(ending.errors.contains(word), "\(ending.errors)") }
        #expect(!ending.errors.contains(other), "\(ending.errors)")
    }

    @Test("a graph that cannot be read is no configuration, in its text either")
    func graph() throws {
        let none = files.path("none.yaml")
        try refused(["render", none, "--offline", "--out", files.path("a.wav")], "No such file", none, "name a graph")
        let broken = try files.write("broken.yaml", Data("units: [".utf8))
        try refused(["render", broken, "--offline"], "config/graph.yaml shows", without: "--defaults")
    }

    @Test("a bundle that cannot be read is no audio file")
    func bundle() throws {
        let none = files.path("none.tar")
        try refused(
            ["replay", "--bundle", none, "--out", files.path("a.wav")], "No such file", "`yodel bundle`", without: "audio file")
    }

    @Test("the annotated file is not to be had as JSON")
    func defaults() throws {
        try refused(["config", "--defaults", "--json"], "--defaults", "--json")
    }

    // As root every folder can be written.
    @Test("a file that is there and can be written needs no folder that can")
    func lockedFolder() throws {
        let tone = try files.tone("tone.wav", seconds: 1)
        let folder = files.path("locked")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try files.write("locked/out.wav", Data())
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder) }
        let ending = try yodel(
            ["process", "--rate", "16000", "--far", tone, "--mic", tone, "--out", folder + "/out.wav"])
        #expect(ending.status == 0, "\(ending)")
        #expect(try !files.data("locked/out.wav").isEmpty)
    }

    @Test("why a file cannot be made is told, not that closing nothing failed")
    func sink() throws {
        #expect(throws: AudioFileError(path: files.path("none/a.wav"), reason: "No such file or directory")) {
            try AudioFileWriter(path: files.path("none/a.wav"), sampleRate: 8000)
        }
    }
}
