public import AudioUnits
import DSP
import Glibc

/// Whole files of one voice: WAV by its name's end, else raw mono signed 16-bit little endian samples.
public enum MonoAudioFile {
    /// An hour at 48 kHz and 16 bits.
    private static let longestBytes = 48_000 * 2 * 3600

    /// Reads all of `path` as samples at `rate` Hz.
    /// - Parameter rawRate: rate of a raw file in Hz.
    /// - Throws: `DeviceError.file` when it cannot be read, is longer than an hour or has a rate that cannot be converted.
    public static func read(_ path: String, rawRate: Int, rate: Int) throws(DeviceError) -> [Float] {
        if path.hasSuffix(".wav") { return try AudioFileReader.samples(path: path, rate: rate) }
        let bytes = try contents(of: path)
        let samples = bytes.withUnsafeBytes { bytes in
            (0..<bytes.count / 2).map {
                SampleConversion.toFloat(
                    Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * $0, as: Int16.self)))
            }
        }
        return try converted(samples, from: rawRate, to: rate, path: path)
    }

    /// Writes `samples` at `rate` Hz as a file at `fileRate` Hz.
    public static func write(
        _ samples: [Float], at rate: Int, to path: String, fileRate: Int
    ) throws(DeviceError) {
        let samples = try converted(samples, from: rate, to: fileRate, path: path)
        if path.hasSuffix(".wav") {
            let writer = try WAVWriter(path: path, sampleRate: fileRate)
            try writer.write(samples)
            return writer.finish()
        }
        var bytes = [UInt8](repeating: 0, count: 2 * samples.count)
        for (index, sample) in samples.enumerated() {
            let value = UInt16(bitPattern: SampleConversion.toInt16(sample))
            bytes[2 * index] = UInt8(truncatingIfNeeded: value)
            bytes[2 * index + 1] = UInt8(truncatingIfNeeded: value >> 8)
        }
        try write(bytes, to: path)
    }

    /// Writes `text` as the whole of a file.
    public static func write(text: String, to path: String) throws(DeviceError) { try write(Array(text.utf8), to: path) }

    private static func contents(of path: String) throws(DeviceError) -> [UInt8] {
        guard let file = fopen(path, "re") else { throw failure(path) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { break }
            bytes += chunk[..<count]
            if bytes.count > longestBytes { throw .file(path: path, reason: "it is longer than an hour") }
        }
        if ferror(file) != 0 { throw failure(path) }
        return bytes
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(DeviceError) {
        guard let file = fopen(path, "we") else { throw failure(path) }
        let written = fwrite(bytes, 1, bytes.count, file)
        let reason = written == bytes.count ? nil : failure(path)
        let closed = fclose(file)
        if let reason { throw reason }
        if closed != 0 { throw failure(path) }
    }

    private static func failure(_ path: String) -> DeviceError {
        .file(path: path, reason: String(cString: strerror(errno)))
    }

    /// In one go, without the converter's own delay.
    private static func converted(
        _ samples: [Float], from: Int, to rate: Int, path: String
    ) throws(DeviceError) -> [Float] {
        guard from != rate else { return samples }
        let resampler: Resampler
        do { resampler = try Resampler(from: from, to: rate, quality: 7) } catch {
            throw .file(path: path, reason: "its rate \(from) Hz cannot become \(rate) Hz")
        }
        let wanted = samples.count * rate / from
        let skip = resampler.latencySamples
        let input = samples + [Float](repeating: 0, count: (skip + 2) * from / rate + 64)
        var output = [Float](repeating: 0, count: wanted + skip)
        var (consumed, produced) = (0, 0)
        input.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                guard let source = input.baseAddress, let target = output.baseAddress else { return }
                while produced < output.count {
                    let step = resampler.process(
                        source + consumed, count: min(4096, input.count - consumed), into: target + produced,
                        capacity: output.count - produced)
                    if step.consumed == 0, step.produced == 0 { break }
                    consumed += step.consumed
                    produced += step.produced
                }
            }
        }
        return Array(output[skip...])
    }
}
