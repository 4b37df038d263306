import AudioFiles
import Foundation
import TestSignals
import Testing

@Suite("Writing audio files") struct AudioFileWriterTests {
    @Test func whatIsWrittenIsReadBackWithinHalfAStep() throws {
        let directory = try temporaryDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/a.wav"
        let samples = (0..<12_345).map(tone(440, rate: 48000))
        let writer = try AudioFileWriter(path: path, sampleRate: 48000)
        try writer.write(samples)
        writer.finish()
        let read = try AudioFileReader.samples(path: path)
        #expect(read.count == samples.count)
        #expect(zip(read, samples).allSatisfy { abs($0 - $1) <= 1.0 / 32768 })
    }

    @Test func channelsAreAveragedToMono() throws {
        let directory = try temporaryDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/stereo.wav"
        let writer = try AudioFileWriter(path: path, sampleRate: 8000, channels: 2)
        try writer.write((0..<1000).flatMap { _ in [Float(0.5), Float(-0.25)] })
        writer.finish()
        let reader = try AudioFileReader(path: path)
        #expect(reader.fileChannels == 2)
        #expect(reader.fileFrames == 1000)
        #expect(reader.read(maximumFrames: 2000).allSatisfy { abs($0 - 0.125) < 0.0001 })
    }

    @Test(arguments: [(8000, 48000), (44100, 48000), (48000, 16000)])
    func anotherRateKeepsLengthPitchAndPosition(from: Int, to: Int) throws {
        let directory = try temporaryDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/rate.wav"
        let writer = try AudioFileWriter(path: path, sampleRate: from)
        try writer.write((0..<from).map(tone(1000, rate: Double(from))))
        writer.finish()
        let read = try AudioFileReader.samples(path: path, rate: to)
        #expect(abs(read.count - to) <= 2 + to / 100)
        let middle = read[to / 4..<to * 3 / 4]
        #expect(tonePart(middle, frequency: 1000, rate: Double(to)) > 0.999)
        // no delay of the filter is left: the sine is where it was
        let expected = (to / 4..<to * 3 / 4).map(tone(1000, rate: Double(to)))
        let error = zip(middle, expected).reduce(0) { max($0, abs($1.0 - $1.1)) }
        #expect(error < 0.05)
    }

    @Test("what a killed process leaves is playable but for the last second", arguments: AudioFileFormat.allCases)
    func killed(format: AudioFileFormat) throws {
        let directory = try temporaryDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (path, copy) = (directory + "/live." + format.rawValue, directory + "/copy." + format.rawValue)
        let writer = try AudioFileWriter(path: path, sampleRate: 48_000, channels: 2)
        var state: UInt32 = 1
        for _ in 0..<500 {
            try writer.write(
                (0..<960).map { _ in
                    state = state &* 1_664_525 &+ 1_013_904_223
                    return Float(Int32(bitPattern: state)) / 8_589_934_592
                })
        }
        // what a kill leaves is what is on disk now, without the writer's end
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let read = try AudioFileReader.samples(path: copy)
        #expect(read.count >= 240_000 - 48_000 && read.count <= 240_000 + 2_000, "\(read.count)")
        writer.finish()
    }

    @Test(
        "formats that cannot hold the sound refuse it by name",
        arguments: [
            ("a.opus", 44_100, 1, "48000"), ("a.mp3", 96_000, 1, "48000"), ("a.mp3", 48_000, 6, "two channels"),
            ("a.wav", 48_000, 0, "0 channels"), ("a.flac", 48_000, 12, "12 channels"),
        ])
    func unsupported(name: String, rate: Int, channels: Int, words: String) throws {
        let directory = try temporaryDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        #expect { _ = try AudioFileWriter(path: directory + "/" + name, sampleRate: rate, channels: channels) } throws: {
            ($0 as? AudioFileError)?.reason.contains(words) == true
        }
        #expect(!FileManager.default.fileExists(atPath: directory + "/" + name))
    }

    @Test("the name's ending chooses the format")
    func endings() {
        #expect(AudioFileFormat(path: "/a.b/c.FLAC") == .flac && AudioFileFormat(path: "x.aif") == .aiff)
        #expect(AudioFileFormat(path: "/a.wav/c") == nil && AudioFileFormat(path: "x.txt") == nil)
    }

    @Test func samplesBeyondFullScaleAreClippedNotWrapped() throws {
        let directory = try temporaryDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/loud.wav"
        let writer = try AudioFileWriter(path: path, sampleRate: 8000)
        try writer.write([2, -2, 1, -1])
        writer.finish()
        let read = try AudioFileReader.samples(path: path)
        #expect(read[0] > 0.999 && read[1] == -1 && read[2] > 0.999 && read[3] == -1)
    }

    @Test func aFullDiskIsOneTypedError() throws {
        try #require(FileManager.default.fileExists(atPath: "/dev/full"))
        var errors = 0
        do {
            let writer = try AudioFileWriter(path: "/dev/full", sampleRate: 8000)
            for _ in 0..<50 {
                do {
                    try writer.write([Float](repeating: 0.1, count: 8000))
                } catch {
                    errors += 1
                    #expect(error.path == "/dev/full" && error.reason.contains("No space left"))
                }
            }
        } catch {
            errors += 1  // libsndfile may already fail to write the header
        }
        #expect(errors == 1)
    }

    @Test func missingAndForeignFilesSayWhy() throws {
        let directory = try temporaryDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let text = directory + "/text.wav"
        try "this is no audio".write(toFile: text, atomically: true, encoding: .utf8)
        for path in [directory + "/none.wav", text, directory] {
            do {
                _ = try AudioFileReader(path: path)
                Issue.record("\(path) opened")
            } catch {
                #expect(error.path == path && !error.reason.isEmpty)
            }
        }
        #expect(throws: AudioFileError.self) { _ = try AudioFileWriter(path: directory + "/no/such/x.wav", sampleRate: 8000) }
    }
}
