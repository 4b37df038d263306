import AudioFiles
import Foundation
import TestSignals

/// A folder of audio files that goes away with the test.
final class MediaFiles {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("media-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// A sine of half of full scale.
    @discardableResult
    func tone(_ name: String, seconds: Double, hertz: Double = 500, rate: Int = 48_000, channels: Int = 1) throws -> String {
        let writer = try AudioFileWriter(path: path(name), sampleRate: rate, channels: channels)
        try writer.write(
            (0..<Int(seconds * Double(rate))).flatMap { frame in
                [Float](repeating: 0.5 * Float(sin(2 * .pi * hertz * Double(frame) / Double(rate))), count: channels)
            })
        if let error = writer.finish() { throw error }
        return path(name)
    }

    /// Noise, which no encoder makes small.
    @discardableResult
    func noise(_ name: String, seconds: Double, rate: Int = 48_000) throws -> String {
        let writer = try AudioFileWriter(path: path(name), sampleRate: rate)
        var state: UInt32 = 1
        try writer.write(
            (0..<Int(seconds * Double(rate))).map { _ in
                state = state &* 1_664_525 &+ 1_013_904_223
                return Float(Int32(bitPattern: state)) / 4_294_967_296
            })
        if let error = writer.finish() { throw error }
        return path(name)
    }

    @discardableResult
    func write(_ name: String, _ data: Data) throws -> String {
        try data.write(to: URL(fileURLWithPath: path(name)))
        return path(name)
    }

    func data(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(name))) }

    /// All samples, interleaved.
    func samples(_ name: String) throws -> [Float] {
        try AudioFileReader(path: path(name), channels: nil).read(maximumFrames: 10_000_000)
    }
}

/// The events of a program's output.
func events(_ ending: Ending) throws -> [[String: Any]] {
    try ending.output.split(separator: "\n").map {
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
    }
}

/// Part of the power of a sound at 48 kHz that lies at `hertz`, 0...1.
func part(_ samples: some Collection<Float>, at hertz: Double) -> Double {
    tonePart(samples, frequency: hertz, rate: 48_000)
}
