import AudioFiles
import Foundation
import Synchronization
import TestSignals
import Testing

@Suite("A file that is read ahead") struct FileReadAheadTests {
    private let folder: String

    init() throws { folder = try temporaryDirectory() }

    private func clean() { try? FileManager.default.removeItem(atPath: folder) }

    /// A tone of so many seconds.
    private func write(_ name: String = "a.wav", rate: Int = 8000, seconds: Int) throws -> String {
        let path = folder + "/" + name
        let writer = try AudioFileWriter(path: path, sampleRate: rate, channels: 1, depth: .int16)
        let tone = tone(440, rate: Double(rate))
        for second in 0..<seconds { try writer.write((second * rate..<(second + 1) * rate).map(tone)) }
        #expect(writer.finish() == nil)
        return path
    }

    /// Takes frames of `frame` samples to the end, and has it read between them.
    private func takeAll(_ file: FileReadAhead, frame: Int) -> [Float] {
        var all: [Float] = []
        var block = [Float](repeating: 0, count: frame)
        while !file.isOver {
            let taken = block.withUnsafeMutableBufferPointer { file.take(into: $0.baseAddress!, count: $0.count) }
            all += block[..<taken]
            file.fill()
        }
        return all
    }

    @Test("is the same samples as one that is read whole", arguments: [8000, 16_000, 44_100, 48_000])
    func same(rate: Int) throws {
        defer { clean() }
        let path = try write(rate: 48_000, seconds: 5)
        let whole = try AudioFileReader.samples(path: path, rate: rate)
        let file = try FileReadAhead(path: path, rate: rate)
        #expect(takeAll(file, frame: rate / 50) == whole && file.samplesMissed == 0)
        #expect(file.samplesRead == whole.count)
    }

    @Test("has its first moments at once, whoever waits for an answer waits for no more, and memory holds two seconds of it")
    func little() throws {
        defer { clean() }
        let file = try FileReadAhead(path: try write(seconds: 60), rate: 8000)
        let atOnce = Int(8000 * FileReadAhead.firstSeconds)
        #expect((atOnce..<atOnce + 2048).contains(file.samplesRead))
        file.fill()
        file.fill()
        #expect((14_000..<20_000).contains(file.samplesRead))
        #expect(takeAll(file, frame: 160).count == 480_000 && file.samplesMissed == 0)
    }

    @Test(
        "that ends with a block, or before its first moments do, is over after its last sample",
        arguments: [1, 2047, 2048, 4096, 16_384])
    func end(samples: Int) throws {
        defer { clean() }
        let path = folder + "/b.wav"
        let writer = try AudioFileWriter(path: path, sampleRate: 8000, channels: 1, depth: .int16)
        try writer.write((0..<samples).map(tone(440, rate: 8000)))
        #expect(writer.finish() == nil)
        let file = try FileReadAhead(path: path, rate: 8000)
        #expect(takeAll(file, frame: 160).count == samples && file.samplesMissed == 0)
    }

    @Test("is silent where the disk is too slow, says so once, and loses nothing")
    func slow() throws {
        defer { clean() }
        let path = try write(seconds: 3)
        let whole = try AudioFileReader.samples(path: path, rate: 8000)
        let troubles = Mutex<[String]>([])
        let file = try FileReadAhead(path: path, rate: 8000) { error in troubles.withLock { $0.append(error.reason) } }
        var block = [Float](repeating: 0, count: 8000)
        let first = block.withUnsafeMutableBufferPointer { file.take(into: $0.baseAddress!, count: 8000) }
        #expect(first == file.samplesRead && file.samplesMissed == 8000 - first && !file.isOver)
        let start = Array(block[..<first])
        #expect(start + takeAll(file, frame: 160) == whole)
        #expect(troubles.withLock { $0.count } == 1)
    }

    @Test("that another program cuts short ends there, and that is told")
    func cutShort() throws {
        defer { clean() }
        let path = try write(seconds: 10)
        let troubles = Mutex<[AudioFileError]>([])
        let file = try FileReadAhead(path: path, rate: 8000) { error in troubles.withLock { $0.append(error) } }
        #expect(truncate(path, 40_044) == 0)
        #expect((15_000...20_000).contains(takeAll(file, frame: 160).count))
        let told = troubles.withLock { $0 }
        #expect(told.map(\.path) == [path] && told.allSatisfy { !$0.reason.isEmpty })
    }

    @Test("that cannot be read is refused as ever")
    func refused() throws {
        defer { clean() }
        let text = folder + "/text.wav"
        try Data("no sound".utf8).write(to: URL(fileURLWithPath: text))
        for path in [folder + "/none.wav", text] {
            var usual: AudioFileError?
            do throws(AudioFileError) { _ = try AudioFileReader(path: path) } catch { usual = error }
            #expect(throws: try #require(usual)) { try FileReadAhead(path: path, rate: 8000) }
        }
    }

    @Test("is read on by a thread that ends with it")
    func thread() throws {
        defer { clean() }
        let path = try write(seconds: 4)
        let whole = try AudioFileReader.samples(path: path, rate: 8000)
        let file = try FileReadAhead(path: path, rate: 8000)
        try file.begin()
        var heard: [Float] = []
        var block = [Float](repeating: 0, count: 160)
        while !file.isOver {
            let taken = block.withUnsafeMutableBufferPointer { file.take(into: $0.baseAddress!, count: $0.count) }
            heard += block[..<taken]
            if taken == 0 { sched_yield() }
        }
        #expect(heard == whole)
    }
}
