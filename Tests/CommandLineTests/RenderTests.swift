import AudioFiles
import Foundation
import Settings
import Testing

@Suite("yodel render") struct RenderTests {
    private let files: MediaFiles

    init() throws { files = try MediaFiles() }

    private func graph(_ text: String) throws -> String { try files.write("graph.yaml", Data(text.utf8)) }

    private static let example = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("config/graph.yaml").path

    @Test("the example renders as it says: tones, places, automation")
    func example() throws {
        let ending = try yodel(["render", Self.example, "--offline", "--out", files.path("out.wav"), "--bits", "32", "--json"])
        #expect(ending.status == 0 && ending.errors.isEmpty, "\(ending)")
        let samples = try files.samples("out.wav")
        #expect(samples.count == 2 * 6 * 48_000)
        func run(_ channel: Int, _ from: Double, _ to: Double) -> [Float] {
            stride(from: Int(from * 48_000) * 2 + channel, to: Int(to * 48_000) * 2, by: 2).map { samples[$0] }
        }
        #expect(part(run(0, 0.1, 1.4), at: 220) > part(run(1, 0.1, 1.4), at: 220))
        #expect(part(run(1, 0.1, 1.4), at: 880) > part(run(0, 0.1, 1.4), at: 880))
        #expect(part(run(1, 1.6, 2.9), at: 880) < 0.01 && part(run(1, 1.6, 2.9), at: 660) > 0.1)
        #expect(part(run(1, 3.1, 4.9), at: 220) > part(run(0, 3.1, 4.9), at: 220))
        let (loud, quiet) = (run(0, 4, 4.9).map(abs).max() ?? 0, run(0, 5.1, 6).map(abs).max() ?? 1)
        #expect(abs(quiet / loud - 0.2 / 0.9) < 0.02)
        let last = try #require(events(ending).last)
        #expect(last["type"] as? String == "render_ended" && last["frames"] as? Int == 288_000)
    }

    @Test("live and offline are the same, bit for bit")
    func live() throws {
        _ = try files.tone("music.flac", seconds: 1, hertz: 300, rate: 44_100, channels: 2)
        let path = try graph(
            """
            block: 256
            tail: 0.1
            units:
              music: {type: player, file: \(files.path("music.flac")), loop: 2}
              fast: {type: timepitch, input: music, rate: 1.5, pitch: 300}
              shaped: {type: equalizer, input: fast, preset: Loudness}
              beep: {type: tone, frequency: 1000, level: -20}
              mix:
                type: mixer
                inputs: [shaped, {unit: beep, volume: 0.5, pan: 1}]
            automation:
              - {at: 0.333, unit: fast, set: pitch, value: -200}
              - {at: 0.5, unit: mix, input: 0, set: volume, value: 0.25}
              - {at: 0.7, unit: music, set: position, value: 0.1}
            """)
        let offline = try yodel(["render", path, "--offline", "--out", files.path("offline.wav"), "--bits", "32"])
        #expect(offline.status == 0, "\(offline)")
        let live = try yodel(
            ["render", path, "--device", "null", "--no-realtime", "--out", files.path("live.wav"), "--bits", "32", "--json"])
        #expect(live.status == 0, "\(live)")
        #expect(try files.data("live.wav") == files.data("offline.wav"))
        let length = Double(try files.samples("live.wav").count) / 2 / 48_000
        #expect(length > 1.2 && length < 1.9, "\(length) s")
        #expect(try events(live).last?["reason"] as? String == "end")
    }

    @Test("a slice that is longer than what a device is given ahead is played all the same, all of it")
    func longSlice() throws {
        let path = try graph("rate: 8000\nblock: 8192\nduration: 3\nunits: {a: {type: tone}}")
        let out = ["--bits", "32", "--json", "--out"]
        let offline = try yodel(["render", path, "--offline"] + out + [files.path("offline.wav")])
        #expect(offline.status == 0, "\(offline)")
        let live = try yodel(["render", path, "--device", "null", "--no-realtime"] + out + [files.path("live.wav")])
        #expect(live.status == 0, "\(live)")
        #expect(try files.data("live.wav") == files.data("offline.wav"))
        let last = try #require(events(live).last)
        #expect(last["reason"] as? String == "end" && last["frames"] as? Int == 24_000)
    }

