/// How one sample is stored.
@frozen
public enum SampleType: UInt8, Sendable, CaseIterable, BitwiseCopyable {
    /// IEEE 754 single precision, full scale -1 ..< 1.
    case float32
    /// Signed 16 bit, native byte order.
    case int16
    /// Signed 24 bit in three bytes without padding, native byte order.
    case int24
    /// Signed 32 bit, native byte order.
    case int32
    /// Signed fixed point with 8 integer and 24 fraction bits: full scale is ±2^24, headroom 42 dB.
    case fixed824

    /// Size of one sample, in bytes.
    public var bytes: Int {
        @_noLocks get {
            switch self {
            case .int16: 2
            case .int24: 3
            case .float32, .int32, .fixed824: 4
            }
        }
    }

    /// Whether it is Float32; a derived `==` is not fit for render threads.
    var isFloat: Bool {
        @_noLocks get {
            switch self {
            case .float32: true
            case .int16, .int24, .int32, .fixed824: false
            }
        }
    }
}

/// Linear PCM: rate, channels and layout of a stream.
@frozen
public struct StreamFormat: Sendable, Equatable, BitwiseCopyable {
    /// Frames a second, 4,000 ... 384,000.
    public var sampleRate: Double
    /// Channels, 1 ... 8.
    public var channels: Int
    /// Storage of one sample.
    public var sampleType: SampleType
    /// True: the samples of a frame lie side by side. False: each channel is a run of its own.
    public var interleaved: Bool

    /// Float32, mono by default, one run a channel: the format that this package's signal code speaks.
    @_noLocks
    public init(
        sampleRate: Double, channels: Int = 1, sampleType: SampleType = .float32, interleaved: Bool = false
    ) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.sampleType = sampleType
        self.interleaved = interleaved
    }

    /// Rates any unit accepts, in Hz.
    public static let sampleRates: ClosedRange<Double> = 4_000...384_000
    /// Channel counts any unit accepts.
    public static let channelCounts: ClosedRange<Int> = 1...8

    /// Bytes from one sample to the next of the same channel.
    public var sampleStride: Int {
        @_noLocks get { interleaved ? sampleType.bytes &* channels : sampleType.bytes }
    }

    /// Bytes that `frames` frames of all channels take.
    @_noLocks
    public func byteCount(frames: Int) -> Int { frames &* channels &* sampleType.bytes }

    /// Throws `formatUnsupported` unless rate and channel count are within the ranges and the rate is a whole number.
    func validate() throws(AudioUnitError) {
        guard Self.sampleRates.contains(sampleRate), sampleRate == sampleRate.rounded() else {
            throw .formatUnsupported(self, reason: "the sample rate must be a whole number from 4000 to 384000 Hz")
        }
        guard Self.channelCounts.contains(channels) else {
            throw .formatUnsupported(self, reason: "1 to 8 channels")
        }
    }
}
