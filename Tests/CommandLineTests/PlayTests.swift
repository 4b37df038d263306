import AudioFiles
import AudioUnits
import Foundation
import Studio
import Testing

@Suite("yodel play") struct PlayTests {
    private let files: MediaFiles

    init() throws { files = try MediaFiles() }

    /// Plays into a file in place of a loudspeaker; what was heard there.
    private func heard(_ arguments: [String], _ status: Int32 = 0) throws -> (samples: [Float], ending: Ending) {
        let out = "file:,to=" + files.path("heard.wav")
        let ending = try yodel(["play"] + arguments + ["--device", out, "--period", "10", "--no-realtime", "--json"])
        #expect(ending.status == status, "\(ending)")
        return (try files.samples("heard.wav"), ending)
    }

    /// Without the silence before and after.
    private func loud(_ samples: [Float]) -> ArraySlice<Float> {
        guard let first = samples.firstIndex(where: { abs($0) > 0.01 }),
            let last = samples.lastIndex(where: { abs($0) > 0.01 })
        else { return [] }
        return samples[first...last]
    }

    @Test("every format is played to its end", arguments: AudioFileFormat.allCases)
    func formats(format: AudioFileFormat) throws {
        let (samples, ending) = try heard([files.tone("a." + format.rawValue, seconds: 0.5)])
        let sound = loud(samples)
        #expect(abs(sound.count - 24_000) < (format.isLossless ? 100 : 1_500), "\(sound.count)")
        #expect(part(sound, at: 500) > (format.isLossless ? 0.99 : 0.97))
        let last = try #require(events(ending).last)
        #expect(last["type"] as? String == "playback_ended" && last["reason"] as? String == "end")
        #expect(last["underruns"] as? Int == 0)
    }

    @Test("files follow each other, again and again, without a gap; --mix plays them together")
    func several() throws {
        let paths = try [files.tone("a.wav", seconds: 0.2), files.tone("b.flac", seconds: 0.3, hertz: 1000)]
        let (samples, ending) = try heard(paths + ["--loop", "2"])
        let sound = Array(loud(samples))
        #expect(abs(sound.count - 48_000) < 100)
        #expect(part(sound[100..<9_500], at: 500) > 0.99 && part(sound[9_700..<23_900], at: 1000) > 0.99)
        #expect(part(sound[24_100..<33_500], at: 500) > 0.99)
        let started = try events(ending).filter { $0["type"] as? String == "file_started" }
        #expect(started.count >= 2)
        let together = loud(try heard(paths + ["--mix"]).samples)
        #expect(abs(together.count - 14_400) < 100)
        let both = part(together.prefix(9_000), at: 500) + part(together.prefix(9_000), at: 1000)
        #expect(both > 0.98 && part(together.prefix(9_000), at: 500) > 0.4)
    }

    @Test("a mix is one place: each file is there, in its round, or at its end")
    func placeInMix() {
        var plan = PlayPlan(paths: ["a.wav", "b.wav"])
        plan.mixes = true
        #expect(plan.position(after: 7, length: 2) == FilePlayerPosition(seconds: 2))
        #expect(plan.position(after: 7, length: 9) == FilePlayerPosition(seconds: 7))
        #expect(plan.position(after: -3, length: 9) == FilePlayerPosition(seconds: 0))
        #expect(plan.position(after: 7, length: nil) == FilePlayerPosition(seconds: 7))
        plan.loops = 3
        #expect(plan.position(after: 5, length: 2) == FilePlayerPosition(seconds: 1, round: 2))
        #expect(plan.position(after: 7, length: 2) == FilePlayerPosition(seconds: 2, round: 2))
        #expect(plan.position(after: 7, length: nil) == nil)
        plan.loops = nil
        #expect(plan.position(after: 7, length: 2) == FilePlayerPosition(seconds: 1, round: 3))
    }

    @Test("the place that is told of a mix goes on with the file that still plays")
    func clockOfMix() throws {
        let paths = try [files.tone("a.wav", seconds: 0.2), files.tone("b.wav", seconds: 2.5, hertz: 1000)]
        let ending = try yodel(["play"] + paths + ["--mix", "--device", "null", "--json"])
        #expect(ending.status == 0, "\(ending)")
        let told = try #require(events(ending).last { $0["type"] as? String == "position" })
        #expect(told["file"] as? String == paths[1])
        #expect(try #require(told["position_s"] as? Double) > 0.2)
    }

