import AudioDevices
import AudioUnits
import Foundation
import Testing

@Suite struct AudioFileTests {
    @Test func whatIsWrittenIsReadBackWithinHalfAStep() throws {
        let directory = try temporaryDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/a.wav"
        let samples = (0..<12_345).map(tone(440, rate: 48000))
        let writer = try WAVWriter(path: path, sampleRate: 48000)
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
        let writer = try WAVWriter(path: path, sampleRate: 8000, channels: 2)
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
        let writer = try WAVWriter(path: path, sampleRate: from)
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

    @Test func aFileCutOffByAKilledProcessIsPlayable() throws {
        let directory = try temporaryDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (path, copy) = (directory + "/live.wav", directory + "/copy.wav")
        let writer = try WAVWriter(path: path, sampleRate: 8000)
        for _ in 0..<100 { try writer.write([Float](repeating: 0.25, count: 160)) }
        // what a kill leaves is what is on disk now, without the writer's end
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let read = try AudioFileReader.samples(path: copy)
        #expect(read.count >= 16_000 - 4_000)
        #expect(read.allSatisfy { abs($0 - 0.25) < 0.0001 })
        writer.finish()
    }

    @Test func samplesBeyondFullScaleAreClippedNotWrapped() throws {
        let directory = try temporaryDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/loud.wav"
        let writer = try WAVWriter(path: path, sampleRate: 8000)
        try writer.write([2, -2, 1, -1])
        writer.finish()
        let read = try AudioFileReader.samples(path: path)
        #expect(read[0] > 0.999 && read[1] == -1 && read[2] > 0.999 && read[3] == -1)
    }

    @Test func aFullDiskIsOneTypedError() throws {
        try #require(FileManager.default.fileExists(atPath: "/dev/full"))
        var errors = 0
        do {
            let writer = try WAVWriter(path: "/dev/full", sampleRate: 8000)
            for _ in 0..<50 {
                do {
                    try writer.write([Float](repeating: 0.1, count: 8000))
                } catch {
                    errors += 1
                    guard case .file(let path, let reason) = error else {
                        Issue.record("unexpected \(error)")
                        return
                    }
                    #expect(path == "/dev/full")
                    #expect(!reason.isEmpty)
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
                guard case .file(path, let reason) = error else {
                    Issue.record("unexpected \(error)")
                    continue
                }
                #expect(!reason.isEmpty)
            }
        }
        #expect(throws: DeviceError.self) { _ = try WAVWriter(path: directory + "/no/such/x.wav", sampleRate: 8000) }
    }
}
