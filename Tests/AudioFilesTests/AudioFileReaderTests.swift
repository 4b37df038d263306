import AudioFiles
import Foundation
import Glibc
import TestSignals
import Testing

@Suite("Reading audio files") struct AudioFileReaderTests {
    private let folder: String

    init() throws { folder = try temporaryDirectory() }

    private func path(_ name: String) -> String { folder + "/" + name }
    private func clean() { try? FileManager.default.removeItem(atPath: folder) }

    /// Two seconds of two channels: 440 Hz and 1000 Hz.
    @discardableResult
    private func write(_ name: String, rate: Int = 48_000, channels: Int = 2, depth: AudioFileDepth = .int16) throws -> String {
        let writer = try AudioFileWriter(path: path(name), sampleRate: rate, channels: channels, depth: depth)
        let tones = (0..<channels).map { tone($0 == 0 ? 440 : 1000, rate: Double(rate)) }
        for block in 0..<20 {
            let start = block * rate / 10
            try writer.write((start..<(start + rate / 10)).flatMap { frame in tones.map { $0(frame) } })
        }
        #expect(writer.finish() == nil)
        return path(name)
    }

    private func write(_ name: String, bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
        return path(name)
    }

    private func all(_ reader: AudioFileReader) -> [Float] {
        var samples: [Float] = []
        while true {
            let part = reader.read(maximumFrames: 4800)
            samples += part
            if part.count < 4800 * reader.channels { return samples }
        }
    }

    @Test("every format that is written is read back: rate, channels, length, sound", arguments: AudioFileFormat.allCases)
    func formats(format: AudioFileFormat) throws {
        defer { clean() }
        let reader = try AudioFileReader(path: write("a." + format.rawValue), channels: nil)
        #expect(reader.sampleRate == 48_000 && reader.channels == 2)
        #expect(reader.seconds.map { abs($0 - 2) < 0.1 } == true)
        let samples = all(reader)
        #expect(abs(samples.count - 192_000) <= (format.isLossless ? 0 : 6_000) && reader.damage == nil)
        for (channel, frequency) in [(0, 440.0), (1, 1000.0)] {
            let run = stride(from: 48_000 + channel, to: 144_000, by: 2).map { samples[$0] }
            #expect(tonePart(run, frequency: frequency, rate: 48_000) > 0.99)
        }
        reader.rewind()
        let again = all(reader)
        #expect(again.count == samples.count)
        let worst = zip(again, samples).reduce(Float(0)) { max($0, abs($1.0 - $1.1)) }
        #expect(worst <= (format.isLossless ? 0 : 1e-4), "\(worst) off after going back")
    }

    @Test("a named pipe is read once somebody has written to it")
    func writtenPipe() throws {
        defer { clean() }
        let file = try Data(contentsOf: URL(fileURLWithPath: write("a.wav", rate: 8000, channels: 1)))
        #expect(mkfifo(path("pipe.wav"), 0o600) == 0)
        let writer = open(path("pipe.wav"), O_RDWR)
        #expect(file.withUnsafeBytes { Glibc.write(writer, $0.baseAddress, $0.count) } == file.count)
        let reader = try AudioFileReader(path: path("pipe.wav"))
        close(writer)
        #expect(all(reader) == all(try AudioFileReader(path: path("a.wav"))))
    }