    @Test("--rate keeps the pitch, --pitch lets it go, --gain and --start do what they say")
    func speed() throws {
        let path = try files.tone("a.wav", seconds: 1)
        let kept = loud(try heard([path, "--rate", "1.25"]).samples)
        #expect(abs(Double(kept.count) / 48_000 - 0.8) < 0.05 && part(kept.dropFirst(4_800).prefix(24_000), at: 500) > 0.9)
        let gone = loud(try heard([path, "--rate", "1.25", "--pitch"]).samples)
        #expect(abs(Double(gone.count) / 48_000 - 0.8) < 0.01 && part(gone, at: 625) > 0.98)
        let rest = loud(try heard([path, "--start", "0.75", "--gain=-20"]).samples)
        #expect(abs(rest.count - 12_000) < 100)
        #expect(abs((rest.map(abs).max() ?? 0) - 0.05) < 0.002)
    }

    @Test("an equalizer preset by name is heard, a misspelt one is refused with the nearest name")
    func preset() throws {
        let path = try files.tone("a.wav", seconds: 0.3, hertz: 100)
        let plain = loud(try heard([path]).samples).dropFirst(6_000).map(abs).max() ?? 0
        let cut = try heard([path, "--eq", "telephone"]).samples.dropFirst(6_000).map(abs).max() ?? 1
        #expect(cut < plain / 4)
        let ending = try yodel(["play", path, "--eq", "telefone", "--device", "null"])
        #expect(ending.status == 2 && ending.errors.contains("did you mean 'telephone'?"))
    }

    @Test("what cannot be played is refused with what, where and what to do, before the device is opened")
    func refusals() throws {
        let good = try files.tone("good.wav", seconds: 0.1)
        let cases: [(String, String)] = try [
            (files.write("empty.wav", Data()), "empty"), (files.write("letter.mp3", Data("Dear all".utf8)), "letter.mp3"),
            (files.write("a.m4a", Data("\0\0\0\u{20}ftypM4A \0\0\0\0mp4a".utf8)), "AAC"),
            (files.write("b.m4a", Data("\0\0\0\u{20}ftypM4A \0\0\0\0alac".utf8)), "Apple Lossless"),
            (files.path("none/a.wav"), "No such file"), (files.folder.path, "directory"),
            (files.write("head.wav", files.data("good.wav").prefix(44)), "no sound"),
        ]
        for (path, words) in cases {
            for arguments in [[path], [good, path]] {
                let ending = try yodel(["play"] + arguments + ["--device", "room:cathedral"])
                #expect(ending.status == 6 && ending.errors.contains("cathedral"), "\(ending)")
                let refused = try yodel(["play"] + arguments + ["--device", "null"])
                #expect(refused.status == 2 && refused.output.isEmpty, "\(refused)")
                #expect(refused.errors.hasPrefix("yodel: ") && refused.errors.contains(words), "\(words): \(refused.errors)")
                #expect(refused.errors.contains(path) && refused.errors.split(separator: "\n").count == 1)
            }
        }
        for wrong in [
            ["--rate", "9"], ["--pan", "2"], ["--loop=-1"], ["--gain", "99"], ["--pitch"], ["--start=-1"], ["--start", "30"],
        ] {
            let ending = try yodel(["play", good, "--device", "null"] + wrong)
            #expect(ending.status == 2 && ending.errors.contains(wrong[0].split(separator: "=")[0]), "\(ending)")
        }
        let low = try files.tone("low.wav", seconds: 0.1, hertz: 300, rate: 3_000, channels: 1)
        let ending = try yodel(["play", low, "--device", "null"])
        #expect(ending.status == 2 && ending.errors.contains("it has 3000 Hz") && ending.errors.contains(low), "\(ending)")
        #expect(try yodel(["play"]).status == 2)
    }

    @Test("a file that breaks off is played as far as it goes, and is an error that says so", arguments: ["wav", "flac"])
    func cutOff(ending: String) throws {
        _ = try files.tone("a." + ending, seconds: 1)
        let whole = try files.data("a." + ending)
        let path = try files.write("cut." + ending, whole.prefix(whole.count / 2))
        let (samples, told) = try heard([path], 2)
        #expect(loud(samples).count > 14_000 && loud(samples).count < 34_000)
        #expect(told.errors.contains("cut off") || told.errors.contains("decoded"), "\(told.errors)")
        #expect(told.errors.contains(path) && told.errors.split(separator: "\n").count == 1)
    }

    @Test("a header that promises more than any disk holds is played as far as it goes")
    func enormous() throws {
        _ = try files.tone("a.wav", seconds: 0.3)
        var data = try files.data("a.wav")
        for place in [4, 40] { data.replaceSubrange(place..<(place + 4), with: [0xF0, 0xFF, 0xFF, 0xFE]) }
        let (samples, _) = try heard([files.write("big.wav", data)], 2)
        #expect(abs(loud(samples).count - 14_400) < 100)
    }

    @Test("--duration ends it, and so does q")
    func ends() throws {
        let path = try files.tone("a.wav", seconds: 30)
        let (_, ending) = try heard([path, "--loop", "0", "--duration", "0.5"])
        #expect(try events(ending).last?["reason"] as? String == "duration")
    }
}
