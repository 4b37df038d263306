import AudioFiles
import Foundation
import TestSignals
import Testing

@Suite("A sound that many play") struct SharedSamplesTests {
    private let folder: String

    init() throws { folder = try temporaryDirectory() }

    private func clean() { try? FileManager.default.removeItem(atPath: folder) }

    private func write(_ name: String = "a.wav", hertz: Double = 440, seconds: Int) throws -> String {
        let path = folder + "/" + name
        let writer = try AudioFileWriter(path: path, sampleRate: 8000, channels: 1, depth: .int16)
        try writer.write((0..<seconds * 8000).map(tone(hertz, rate: 8000)))
        #expect(writer.finish() == nil)
        return path
    }

    private func take(_ player: SharedSamplesPlayer, _ count: Int) -> [Float] {
        var block = [Float](repeating: 9, count: count)
        let taken = block.withUnsafeMutableBufferPointer { player.take(into: $0.baseAddress!, count: count) }
        return Array(block[..<taken])
    }

    @Test(
        "is read once for each rate as long as somebody has it, and is what a file that is read whole is",
        arguments: [8000, 48_000])
    func once(rate: Int) throws {
        defer { clean() }
        let path = try write(seconds: 2)
        var first = try SharedSamples.find(path: path, rate: rate)
        let second = try SharedSamples.find(path: path, rate: rate)
        #expect(first != nil && first === second)
        #expect(try first?.samples == AudioFileReader.samples(path: path, rate: rate))
        let other = try SharedSamples.find(path: path, rate: 16_000)
        #expect(other !== first && other?.samples.count == 32_000)
        weak let left = first
        first = nil
        withExtendedLifetime(second) { #expect(left != nil) }
    }

    @Test("is let go with the last who has it")
    func letGo() throws {
        defer { clean() }
        let path = try write(seconds: 1)
        var shared = try SharedSamples.find(path: path, rate: 8000)
        weak let left = shared
        var player = shared.map { SharedSamplesPlayer($0) }
        shared = nil
        withExtendedLifetime(player) { #expect(left != nil) }
        player = nil
        #expect(left == nil)
    }

    @Test("is another one when the file was written anew, and those who play it go on with what they have")
    func changed() throws {
        defer { clean() }
        let path = try write(seconds: 1)
        let old = try #require(try SharedSamples.find(path: path, rate: 8000))
        try FileManager.default.removeItem(atPath: path)
        _ = try write(hertz: 880, seconds: 2)
        let new = try #require(try SharedSamples.find(path: path, rate: 8000))
        #expect(new !== old && old.samples.count == 8000 && new.samples.count == 16_000)
    }

    @Test("is none where the file is long, a pipe, or not there; what cannot be read is refused as ever")
    func refused() throws {
        defer { clean() }
        let long = try write(seconds: 31)
        #expect(try SharedSamples.find(path: long, rate: 8000) == nil && !SharedSamples.isShort(path: long))
        #expect(try SharedSamples.find(path: long, rate: 8000, mostSeconds: 60)?.samples.count == 248_000)
        let pipe = folder + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(try SharedSamples.find(path: pipe, rate: 8000) == nil && !SharedSamples.isShort(path: pipe))
        let none = folder + "/none.wav"
        #expect(try SharedSamples.find(path: none, rate: 8000) == nil && !SharedSamples.isShort(path: none))
        let text = folder + "/text.wav"
        try Data("no sound".utf8).write(to: URL(fileURLWithPath: text))
        #expect(throws: AudioFileError.self) { try SharedSamples.find(path: text, rate: 8000) }
        #expect(SharedSamples.isShort(path: try write("b.wav", seconds: 30)))
    }

    @Test("is played by each from its beginning to its end, or again and again")
    func plays() throws {
        defer { clean() }
        let shared = try #require(try SharedSamples.find(path: try write(seconds: 1), rate: 8000))
        let (once, again) = (SharedSamplesPlayer(shared), SharedSamplesPlayer(shared, repeats: true))
        #expect(take(again, 100) == Array(shared.samples[..<100]))
        #expect(take(once, 7990) == Array(shared.samples[..<7990]) && !once.isOver)
        #expect(take(once, 20) == Array(shared.samples[7990...]) && once.isOver && take(once, 20).isEmpty)
        #expect(take(again, 20_000) == Array((shared.samples + shared.samples + shared.samples)[100..<20_100]))
        #expect(!again.isOver)
    }

    @Test("that is empty is over, also where it would begin again")
    func empty() throws {
        defer { clean() }
        let player = SharedSamplesPlayer(SharedSamples([]), repeats: true)
        #expect(player.isOver && take(player, 10).isEmpty)
    }
}