    @Test("one that nobody writes is given up when it is no longer wanted", arguments: ["pipe.wav", "pipe.mp3"])
    func unwrittenPipe(name: String) throws {
        defer { clean() }
        #expect(mkfifo(path(name), 0o600) == 0)
        var asked = 0
        let error = #expect(throws: AudioFileError.self) {
            _ = try AudioFileReader(
                path: path(name),
                isWanted: {
                    asked += 1
                    return asked < 2
                })
        }
        #expect(asked == 2 && error?.reason == "nobody has written to this pipe yet")
    }

    @Test("one whose writer leaves without a word is no audio")
    func leftPipe() throws {
        defer { clean() }
        #expect(mkfifo(path("pipe.wav"), 0o600) == 0)
        #expect(throws: AudioFileError.self) {
            _ = try AudioFileReader(
                path: path("pipe.wav"),
                isWanted: {
                    close(open(path("pipe.wav"), O_WRONLY))
                    return true
                })
        }
    }

    @Test("32-bit float and 24-bit files keep what they were given", arguments: [AudioFileDepth.float32, .int24])
    func depths(depth: AudioFileDepth) throws {
        defer { clean() }
        for name in ["a.wav", "a.aiff", "a.flac"] {
            let writer = try AudioFileWriter(path: path(name), sampleRate: 8000, depth: depth)
            let samples: [Float] = [0.1, -0.123_456_7, 0.999, -1]
            try writer.write(samples)
            writer.finish()
            let read = try AudioFileReader.samples(path: path(name))
            let step: Float = depth == .float32 && name != "a.flac" ? 0 : 1.0 / 8_388_608
            #expect(zip(read, samples).allSatisfy { abs($0 - $1) <= step }, "\(name) \(read)")
        }
    }

    @Test("channels become fewer by averages, and mono becomes the first two")
    func folds() throws {
        defer { clean() }
        let writer = try AudioFileWriter(path: path("four.wav"), sampleRate: 8000, channels: 4, depth: .float32)
        try writer.write([0.1, 0.2, 0.3, 0.4])
        writer.finish()
        func near(_ a: [Float], _ b: [Float]) -> Bool { a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) < 1e-6 } }
        #expect(near(try AudioFileReader(path: path("four.wav"), channels: 2).read(maximumFrames: 9), [0.2, 0.3]))
        #expect(near(try AudioFileReader(path: path("four.wav"), channels: 1).read(maximumFrames: 9), [0.25]))
        #expect(
            near(try AudioFileReader(path: path("four.wav"), channels: 6).read(maximumFrames: 9), [0.1, 0.2, 0.3, 0.4, 0, 0]))
        let mono = try AudioFileWriter(path: path("one.wav"), sampleRate: 8000, depth: .float32)
        try mono.write([0.5])
        mono.finish()
        #expect(near(try AudioFileReader(path: path("one.wav"), channels: 3).read(maximumFrames: 9), [0.5, 0.5, 0]))
    }

    @Test("another rate keeps both channels apart and in place")
    func converts() throws {
        defer { clean() }
        let reader = try AudioFileReader(path: write("a.wav", rate: 44_100), rate: 48_000, channels: nil)
        let samples = all(reader)
        #expect(abs(samples.count / 2 - 96_000) < 20)
        let right = stride(from: 20_001, to: 150_000, by: 2).map { samples[$0] }
        let expected = stride(from: 10_000, to: 75_000, by: 1).map(tone(1000, rate: 48_000))
        #expect(zip(right, expected).allSatisfy { abs($0 - $1) < 0.05 })
    }

    @Test("going to a place in any format is where it says", arguments: AudioFileFormat.allCases)
    func seeks(format: AudioFileFormat) throws {
        defer { clean() }
        let reader = try AudioFileReader(path: write("a." + format.rawValue, channels: 1))
        let whole = all(reader)
        reader.seek(toSeconds: 1.25)
        let rest = all(reader)
        #expect(abs(rest.count - (whole.count - 60_000)) <= 0 && rest.count > 30_000)
        let worst = zip(rest[2_000...], whole[62_000...]).reduce(Float(0)) { max($0, abs($1.0 - $1.1)) }
        #expect(worst < (format.isLossless ? 1e-6 : 0.02), "\(worst)")
        reader.seek(toSeconds: 100)
        #expect(reader.read(maximumFrames: 10).isEmpty)
    }

    @Test(
        "what cannot be read is refused by name",
        arguments: [
            ("a.m4a", Array("\0\0\0\u{20}ftypM4A \0\0\0\0moovtrakmp4a".utf8), "AAC in MP4"),
            ("b.m4a", Array("\0\0\0\u{20}ftypM4A \0\0\0\0moovtrakalac".utf8), "Apple Lossless"),
            ("c.aac", [0xFF, 0xF1, 0x50, 0x80, 0x02, 0x1F, 0xFC, 0xDE], "AAC"), ("d.wav", [], "empty"),
            ("e.wma", [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66], "Windows Media"),
            ("f.mkv", [0x1A, 0x45, 0xDF, 0xA3, 1, 2, 3, 4], "Matroska"),
            ("h.mp3", Array("Dear all, this is a letter".utf8), "no MPEG audio"),
            ("g.wav", Array("this is a letter and no sound at all".utf8), ""),
        ] as [(String, [UInt8], String)])
    func foreign(name: String, bytes: [UInt8], words: String) throws {
        defer { clean() }
        let path = try write(name, bytes: bytes)
        #expect { _ = try AudioFileReader(path: path) } throws: {
            guard let error = $0 as? AudioFileError else { return false }
            return error.path == path && !error.reason.isEmpty && (words.isEmpty || error.reason.contains(words))
        }
    }

    @Test("a file that was cut off plays as far as it goes, and says so", arguments: ["wav", "aiff", "au", "flac", "mp3"])
    func cutOff(ending: String) throws {
        defer { clean() }
        let whole = try Data(contentsOf: URL(fileURLWithPath: write("a." + ending)))
        try whole.prefix(whole.count * 6 / 10).write(to: URL(fileURLWithPath: path("cut." + ending)))
        let reader = try AudioFileReader(path: path("cut." + ending), channels: nil)
        let frames = all(reader).count / 2
        #expect(frames > 40_000 && frames < 70_000)
        #expect(reader.damage != nil)
        let good = try AudioFileReader(path: path("a." + ending), channels: nil)
        _ = all(good)
        #expect(good.damage == nil)
    }

    /// Silent frames of MPEG-1 layer III, mono at 44.1 kHz, which no header counts.
    private func frames(_ count: Int, kilobits: Int = 32) -> [UInt8] {
        let bits: UInt8 = kilobits == 320 ? 14 : 1
        let rest = [UInt8](repeating: 0, count: 144_000 * kilobits / 44_100 - 4)
        let frame: [UInt8] = [0xFF, 0xFB, bits << 4, 0xC4] + rest
        return (0..<count).flatMap { _ in frame }
    }

    @Test(
        "MP3 that no header counts is of unknown length, and no damage is claimed, whatever lies around its frames",
        arguments: ["plain", "cover art", "32 kbit/s first"])
    func uncountedFrames(kind: String) throws {
        defer { clean() }
        // 200,000 bytes, in sevens of bits.
        let art: [UInt8] = Array("ID3".utf8) + [3, 0, 0, 0, 12, 26, 64]
        let zeros = [UInt8](repeating: 0, count: 200_000)
        let bytes: [UInt8] =
            switch kind {
            case "cover art": art + zeros + frames(300)
            case "32 kbit/s first": frames(10) + frames(290, kilobits: 320)
            default: frames(300)
            }
        let path = try write("a.mp3", bytes: bytes)
        let reader = try AudioFileReader(path: path)
        #expect(reader.fileFrames == nil && reader.seconds == nil)
        let whole = all(reader)
        #expect((298 * 1152...300 * 1152).contains(whole.count) && reader.damage == nil, "\(whole.count)")
        #expect(try AudioFileReader.samples(path: path, maximumSeconds: 8).count == whole.count)
    }

    @Test("WAV whose header was never completed is refused for that; one without sound has none")
    func unfinishedHeader() throws {
        defer { clean() }
        _ = try write("a.wav", rate: 8000, channels: 1)
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path("a.wav"))))
        bytes.replaceSubrange(4..<8, with: [36, 0, 0, 0])
        bytes.replaceSubrange(40..<44, with: [0, 0, 0, 0])
        let unfinished = try write("b.wav", bytes: bytes)
        let error = #expect(throws: AudioFileError.self) { _ = try AudioFileReader(path: unfinished) }
        #expect(error?.reason.contains("never completed") == true)
        let empty = try AudioFileReader(path: write("c.wav", bytes: Array(bytes.prefix(44))))
        #expect(empty.fileFrames == 0 && empty.damage == nil)
    }

    @Test("headers that lie about enormous files neither trap nor allocate")
    func enormous() throws {
        defer { clean() }
        var header = Array(try Data(contentsOf: URL(fileURLWithPath: write("a.wav", rate: 8000))).prefix(2000))
        for (place, bytes) in [(4, [255, 255, 255, 255]), (40, [240, 255, 255, 255])] as [(Int, [UInt8])] {
            header.replaceSubrange(place..<(place + 4), with: bytes)
        }
        let reader = try AudioFileReader(path: write("big.wav", bytes: header), channels: nil)
        #expect(all(reader).count == (2000 - 44) / 2)
        header.replaceSubrange(22..<24, with: [255, 255])
        let path = try write("wide.wav", bytes: header)
        #expect(throws: AudioFileError.self) { _ = try AudioFileReader(path: path) }
        header.replaceSubrange(22..<28, with: [1, 0, 255, 255, 255, 127])
        let fast = try write("fast.wav", bytes: header)
        #expect(throws: AudioFileError.self) { _ = try AudioFileReader(path: fast) }
    }
}
