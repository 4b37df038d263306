/// Sound to be played by an `AudioQueue`: filled once, then only read. The same one may be enqueued several times.
///
/// Sendable: immutable after init.
public final class AudioQueueBuffer: @unchecked Sendable {
    /// How the samples lie there; channels that are not interleaved are runs of `frames` samples each.
    public let format: StreamFormat
    /// Frames in it.
    public let frames: Int
    let data: UnsafeMutableRawPointer

    /// Frames a buffer may have.
    public static let frameCounts = 1...16_777_216

    /// A buffer of zeros that `fill` writes to.
    public init(
        format: StreamFormat, frames: Int, fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(AudioUnitError) {
        try format.validate()
        guard Self.frameCounts.contains(frames) else {
            throw .outOfRange(setting: "frames of a buffer", allowed: "1 to 16777216")
        }
        self.format = format
        self.frames = frames
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: format.byteCount(frames: frames), alignment: 16)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        fill(bytes)
        data = bytes.baseAddress ?? UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 16)
    }

    /// A mono buffer of these samples, full scale -1 ..< 1.
    public convenience init(_ samples: [Float], sampleRate: Double = 48_000) throws(AudioUnitError) {
        try self.init(format: StreamFormat(sampleRate: sampleRate), frames: samples.count) { target in
            samples.withUnsafeBytes { target.copyMemory(from: $0) }
        }
    }

    deinit { data.deallocate() }
}