    @Test(
        "what is wrong in a graph is told with its line and the nearest name",
        arguments: [
            ("units:\n  a: {type: plaier, file: x.wav}", 2, "'player'"), ("unitz: {}", 1, "'units'"),
            ("units:\n  a: {type: tone}\n  b: {type: equalizer, input: c}", 3, "unit 'c'"),
            ("units:\n  a:\n    type: tone\n    frequenzy: 3", 4, "'frequency'"),
            ("units:\n  a: {type: tone, frequency: high}\nduration: 1", 2, "a number"),
            ("units:\n  a: {type: player, file: /dev/null/none.wav}\nduration: 1", 2, "Not a directory"),
            ("units:\n  a: {type: tone}\n  b: {type: equalizer, input: a, preset: Telefon}\nduration: 1", 3, "preset"),
            ("units:\n  a: {type: tone}\n  b: {type: tone}", 1, "output"),
            ("units:\n  a: {type: tone}\n  b: {type: mixer, inputs: [a, a]}", 3, "feeds 'b' already"),
            ("units:\n  a: {type: tone}", 1, "never end"), ("rate: 12\nunits: {a: {type: tone}}", 1, "4000"),
            ("units:\n  a: {type: tone}\nduration: 1\nautomation:\n  - {at: 1, unit: a, set: level}", 5, "value"),
            ("units:\n  a: {type: tone}\nduration: 1\nautomation:\n  - {at: 1, unit: a, set: pan, value: 1}", 5, "level"),
            ("units:\n  a: {type: varispeed, input: b}\n  b: {type: varispeed, input: a}\noutput: a\nduration: 1", 4, "feed"),
            ("units: [", 2, "graph.yaml"), ("a: *b", 1, "graph.yaml"), ("units: {a: {type: tone}}\nunits: {}", 2, "twice"),
            ("", 1, "no units"), ("rate: 8000\nunits: {a: {type: tone, frequency: 7000}}\nduration: 1", 2, "8000 Hz"),
            (
                "units:\n  a: {type: tone}\n  b:\n    type: mixer\n    inputs: [a]\n    channels: 3\nduration: 1", 6,
                "channels cannot be '3'"
            ),
        ] as [(String, Int, String)])
    func mistakes(text: String, line: Int, words: String) throws {
        let path = try graph(text)
        let ending = try yodel(["render", path, "--offline", "--out", files.path("out.wav")])
        #expect(ending.status == 2 && ending.output.isEmpty, "\(ending)")
        #expect(ending.errors.contains(words), "\(ending.errors)")
        #expect(ending.errors.contains("\(path):\(line)"), "\(ending.errors)")
        #expect(ending.errors.split(separator: "\n").count == 1 && ending.errors.contains("; "))
        #expect(!FileManager.default.fileExists(atPath: files.path("out.wav")))
    }

    @Test("a player that stands still for good, or plays part of a round, is told with its line")
    func mistakesOfPlayers() throws {
        let tone = try files.tone("tone.wav", seconds: 0.1)
        let player = "units:\n  a:\n    type: player\n    file: \(tone)\n"
        func refused(_ more: String, line: Int, _ words: String) throws {
            let path = try graph(player + more)
            // To no file: one that never ended would fill the disk.
            let ending = try yodel(["render", path, "--device", "null", "--no-realtime"], killAfter: 20)
            #expect(ending.status == 2 && ending.errors.contains("\(path):\(line)"), "\(ending)")
            #expect(ending.errors.contains(words), "\(ending.errors)")
        }
        try refused("    play: no", line: 5, "never end")
        try refused("automation:\n  - {at: 0.05, unit: a, set: play, value: false}", line: 6, "never end")
        try refused("    loop: 1.5", line: 5, "1 or more, or 0 for ever")
        let path = try graph(player + "    play: no\nautomation:\n  - {at: 0.05, unit: a, set: play, value: yes}")
        let ending = try yodel(["render", path, "--device", "null", "--no-realtime"])
        #expect(ending.status == 0, "\(ending)")
    }

