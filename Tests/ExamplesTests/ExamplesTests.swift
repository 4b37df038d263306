import AudioFiles
import Foundation
import TestPrograms
import Testing

/// Runs each example as a person would, on virtual devices, and looks at what it played, wrote and said.
@Suite("Examples") struct ExamplesTests {
    /// A folder of the test's own, gone with it.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-" + UUID().uuidString)
        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(at: url) }
        func path(_ name: String) -> String { url.appendingPathComponent(name).path }
    }

    private func start(_ name: String, _ arguments: [String]) throws -> ChildProcess {
        let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("example-" + name)
        return try ChildProcess([program.path] + arguments, errors: .withOutput)
    }

    private func finish(_ process: ChildProcess) -> String {
        let said = String(decoding: process.readAll(withinSeconds: hangSeconds).output, as: UTF8.self)
        #expect(process.status(afterSeconds: 60) == 0, "\(said)")
        return said
    }

    /// Whether somebody hears what comes to a UDP port of this machine.
    private func isBound(_ port: Int) -> Bool {
        ["/proc/net/udp", "/proc/net/udp6"].contains { path in
            let rows = (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: "\n").dropFirst() ?? []
            return rows.contains { row in
                let local = row.split(separator: " ").dropFirst().first?.split(separator: ":").last ?? ""
                return Int(local, radix: 16) == port
            }
        }
    }

    /// What a WAV file of one channel holds, at 48,000 Hz.
    private func samples(_ path: String) throws -> [Float] { try AudioFileReader.samples(path: path, rate: 48_000) }

    private func level(of hertz: Double, in samples: ArraySlice<Float>) -> Double {
        var (real, imaginary) = (0.0, 0.0)
        for (index, sample) in samples.enumerated() {
            let angle = 2 * .pi * hertz * Double(index) / 48_000
            real += Double(sample) * cos(angle)
            imaginary += Double(sample) * sin(angle)
        }
        return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(max(1, samples.count))
    }

    @Test("the tone generator plays its tone") func tone() throws {
        let folder = try Folder()
        let said = try finish(start("tone", ["0.5", "file:,to=" + folder.path("tone.wav"), "500"]))
        #expect(said.contains("500.0 Hz"))
        let heard = try samples(folder.path("tone.wav"))
        #expect(heard.count > 19_200, "\(heard.count)")
        #expect(abs(level(of: 500, in: heard[4800..<14_400]) - 0.2) < 0.002)
    }

    @Test("the recorder writes what the microphone hears") func recorder() throws {
        let folder = try Folder()
        _ = try finish(start("tone", ["0.5", "file:,to=" + folder.path("tone.wav"), "500"]))
        let said = try finish(
            start("recorder", [folder.path("voice.wav"), "0.4", "file:" + folder.path("tone.wav") + ",loop"]))
        #expect(said.contains("wrote 19200 frames"))
        let heard = try samples(folder.path("voice.wav"))
        #expect(heard.count == 19_200 && abs(level(of: 500, in: heard[960..<10_560]) - 0.2) < 0.002)
    }

    @Test("the karaoke mixer mixes microphone and music") func karaoke() throws {
        let folder = try Folder()
        _ = try finish(start("tone", ["0.5", "file:,to=" + folder.path("voice.wav"), "1000"]))
        let device = "file:" + folder.path("voice.wav") + ",to=" + folder.path("mix.wav") + ",loop"
        let said = try finish(start("karaoke", ["1", device]))
        #expect(said.contains("note 1 is over") && said.contains("voice -1"), "\(said)")
        let heard = try samples(folder.path("mix.wav"))
        #expect(level(of: 1000, in: heard[24_000..<33_600]) > 0.05)
        // A4, two semitones lower.
        #expect(level(of: 392, in: heard[2400..<9600]) > 0.01)
    }

    @Test("the equalizer's meters show every preset") func equalizer() throws {
        let said = try finish(start("equalizer", ["3.6", "null"]))
        let lines = said.split(separator: "\n")
        #expect(lines.count == 18)
        let telephone = try #require(lines.first { $0.hasPrefix("Telephone") })
        let flat = try #require(lines.first { $0.hasPrefix("Flat") })
        #expect(flat.filter { $0 == "█" }.count > telephone.filter { $0 == "█" }.count, "\(said)")
    }

    @Test("the offline bounce is as long as asked, and the same each time") func bounce() throws {
        let folder = try Folder()
        _ = try finish(start("bounce", [folder.path("one.wav"), "60"]))
        _ = try finish(start("bounce", [folder.path("two.wav"), "60"]))
        let one = try Data(contentsOf: URL(fileURLWithPath: folder.path("one.wav")))
        #expect(one.count > 60 * 48_000 * 4)
        #expect(try one == Data(contentsOf: URL(fileURLWithPath: folder.path("two.wav"))))
    }

    @Test("the effect of one's own is found by its description and works") func tremolo() throws {
        let said = try finish(start("tremolo", ["5"]))
        #expect(said.contains("Tremolo (aufx/trem/exmp)") && said.contains("Equalizer (aufx/ipeq/yodl)"))
        let bars = said.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().map(\.count)
        #expect(bars.max() ?? 0 > 55 && bars.prefix(40).min() ?? 60 < 3, "\(bars)")
    }

    @Test("two intercoms find each other and talk") func intercom() throws {
        // Below the ports that the kernel gives to whoever asks for none.
        let port = Int.random(in: 5_000..<16_000) * 2
        let listener = try start("intercom", ["listen", "\(port)", "120", "room:small"])
        for _ in 0..<6000 where !isBound(port) { Thread.sleep(forTimeInterval: 0.01) }
        let said = try finish(start("intercom", ["127.0.0.1:\(port)", "4", "room:small"]))
        let answer = finish(listener)
        for text in [said, answer] {
            #expect(text.contains("mediaStarted"), "\(text)")
            let counts = text.matches(of: #/sent (\d+) packets, received (\d+)/#).last
            #expect(Int(counts?.1 ?? "") ?? 0 > 20 && Int(counts?.2 ?? "") ?? 0 > 20, "\(text)")
        }
        #expect(answer.contains("remoteHangup"), "\(answer)")
    }

    @Test("the spectrum follows the sweep") func spectrum() throws {
        let said = try finish(start("spectrum", ["2", "null"]))
        let lines = said.split(separator: "\n").map(Array.init)
        #expect(lines.count == 20)
        func peak(_ line: [Character]) -> Int {
            let steps = Array(" ▁▂▃▄▅▆▇█")
            return line.indices.max { steps.firstIndex(of: line[$0])! < steps.firstIndex(of: line[$1])! } ?? 0
        }
        let (early, late) = (peak(lines[3]), peak(lines[9]))
        #expect(early < late, "\(said)")
    }
}
