import AudioFiles
import Foundation
import Testing

@Suite("Whole audio files")
struct AudioSamplesTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("samples-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    private func raw(_ bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: path("raw")))
        return path("raw")
    }

    @Test("what is written comes back, raw and as WAV", arguments: ["a.wav", "a.WAV", "a.raw", "a"])
    func roundTrip(name: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let samples = (0..<100_000).map { Float($0 % 200 - 100) / 128 }
        try AudioSamples.write(samples, path: path(name), rate: 16_000)
        let read = try AudioSamples.read(path: path(name), rate: 16_000)
        #expect(read.count == samples.count)
        #expect(zip(read, samples).allSatisfy { abs($0 - $1) <= 1 / 32_768 })
        let first = try Data(contentsOf: URL(fileURLWithPath: path(name))).prefix(4)
        #expect((first == Data("RIFF".utf8)) == name.lowercased().hasSuffix(".wav"))
    }

    @Test("raw samples are little endian, and beyond full scale they are clipped")
    func layout() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try AudioSamples.read(path: raw([0, 0x40, 0, 0x80]), rate: 8_000) == [0.5, -1])
        try AudioSamples.write([2, -3, .nan], path: path("b"), rate: 8_000)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path("b"))).prefix(4) == Data([0xFF, 0x7F, 0, 0x80]))
    }

    @Test("a WAV file of another rate is converted")
    func converts() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try AudioSamples.write([Float](repeating: 0.25, count: 48_000), path: path("c.wav"), rate: 48_000)
        #expect(abs(try AudioSamples.read(path: path("c.wav"), rate: 16_000).count - 16_000) < 40)
    }

    @Test("files that are missing, empty, no audio or half a sample too long are refused by name")
    func refuses() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        func refused(_ path: String, _ words: String) {
            #expect {
                _ = try AudioSamples.read(path: path, rate: 8_000)
            } throws: {
                if let error = $0 as? AudioFileError { error.path == path && error.reason.contains(words) } else { false }
            }
        }
        refused(path("none"), "No such file")
        refused(path("none.wav"), "No such file")
        refused(folder.path, "directory")
        refused(try raw([]), "no samples")
        refused(try raw([1, 2, 3]), "odd")
        #expect(throws: AudioFileError.self) { try AudioSamples.write([0], path: "/nonexistent/a", rate: 8_000) }
        #expect(throws: AudioFileError.self) { try AudioSamples.write([0], path: "/nonexistent/a.wav", rate: 8_000) }
    }
}