    @Test("an equalizer's own gain holds beside a preset, whichever stands first")
    func presetAndGain() throws {
        func rendered(_ settings: String, to name: String) throws -> Data {
            let path = try graph(
                "duration: 0.2\nunits:\n  a: {type: tone}\n  b:\n    type: equalizer\n    input: a\n\(settings)")
            let ending = try yodel(["render", path, "--offline", "--out", files.path(name), "--bits", "32"])
            #expect(ending.status == 0, "\(ending)")
            return try files.data(name)
        }
        let (preset, gain) = ("    preset: Loudness\n", "    gain: -12\n")
        let usual = try rendered(preset + gain, to: "usual.wav")
        #expect(try rendered(gain + preset, to: "turned.wav") == usual)
        #expect(try rendered(preset, to: "preset.wav") != usual)
    }

    @Test("the length that is told counts rounds, start and tail, and is not known where something moves the time")
    func expectedLength() throws {
        let tone = try files.tone("tone.wav", seconds: 1)
        func total(_ text: String) throws -> Double? {
            let ending = try yodel(["render", try graph(text), "--offline", "--out", files.path("out.wav"), "--json"])
            #expect(ending.status == 0, "\(ending)")
            let start = try #require(events(ending).first { $0["type"] as? String == "render_started" })
            return start["total_s"] as? Double
        }
        let player = "units:\n  a: {type: player, file: \(tone), loop: 2, start: 0.25}\n"
        #expect(try total("tail: 0.5\n" + player) == 2.25)
        #expect(try total(player + "  b: {type: varispeed, input: a, rate: 2}\n") == nil)
        #expect(try total(player + "automation:\n  - {at: 0.1, unit: a, set: position, value: 0.5}\n") == nil)
        #expect(try total(player + "duration: 0.5\n") == 0.5)
    }

    @Test(
        "a value that is out of range in the middle is an error with its line; a full disk leaves a playable file",
        .disabled(if: isSanitized))
    func failures() throws {
        let late = try graph(
            """
            duration: 1
            units: {a: {type: tone}}
            automation:
              - {at: 0.5, unit: a, set: level, value: 12}
            """)
        let ending = try yodel(["render", late, "--offline", "--out", files.path("out.wav")])
        #expect(
            ending.status == 2 && ending.errors.contains("graph.yaml:4") && ending.errors.contains("-120 to 0"), "\(ending)")
        for name in ["out.wav", "out.flac", "out.mp3", "out.ogg", "out.opus"] {
            let full = try yodel(
                ["render", Self.example, "--offline", "--out", files.path(name), "--json"], fileLimitKiB: 16)
            #expect(full.status == 2 && full.errors.contains("File too large"), "\(name) \(full)")
            #expect(try files.samples(name).count > 2_000, "\(name)")
        }
        let nowhere = try yodel(["render", Self.example, "--offline"])
        #expect(nowhere.status == 2 && nowhere.errors.contains("--out"))
    }

    @Test("a file at a rate that no unit takes is told with the rates that are possible")
    func rateOutOfRange() throws {
        _ = try files.tone("low.wav", seconds: 0.1, hertz: 300, rate: 3_000, channels: 1)
        let path = try graph("units:\n  a: {type: player, file: \(files.path("low.wav"))}\nduration: 1")
        let ending = try yodel(["render", path, "--offline", "--out", files.path("out.wav")])
        #expect(ending.status == 2 && ending.errors.contains("\(path):2; the sample rate must be"), "\(ending)")
        #expect(ending.errors.contains("3000 Hz") && ending.errors.contains("4000 to 384000 Hz"), "\(ending)")
        #expect(!ending.errors.contains("formatUnsupported"))
    }

    @Test("the page of commands names every type and setting")
    func documented() throws {
        let page = try String(contentsOfFile: Self.example, encoding: .utf8)
        for kind in GraphUnitKind.allCases {
            for name in [kind.rawValue] + kind.settings + kind.fixedSettings + kind.inputSettings {
                #expect(page.contains(name), "\(name) of \(kind.rawValue) is not in config/graph.yaml")
            }
        }
    }
}
