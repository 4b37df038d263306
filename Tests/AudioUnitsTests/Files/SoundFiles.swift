import AudioFiles
import AudioUnits
import Foundation

/// A folder of audio files that goes away with the test.
final class SoundFiles {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sound-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Writes frames of a function of frame and channel, as Float32 where the format can.
    @discardableResult
    func write(
        _ name: String, frames: Int, rate: Int = 48_000, channels: Int = 1, _ function: (Int, Int) -> Float
    ) throws -> String {
        let writer = try AudioFileWriter(path: path(name), sampleRate: rate, channels: channels, depth: .float32)
        try writer.write((0..<frames).flatMap { frame in (0..<channels).map { function(frame, $0) } })
        if let error = writer.finish() { throw error }
        return path(name)
    }

    /// All samples of a file, interleaved.
    func read(_ name: String) throws -> [Float] {
        let reader = try AudioFileReader(path: path(name), channels: nil)
        return reader.read(maximumFrames: 10_000_000)
    }
}

/// Samples that tell where they are from: no two nearby frames are alike.
func numbered(_ frame: Int, _ channel: Int = 0) -> Float {
    Float((frame &* 7_919 &+ channel &* 104_729) % 65_536 - 32_768) / 65_536
}

extension GenericOutput {
    /// `pull`, with the application filling the players before each slice.
    func pull(_ frames: Int, slices: [Int] = [480], filling players: [FilePlayer]) throws -> [[Float]] {
        var all: [[Float]] = []
        var (done, turn) = (0, 0)
        while done < frames {
            let count = min(slices[turn % slices.count], frames - done)
            for player in players { player.fill() }
            let part = try pull(count, slices: [count])
            all = all.isEmpty ? part : zip(all, part).map { $0 + $1 }
            done += count
            turn += 1
        }
        return all
    }
}
