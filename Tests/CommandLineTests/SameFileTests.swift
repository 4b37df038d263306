import Foundation
import Testing

@Suite("One file as source and target") struct SameFileTests {
    private let files: MediaFiles

    init() throws { files = try MediaFiles() }

    /// The program refuses, names both options, and leaves the file as it was.
    private func refused(_ arguments: [String], _ words: [String], keeping name: String) throws {
        let before = try files.data(name)
        let ending = try yodel(arguments)
        #expect(ending.status == 2 && ending.errors.hasPrefix("yodel: "), "\(ending)")
        #expect(
            words.allSatisfy { ending.errors.contains($0) } && ending.errors.contains("name another file"), "\(ending.errors)")
        #expect(try files.data(name) == before)
    }

    @Test("what a graph plays is not rendered over, whatever it is called")
    func render() throws {
        let tone = try files.tone("tone.wav", seconds: 0.1)
        try FileManager.default.createSymbolicLink(atPath: files.path("link.wav"), withDestinationPath: tone)
        let units = "units:\n  voice: {type: player, file: \(tone)}\n  mix: {type: mixer, inputs: [voice]}\n"
        let graph = try files.write("graph.yaml", Data("to: \(files.path("link.wav"))\n\(units)".utf8))
        try refused(["render", graph, "--offline"], ["`to`", "unit 'voice'"], keeping: "tone.wav")
        try refused(["render", graph, "--offline", "--out", tone], ["--out", "unit 'voice'"], keeping: "tone.wav")
    }

    @Test("a call records neither over what it plays nor over its capture")
    func call() throws {
        let tone = try files.tone("tone.wav", seconds: 0.1)
        let call = ["call", "rtp://127.0.0.1:9", "--duration", "0.2", "--device"]
        try refused(call + ["null", "--play", tone, "--record", tone], ["--record", "--play"], keeping: "tone.wav")
        try refused(call + ["null", "--record", tone, "--capture", tone], ["--record", "--capture"], keeping: "tone.wav")
        try refused(call + ["file:\(tone),to=\(tone)"], ["to=", "the microphone's device"], keeping: "tone.wav")
        // A file that is not there yet is the same by its folder and name.
        let new = try yodel(
            call + ["null", "--record", files.path("new.wav"), "--capture", files.folder.path + "/./new.wav"])
        #expect(new.status == 2 && new.errors.contains("--record"), "\(new)")
    }

    @Test("`play`, `record`, `process` and `replay` leave what they read as it is")
    func others() throws {
        let tone = try files.tone("tone.wav", seconds: 0.1)
        try refused(["play", tone, "--device", "file:\(tone),to=\(tone)"], ["to=", "FILE"], keeping: "tone.wav")
        try refused(["record", tone, "--device", "file:\(tone)"], ["FILE", "microphone"], keeping: "tone.wav")
        try refused(
            ["process", "--rate", "16000", "--far", tone, "--mic", tone, "--out", tone], ["--out", "--far"], keeping: "tone.wav"
        )
        try refused(
            ["replay", "--in", tone, "--trace", "clean", "--out", tone], ["--out", "--in"], keeping: "tone.wav")
    }

    @Test("a dump is not written over what is read or recorded")
    func dump() throws {
        for name in ["microphone.wav", "heard.wav"] { try files.tone(name, seconds: 0.1) }
        let folder = files.folder.path
        let (microphone, heard) = (files.path("microphone.wav"), files.path("heard.wav"))
        try refused(
            [
                "process", "--rate", "16000", "--far", heard, "--mic", microphone, "--out", files.path("out.wav"), "--dump",
                folder,
            ], ["--dump", "--mic"], keeping: "microphone.wav")
        let call = ["call", "rtp://127.0.0.1:9", "--duration", "0.2", "--device", "null", "--dump", folder]
        try refused(call + ["--play", heard], ["--dump", "--play"], keeping: "heard.wav")
        try refused(call + ["--record", heard], ["--dump", "--record"], keeping: "heard.wav")
    }

    @Test("a load draws no picture over the speech that it plays")
    func load() throws {
        let tone = try files.tone("tone.wav", seconds: 3)
        try refused(
            ["load", "rtp://127.0.0.1:9", "--calls", "1", "--hold", "1", "--play", tone, "--picture", tone],
            ["--picture", "--play"], keeping: "tone.wav")
    }

    @Test("devices may be named by several options")
    func devices() throws {
        let tone = try files.tone("tone.wav", seconds: 1)
        let ending = try yodel([
            "replay", "--in", tone, "--trace", "clean", "--out", files.path("out.wav"), "--csv", "/dev/null",
        ])
        #expect(ending.status == 0 && ending.errors.isEmpty, "\(ending)")
    }
}
