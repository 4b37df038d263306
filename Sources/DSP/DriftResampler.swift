/// Follows a clock that runs a little faster or slower than ours: a fractional interpolator whose ratio may change with
/// every call.
///
/// A `FractionalInterpolator` over a stream; made for ratios within about 1 % of 1, where it needs no anti-alias filter.
/// SpeexDSP's resampler must not be used for this: its rational arithmetic overflows on moving ratios.
public struct DriftResampler: BitwiseCopyable, Sendable {
    /// Taps of the interpolator.
    public static let taps = 16
    /// The ratios that are followed.
    public static var allowedRatios: ClosedRange<Double> { leastRatio...greatestRatio }
    private static var leastRatio: Double { @_noLocks get { 0.5 } }
    private static var greatestRatio: Double { @_noLocks get { 2 } }
    /// Delay in input samples.
    public static var latencySamples: Int { taps / 2 }

    /// Output samples for each input sample, about 1. Outside of `allowedRatios` the nearest of them is taken; what is
    /// not a number changes nothing.
    public var ratio: Double {
        @_noLocks get { storedRatio }
        @_noLocks set {
            guard newValue == newValue else { return }
            storedRatio =
                newValue < Self.leastRatio ? Self.leastRatio : newValue > Self.greatestRatio ? Self.greatestRatio : newValue
        }
    }

    private let interpolator = FractionalInterpolator()
    private var storedRatio = 1.0
    /// The last `taps` input samples twice over, so that they lie in a row from `oldest` on wherever that is.
    private var history = InlineArray<32, Float>(repeating: 0)
    private var oldest = 0
    /// Where the next output lies after the history's middle, in input samples.
    private var position = 1.0

    /// Starts with silence inside.
    public init() {}

    /// Converts as much as goes in and out.
    /// - Returns: input samples used and output samples made.
    @_noLocks
    public mutating func process(
        _ input: UnsafePointer<Float>, count: Int, into output: UnsafeMutablePointer<Float>, capacity: Int
    ) -> (consumed: Int, produced: Int) {
        var consumed = 0
        var produced = 0
        let step = 1 / storedRatio
        while produced < capacity {
            while position >= 1 {
                guard consumed < count else { return (consumed, produced) }
                history[oldest] = input[consumed]
                history[oldest + 16] = input[consumed]
                oldest = (oldest + 1) & 15
                consumed += 1
                position -= 1
            }
            output[produced] = withUnsafePointer(to: history) { start in
                let samples = UnsafeRawPointer(start).assumingMemoryBound(to: Float.self)
                return interpolator.value(samples + oldest, fraction: position)
            }
            produced += 1
            position += step
        }
        return (consumed, produced)
    }
}
