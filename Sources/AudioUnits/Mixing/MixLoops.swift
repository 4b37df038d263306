/// The inner loops of mixers: add with a gain, and measure in the same pass while the samples are at hand.
enum MixLoops {
    /// Sum of squares and largest magnitude of some samples.
    struct Measure: BitwiseCopyable {
        var power: Float = 0
        var peak: Float = 0

        @_noLocks
        init() {}

        @_noLocks @inline(__always)
        mutating func add(_ sample: Float) {
            power += sample * sample
            let magnitude = sample < 0 ? -sample : sample
            if magnitude > peak { peak = magnitude }
        }

        @_noLocks @inline(__always)
        init(powers: Vector, peaks: Vector) {
            for lane in 0..<8 {
                power += powers[lane]
                if peaks[lane] > peak { peak = peaks[lane] }
            }
        }
    }

    @_noLocks @inline(__always)
    private static func highest(_ peaks: Vector, _ samples: Vector) -> Vector {
        let magnitudes = samples.replacing(with: -samples, where: samples .< 0)
        return peaks.replacing(with: magnitudes, where: magnitudes .> peaks)
    }

    /// `target` += `gain` · `source`; measures the source.
    @_noLocks
    static func add(
        _ source: UnsafeMutablePointer<Float>, gain: Float, to target: UnsafeMutablePointer<Float>, frames: Int
    ) -> Measure {
        var powers = Vector()
        var peaks = Vector()
        let vectors = frames / 8
        for index in 0..<vectors {
            let samples = source.vector(index)
            target.setVector(index, target.vector(index) + samples * gain)
            powers += samples * samples
            peaks = highest(peaks, samples)
        }
        var measure = Measure(powers: powers, peaks: peaks)
        for index in (vectors &* 8)..<frames {
            target[index] += source[index] * gain
            measure.add(source[index])
        }
        return measure
    }

    /// `left` += `leftGain` · `source` and `right` += `rightGain` · `source`; measures the source.
    @_noLocks
    static func spread(
        _ source: UnsafeMutablePointer<Float>, leftGain: Float, rightGain: Float,
        left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>, frames: Int
    ) -> Measure {
        var powers = Vector()
        var peaks = Vector()
        let vectors = frames / 8
        for index in 0..<vectors {
            let samples = source.vector(index)
            left.setVector(index, left.vector(index) + samples * leftGain)
            right.setVector(index, right.vector(index) + samples * rightGain)
            powers += samples * samples
            peaks = highest(peaks, samples)
        }
        var measure = Measure(powers: powers, peaks: peaks)
        for index in (vectors &* 8)..<frames {
            left[index] += source[index] * leftGain
            right[index] += source[index] * rightGain
            measure.add(source[index])
        }
        return measure
    }

    /// Measures alone.
    @_noLocks
    static func measure(_ source: UnsafeMutablePointer<Float>, frames: Int) -> Measure {
        var powers = Vector()
        var peaks = Vector()
        let vectors = frames / 8
        for index in 0..<vectors {
            let samples = source.vector(index)
            powers += samples * samples
            peaks = highest(peaks, samples)
        }
        var measure = Measure(powers: powers, peaks: peaks)
        for index in (vectors &* 8)..<frames { measure.add(source[index]) }
        return measure
    }

    /// `target` = `gain` · `source`.
    @_noLocks
    static func scale(
        _ source: UnsafeMutablePointer<Float>, gain: Float, into target: UnsafeMutablePointer<Float>, frames: Int
    ) {
        let vectors = frames / 8
        for index in 0..<vectors { target.setVector(index, source.vector(index) * gain) }
        for index in (vectors &* 8)..<frames { target[index] = source[index] * gain }
    }
}
