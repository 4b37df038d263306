import Glibc

/// The true peak of a signal, between its samples too: four times oversampled as ITU-R BS.1770-4 annex 2 has it, by a windowed
/// sinc of 12 taps a phase.
///
/// Sees a peak six samples late, when the samples after it are there.
package struct TruePeakMeter: ~Copyable {
    /// Samples between a peak and its detection.
    package static var delay: Int { @_noLocks get { taps / 2 } }
    private static var taps: Int { @_noLocks get { 12 } }
    private static var phases: Int { @_noLocks get { 4 } }

    /// Three phases of 12 taps; the fourth would be the samples themselves.
    private let coefficients: UnsafeMutablePointer<Float>
    private let largestBlock: Int
    /// 11 samples of the past, then the block.
    private let window: UnsafeMutablePointer<Float>
    /// The largest magnitude among the samples of the past.
    private var pastPeak: Float = 0

    /// - Parameter largestBlock: most samples of a block, at least 12.
    package init(largestBlock: Int) {
        self.largestBlock = max(largestBlock, Self.taps)
        coefficients = .allocate(capacity: (Self.phases - 1) * Self.taps)
        window = .allocate(capacity: self.largestBlock + Self.taps - 1)
        window.initialize(repeating: 0, count: self.largestBlock + Self.taps - 1)
        let half = Double(Self.taps) / 2
        for phase in 1..<Self.phases {
            let row = coefficients + (phase - 1) * Self.taps
            var sum: Float = 0
            for tap in 0..<Self.taps {
                // Time from this tap to the point between samples `half - 1` and `half`.
                let t = Double(tap) - (half - 1) - Double(phase) / Double(Self.phases)
                let cosine = cos(.pi * t / (2 * half))
                let value = Float(sin(.pi * t) / (.pi * t) * cosine * cosine)
                (row + tap).initialize(to: value)
                sum += value
            }
            for tap in 0..<Self.taps { row[tap] /= sum }
        }
    }

    deinit {
        coefficients.deallocate()
        window.deallocate()
    }

    /// Writes to `peaks[i]` the largest magnitude at and right after sample `i - 6` of the block, for i in 0..<count; a negative
    /// index is a sample of the block before.
    ///
    /// Returns false, and writes nothing, when no peak can reach `threshold`: that is known without oversampling.
    @_noLocks
    package mutating func process(
        _ block: UnsafePointer<Float>, count: Int, threshold: Float, into peaks: UnsafeMutablePointer<Float>
    ) -> Bool {
        let count = count < largestBlock ? count : largestBlock
        let past = Self.taps &- 1
        var peak: Float = 0
        for index in 0..<count {
            window[past &+ index] = block[index]
            peak = block[index].magnitude > peak ? block[index].magnitude : peak
        }
        let isQuiet = !(max(peak, pastPeak) * Self.mostOvershoot > threshold)
        if !isQuiet {
            for index in 0..<count { peaks[index] = between(index) }
        }
        pastPeak = 0
        for index in 0..<past {
            window[index] = window[index &+ count]
            pastPeak = window[index].magnitude > pastPeak ? window[index].magnitude : pastPeak
        }
        return !isQuiet
    }

    /// No signal of magnitude 1 makes the filters exceed this: the sum of their coefficients' magnitudes is 1.9.
    private static var mostOvershoot: Float { @_noLocks get { 2 } }

    /// The largest magnitude in the middle of the 12 samples from `first` on.
    @_noLocks
    private func between(_ first: Int) -> Float {
        let middle = Self.taps / 2 &- 1
        var peak = window[first &+ middle].magnitude
        for phase in 0..<Self.phases &- 1 {
            var sum: Float = 0
            for tap in 0..<Self.taps { sum += window[first &+ tap] * coefficients[phase &* Self.taps &+ tap] }
            peak = sum.magnitude > peak ? sum.magnitude : peak
        }
        return peak
    }
}
