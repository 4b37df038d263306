import Glibc

/// Follows a clock that runs a little faster or slower than ours: a fractional interpolator whose ratio may change with
/// every call.
///
/// Windowed sinc of 16 taps and 256 phases with linear interpolation between phases; made for ratios within about 1 % of
/// 1, where it needs no anti-alias filter. SpeexDSP's resampler must not be used for this: its rational arithmetic
/// overflows on moving ratios.
public struct DriftResampler: Sendable {
    /// Taps of the interpolator.
    public static let taps = 16
    private static let phases = 256

    /// Output samples for each input sample, about 1.
    public var ratio = 1.0
    private let table: [Float]
    private var history: [Float]
    private var position = 0.0

    /// Delay in input samples.
    public static var latencySamples: Int { taps / 2 }

    public init() {
        var table = [Float](repeating: 0, count: (Self.phases + 1) * Self.taps)
        for phase in 0...Self.phases {
            let fraction = Double(phase) / Double(Self.phases)
            var sum = 0.0
            var row = [Double](repeating: 0, count: Self.taps)
            for tap in 0..<Self.taps {
                let x = Double(tap - Self.taps / 2 + 1) - fraction
                let sinc = x == 0 ? 1 : sin(.pi * x) / (.pi * x)
                let window = cos(.pi * x / Double(Self.taps))
                row[tap] = abs(x) >= Double(Self.taps) / 2 ? 0 : sinc * window * window
                sum += row[tap]
            }
            for tap in 0..<Self.taps { table[phase * Self.taps + tap] = Float(row[tap] / sum) }
        }
        self.table = table
        history = [Float](repeating: 0, count: Self.taps)
    }

    /// Converts as much as goes in and out.
    /// - Returns: input samples used and output samples made.
    public mutating func process(
        _ input: UnsafePointer<Float>, count: Int, into output: UnsafeMutablePointer<Float>, capacity: Int
    ) -> (consumed: Int, produced: Int) {
        var consumed = 0
        var produced = 0
        let step = 1 / ratio
        while produced < capacity {
            while position >= 1 {
                guard consumed < count else { return (consumed, produced) }
                history.removeFirst()
                history.append(input[consumed])
                consumed += 1
                position -= 1
            }
            output[produced] = interpolate()
            produced += 1
            position += step
        }
        return (consumed, produced)
    }

    private func interpolate() -> Float {
        let scaled = position * Double(Self.phases)
        let phase = Int(scaled)
        let between = Float(scaled - Double(phase))
        let row = phase * Self.taps
        var low: Float = 0
        var high: Float = 0
        for tap in 0..<Self.taps {
            low += history[tap] * table[row + tap]
            high += history[tap] * table[row + Self.taps + tap]
        }
        return low + (high - low) * between
    }
}
