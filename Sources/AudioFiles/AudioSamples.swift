import DSP
import Glibc

/// Whole mono files, as `yodel process` and `yodel replay` read and write them: what libsndfile knows when the name ends in
/// `.wav`, else raw signed 16-bit little-endian samples without a header.
public enum AudioSamples {
    /// Longest file, in seconds: it is held in memory.
    public static let maximumSeconds = 3600.0

    /// All samples at `rate` Hz, converted if the file has another rate.
    ///
    /// - `rawRate`: rate of a raw file in Hz; nil: `rate`.
    /// - Throws: when it is missing, empty, too long, or its bytes make no whole samples.
    public static func read(path: String, rate: Int, rawRate: Int? = nil) throws(AudioFileError) -> [Float] {
        let samples =
            isWAV(path)
            ? try AudioFileReader.samples(path: path, rate: rate, maximumSeconds: maximumSeconds)
            : try converted(readRaw(path, rate: rawRate ?? rate), from: rawRate ?? rate, to: rate, path)
        if samples.isEmpty { throw AudioFileError(path: path, reason: "it holds no samples") }
        return samples
    }

    /// Writes all samples, clipped to -1 ..< 1.
    ///
    /// - `fileRate`: rate of the file in Hz; nil: `rate`, that of the samples.
    /// - Throws: when it cannot be written whole.
    public static func write(
        _ samples: [Float], path: String, rate: Int, fileRate: Int? = nil
    ) throws(AudioFileError) {
        let samples = try converted(samples, from: rate, to: fileRate ?? rate, path)
        if isWAV(path) {
            let writer = try AudioFileWriter(path: path, sampleRate: fileRate ?? rate)
            try writer.write(samples)
            if let error = writer.finish() { throw error }
        } else {
            try writeRaw(samples, path)
        }
    }

    private static func converted(
        _ samples: [Float], from: Int, to rate: Int, _ path: String
    ) throws(AudioFileError) -> [Float] {
        do { return try Resampler.whole(samples, from: from, to: rate) } catch {
            throw AudioFileError(path: path, reason: "its rate \(from) Hz cannot become \(rate) Hz")
        }
    }

    private static func isWAV(_ path: String) -> Bool { path.lowercased().hasSuffix(".wav") }

    private static func readRaw(_ path: String, rate: Int) throws(AudioFileError) -> [Float] {
        guard let file = fopen(path, "rbe") else { throw failure(path) }
        defer { fclose(file) }
        let limit = Int(maximumSeconds) * rate
        var samples: [Float] = []
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&bytes, 1, bytes.count, file)
            guard count > 0 else { break }
            for index in 0..<count / 2 {
                let value = UInt16(bytes[2 * index]) | UInt16(bytes[2 * index + 1]) << 8
                samples.append(SampleConversion.toFloat(Int16(bitPattern: value)))
            }
            // A short read is the end: the buffer's size is even, so only the last one can leave half a sample.
            guard count % 2 == 0 else {
                throw AudioFileError(path: path, reason: "an odd number of bytes, which is no raw 16-bit audio")
            }
            guard samples.count <= limit else {
                throw AudioFileError(path: path, reason: "it is longer than \(maximumSeconds) s")
            }
        }
        if ferror(file) != 0 { throw failure(path) }
        return samples
    }

    private static func writeRaw(_ samples: [Float], _ path: String) throws(AudioFileError) {
        let values = samples.map { SampleConversion.toInt16($0).littleEndian }
        try values.withUnsafeBufferPointer { values throws(AudioFileError) in
            try WholeFile.write(UnsafeRawBufferPointer(values), path: path)
        }
    }

    private static func failure(_ path: String) -> AudioFileError {
        AudioFileError(path: path, reason: String(cString: strerror(errno)))
    }
}
