import AudioFiles
import CAudit
import Foundation
import LiveMedia
import Realtime
import Testing

@Suite("A recording") struct SignalWriterTests {
    private func temporaryPath() -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent("yodel-\(UUID().uuidString).wav").path
    }

    /// Both channels of a 16-bit stereo WAV as libsndfile writes it, from its bytes.
    private func channels(_ path: String) throws -> (left: [Int16], right: [Int16]) {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        var position = 12
        while position + 8 <= bytes.count {
            var length = 0
            for byte in bytes[(position + 4)..<(position + 8)].reversed() { length = length << 8 | Int(byte) }
            if bytes[position..<position + 4].elementsEqual("data".utf8) {
                var sides: [[Int16]] = [[], []]
                for index in 0..<min(length, bytes.count - position - 8) / 2 {
                    let low = UInt16(bytes[position + 8 + 2 * index])
                    let high = UInt16(bytes[position + 9 + 2 * index])
                    sides[index % 2].append(Int16(bitPattern: high << 8 | low))
                }
                return (sides[0], sides[1])
            }
            position += 8 + length + length % 2
        }
        throw CocoaError(.fileReadCorruptFile)
    }

    @Test("of channels of unequal length keeps them in step and fills the shorter one up at the end")
    func unequal() throws {
        let path = temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (writer, inlets) = try SignalWriter.open(path: path, sampleRate: 8000, channels: 2)
        for block in 0..<100 {
            inlets[0].add((0..<80).map { Float(block * 80 + $0) / 32768 })
            if block < 50 { inlets[1].add((0..<80).map { Float(-(block * 80 + $0)) / 32768 }) }
            if block % 7 == 0 { writer.drain() }
        }
        writer.finish()
        let (left, right) = try channels(path)
        let said: [Int16] = (0..<8000).map { Int16($0) }
        let answered: [Int16] = said.map { $0 < 4000 ? -$0 : 0 }
        #expect(left == said)
        #expect(right == answered)
        #expect(writer.failure == nil)
    }

    @Test("has the bytes that a file of the same samples has")
    func sameBytes() throws {
        let (path, other) = (temporaryPath(), temporaryPath())
        defer { for one in [path, other] { try? FileManager.default.removeItem(atPath: one) } }
        var random = SplitMix64(seed: 1)
        // Loud ones, and some too small for a bit; the edges first.
        let edges: [Float] = [1, -1, 1.5, -1.5, (1 as Float).nextDown, -1e-10, 0]
        let sides = (0..<2).map { _ in
            edges
                + (edges.count..<8000).map { _ in
                    Float.random(in: -1.1...1.1, using: &random) * exp2(-Float(random.next() % 40))
                }
        }
        let (writer, inlets) = try SignalWriter.open(path: path, sampleRate: 8000, channels: 2)
        for (inlet, side) in zip(inlets, sides) { inlet.add(side) }
        writer.finish()
        let file = try AudioFileWriter(path: other, sampleRate: 8000, channels: 2, format: .wav)
        try file.write((0..<16_000).map { sides[$0 % 2][$0 / 2] })
        file.finish()
        let (ours, theirs) = (try channels(path), try channels(other))
        #expect(ours.0 == theirs.0 && ours.1 == theirs.1 && ours.0.count == 8000)
    }

    @Test("of whose channels one stands still for long loses nothing of the other, and is in step when it goes on")
    func standingStill() throws {
        let path = temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (writer, inlets) = try SignalWriter.open(path: path, sampleRate: 8000, channels: 2)
        // Twenty seconds; the second channel has nothing from the fifth to the fifteenth.
        for block in 0..<200 {
            inlets[0].add([Float](repeating: 0.5, count: 800))
            if !(50..<150).contains(block) { inlets[1].add([Float](repeating: block < 50 ? 0.25 : 0.125, count: 800)) }
            writer.drain()
        }
        writer.finish()
        #expect(writer.failure == nil && inlets.allSatisfy { $0.dropped == 0 })
        let (left, right) = try channels(path)
        #expect(left.count == 160_000 && left.allSatisfy { $0 == 16_384 })
        #expect(right[..<40_000].allSatisfy { $0 == 8_192 })
        // It goes on where it belongs, to a tenth of a second.
        let resumed = try #require(right.firstIndex(of: 4_096))
        #expect(abs(resumed - 120_000) <= 800, "\(resumed)")
        #expect(right[40_000..<resumed].allSatisfy { $0 == 0 } && right[resumed..<159_200].allSatisfy { $0 == 4_096 })
    }

    @Test("that the disk cannot keep up with loses samples, counts them, and goes on")
    func overrun() throws {
        let path = temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (writer, inlets) = try SignalWriter.open(path: path, sampleRate: 8000, channels: 1)
        for _ in 0..<10 { inlets[0].add([Float](repeating: 0.5, count: 8000)) }
        let lost = inlets[0].dropped
        #expect(lost > 0 && lost < 80_000)
        writer.drain()
        inlets[0].add([Float](repeating: 0.25, count: 800))
        #expect(inlets[0].dropped == lost)
        writer.finish()
        #expect(try AudioFileReader.samples(path: path, rate: 8000).count == 80_000 - lost + 800)
    }

    @Test("on a disk that fills up ends with a reason; what was written before stays playable")
    func diskFillsUp() throws {
        // A file in memory that is forbidden to grow from some moment on stands for the disk.
        let descriptor = limited_file_open()
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let path = "/proc/self/fd/\(descriptor)"
        let (writer, inlets) = try SignalWriter.open(path: path, sampleRate: 8000, channels: 1)
        func second(_ level: Float) {
            inlets[0].add([Float](repeating: level, count: 8000))
            writer.drain()
        }
        for _ in 0..<3 { second(0.5) }
        #expect(writer.failure == nil)
        try #require(limited_file_fill(descriptor))
        for _ in 0..<10 { second(0.25) }
        writer.finish()
        let failure = try #require(writer.failure)
        #expect(failure.path == path && !failure.reason.isEmpty)
        let kept = try AudioFileReader.samples(path: path, rate: 8000)
        #expect(kept.count >= 20_000 && kept.count <= 24_000, "\(kept.count)")
        #expect(kept.allSatisfy { $0 == 0.5 })
    }

    @Test("on a full disk is refused at once")
    func fullDisk() {
        do {
            _ = try SignalWriter.open(path: "/dev/full", sampleRate: 8000, channels: 1)
            Issue.record("a full disk took the file's header")
        } catch {
            guard case .recording("/dev/full", let reason) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(!reason.isEmpty)
        }
    }

    @Test("that cannot be made says where and why")
    func nowhere() {
        do {
            _ = try Recorder(path: "/nowhere/call.wav", sampleRate: 8000)
            Issue.record("a file was made in a folder that is not there")
        } catch {
            guard case .recording(let path, let reason) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(path == "/nowhere/call.wav" && !reason.isEmpty)
        }
    }
}
