import AudioFiles
import Foundation
import Testing

@Suite("yodel record") struct RecordTests {
    private let files: MediaFiles

    init() throws { files = try MediaFiles() }

    private func record(_ name: String, from device: String, _ arguments: [String]) throws -> Ending {
        try yodel(["record", files.path(name), "--device", device, "--period", "10", "--no-realtime"] + arguments)
    }

    @Test("exactly --duration is recorded, in every format", arguments: AudioFileFormat.allCases)
    func formats(format: AudioFileFormat) throws {
        let name = "out." + format.rawValue
        let ending = try record(
            name, from: "file:" + files.tone("in.wav", seconds: 2), ["--duration", "0.5", "--json"])
        #expect(ending.status == 0 && ending.errors.isEmpty, "\(ending)")
        let samples = try files.samples(name)
        #expect(abs(samples.count - 24_000) <= (format.isLossless ? 0 : 2_000), "\(samples.count)")
        #expect(part(samples.dropFirst(4_800), at: 500) > 0.97)
        let told = try events(ending)
        #expect(told.first?["type"] as? String == "recording_started" && told.first?["channels"] as? Int == 1)
        #expect(told.last?["type"] as? String == "recording_ended" && told.last?["reason"] as? String == "duration")
        #expect(told.last?["frames"] as? Int == 24_000 && told.last?["silent"] as? Bool == false)
    }

    @Test("channels, rate and bits are those asked for; --process is the unit of a call")
    func shapes() throws {
        let device = "file:" + (try files.tone("in.wav", seconds: 2))
        let wide = try record(
            "out.wav", from: device, ["--channels", "2", "--rate", "44100", "--bits", "24", "--duration", "0.3"])
        #expect(wide.status == 0, "\(wide)")
        let reader = try AudioFileReader(path: files.path("out.wav"), channels: nil)
        #expect(reader.fileChannels == 2 && reader.fileRate == 44_100 && reader.fileFrames == 13_230)
        #expect(try files.data("out.wav").count >= 44 + 13_230 * 6)
        let voice = try record("voice.wav", from: device, ["--process", "--rate", "16000", "--duration", "0.3"])
        #expect(voice.status == 0, "\(voice)")
        #expect(try files.samples("voice.wav").count == 4_800)
    }

    @Test("a silent microphone is told")
    func silent() throws {
        let ending = try record("out.wav", from: "null", ["--duration", "3.6", "--json"])
        #expect(ending.status == 0)
        let told = try events(ending)
        let warning = told.first { $0["type"] as? String == "warning" }
        #expect((warning?["message"] as? String)?.contains("silence") == true, "\(told)")
        #expect(told.last?["silent"] as? Bool == true)
    }

    // The ring's memory is a file to the kernel, so the limit has to let it pass: 128 KiB at 8 kHz. Formats that would take
    // minutes to fill it have their full disk in `yodel render --offline`.
    @Test(
        "a full disk ends the recording with an error that says so, and the file plays", .disabled(if: isSanitized),
        arguments: [
            (AudioFileFormat.wav, "32"), (.aiff, "32"), (.caf, "32"), (.flac, "24"),
        ])
    func full(format: AudioFileFormat, bits: String) throws {
        let path = files.path("out." + format.rawValue)
        let device = "file:" + (try files.noise("in.wav", seconds: 20))
        let ending = try yodel(
            [
                "record", path, "--device", device, "--period", "10", "--no-realtime", "--duration", "20", "--json",
                "--rate", "8000", "--bits", bits,
            ], fileLimitKiB: 128)
        #expect(ending.status == 2, "\(ending)")
        #expect(ending.errors.contains("File too large") && ending.errors.contains(path), "\(ending.errors)")
        #expect(try events(ending).last?["reason"] as? String == "failed")
        #expect(try files.data("out." + format.rawValue).count <= 128 * 1024)
        let kept = try files.samples("out." + format.rawValue)
        #expect(kept.count > 24_000, "\(kept.count)")
    }

    @Test("a killed recording plays, but for its end", arguments: [AudioFileFormat.wav, .flac, .opus, .mp3])
    func killed(format: AudioFileFormat) throws {
        let path = files.path("out." + format.rawValue)
        let device = "file:" + (try files.noise("in.wav", seconds: 20))
        let ending = try yodel(
            ["record", path, "--device", device, "--period", "10", "--no-realtime", "--duration", "20"], killAfter: 5)
        #expect(ending.status == 128 + SIGKILL)
        let kept = try files.samples("out." + format.rawValue)
        // At most a second is missing; the rest is for a machine that starts it late or stands still.
        #expect(Double(kept.count) / 48_000 > 2, "\(kept.count)")
    }

    @Test("what cannot be recorded is refused at once, and costs no file that is there")
    func refusals() throws {
        let there = try files.tone("there.wav", seconds: 0.1)
        let before = try files.data("there.wav")
        let cases: [([String], Int32, String)] = [
            ([files.path("a.txt"), "--device", "null"], 2, ".flac"),
            ([files.path("none/a.wav"), "--device", "null"], 2, "none/a.wav"),
            ([there, "--device", "file:" + files.path("none.wav")], 6, "none.wav"),
            ([there, "--channels", "9", "--device", "null"], 2, "--channels"),
            ([there, "--process", "--channels", "2", "--device", "null"], 2, "--channels"),
            ([files.path("a.opus"), "--rate", "44100", "--device", "null"], 2, "48000"),
            ([there, "--process", "--rate", "384000", "--device", "null"], 2, "32000 or 48000"),
            ([there, "--process", "--rate", "44100", "--device", "null"], 2, "--rate"),
            ([there, "--duration", "0", "--device", "null"], 2, "--duration"),
            ([there, "--bits", "12", "--device", "null"], 2, "bits"),
        ]
        for (arguments, status, words) in cases {
            let ending = try yodel(["record"] + arguments)
            #expect(ending.status == status && ending.errors.contains(words), "\(arguments): \(ending)")
            #expect(ending.errors.hasPrefix("yodel: ") && ending.errors.split(separator: "\n").count == 1, "\(ending.errors)")
        }
        #expect(try files.data("there.wav") == before)
    }
}
