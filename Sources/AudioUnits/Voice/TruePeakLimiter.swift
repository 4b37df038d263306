import DSP
import Glibc

/// Keeps true peaks under -1 dBTP without adding delay: a block is looked at as a whole, so that the gain is down before a peak
/// comes, and only at a block's first samples may it have to fall at once.
///
/// Peaks between samples are found by four times oversampling (ITU-R BS.1770-4 annex 2).
package struct TruePeakLimiter: ~Copyable {
    private var meter: TruePeakMeter
    private let peaks: UnsafeMutablePointer<Float>
    private let gains: UnsafeMutablePointer<Float>
    private let blockFrames: Int
    /// How much of the way back to 1 the gain recovers each sample, and how much it may fall.
    private let release: Float
    private let slope: Float
    private let ceiling: Float
    /// Gain at the end of the last block.
    package private(set) var gain: Float = 1

    /// - Parameters:
    ///   - blockFrames: the length of every block, 12 ... 65,536.
    ///   - sampleRate: in Hz, one of voice processing's.
    package init(
        blockFrames: Int, sampleRate: Double, tuning: LimiterTuning = LimiterTuning()
    ) throws(AudioUnitError) {
        guard VoiceProcessingIO.sampleRates.contains(sampleRate) else {
            throw .outOfRange(setting: "limiter sample rate", allowed: "8000 to 48000")
        }
        guard 12...65_536 ~= blockFrames else { throw .outOfRange(setting: "limiter block", allowed: "12 to 65536") }
        meter = TruePeakMeter(largestBlock: blockFrames)
        self.blockFrames = blockFrames
        peaks = .allocate(capacity: blockFrames)
        peaks.initialize(repeating: 0, count: blockFrames)
        gains = .allocate(capacity: blockFrames)
        gains.initialize(repeating: 1, count: blockFrames)
        release = Float(1 / (tuning.release * sampleRate))
        slope = Float(1 / (tuning.slope * sampleRate))
        ceiling = sampleRate < 12_000 ? tuning.lowRateCeiling : tuning.ceiling
    }

    deinit {
        peaks.deallocate()
        gains.deallocate()
    }

    /// Limits a block in place; what is no number becomes silence. Longer blocks than agreed are limited as far as that.
    @_noLocks
    package mutating func process(_ block: UnsafeMutablePointer<Float>, count: Int) {
        let count = count < blockFrames ? count : blockFrames
        for index in 0..<count where !(block[index].magnitude < 1e6) { block[index] = 0 }
        let hasPeaks = meter.process(block, count: count, threshold: ceiling, into: peaks)
        // Recovered to within 0.001 dB.
        if !hasPeaks && gain > 0.9999 {
            gain = 1
            return
        }
        for index in 0..<count {
            gain += (1 - gain) * release
            let magnitude = block[index].magnitude
            if magnitude * gain > ceiling { gain = ceiling / magnitude }
            gains[index] = gain
        }
        if hasPeaks { lowerBetweenSamples(count) }
        lookAhead(count)
        for index in 0..<count { block[index] *= gains[index] }
    }

    /// Lowers the gain of both samples around each peak that lies between them.
    @_noLocks
    private mutating func lowerBetweenSamples(_ count: Int) {
        var recovered: Float = 1
        for index in 0..<count {
            let sample = index &- TruePeakMeter.delay
            guard sample >= -1 else { continue }
            var limit: Float = 1
            if peaks[index] > ceiling { limit = ceiling / peaks[index] }
            recovered += (1 - recovered) * release
            recovered = limit < recovered ? limit : recovered
            if sample >= 0, gains[sample] > recovered { gains[sample] = recovered }
            if gains[sample &+ 1] > recovered { gains[sample &+ 1] = recovered }
        }
        // The samples after the last one that was looked at go on from there.
        for index in max(0, count &- TruePeakMeter.delay)..<count {
            recovered += (1 - recovered) * release
            if gains[index] > recovered { gains[index] = recovered }
        }
        gain = gains[count &- 1]
    }

    /// From the end on, no gain is higher than a gentle slope down to the next allows.
    @_noLocks
    private func lookAhead(_ count: Int) {
        var next = gains[count &- 1]
        var index = count &- 2
        while index >= 0 {
            let most = next + slope
            if gains[index] > most { gains[index] = most }
            next = gains[index]
            index &-= 1
        }
    }
}
