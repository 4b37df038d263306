/// A join inside a stretch of sound: it leaves at the origin and goes on `shift` samples further (shorter sound) or
/// earlier (longer sound). Accelerate, Decelerate and Merge differ only in how they choose it.
package enum Splice {
    /// Raised-cosine cross-fade of `count` samples from `old` to `new`.
    static func crossFade(
        from old: UnsafePointer<Float>, to new: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>,
        count: Int
    ) {
        guard count > 0 else { return }
        let step = 1 / Float(count + 1)
        var index = 0
        while index &+ 8 <= count {
            let place: SIMD8<Float> = (SIMD8(repeating: Float(index)) + steps) * step
            let (from, to) = (vector(old + index), vector(new + index))
            let mixed: SIMD8<Float> = from + gain(place) * (to - from)
            UnsafeMutableRawPointer(output + index).storeBytes(of: mixed, as: SIMD8<Float>.self)
            index &+= 8
        }
        while index < count {
            let place = SIMD8<Float>(repeating: Float(index &+ 1) * step)
            output[index] = old[index] + gain(place)[0] * (new[index] - old[index])
            index &+= 1
        }
    }

    private static var steps: SIMD8<Float> { SIMD8(1, 2, 3, 4, 5, 6, 7, 8) }

    @inline(__always)
    private static func vector(_ samples: UnsafePointer<Float>) -> SIMD8<Float> {
        UnsafeRawPointer(samples).loadUnaligned(as: SIMD8<Float>.self)
    }

    /// Half a raised cosine, 0 at 0 and 1 at 1: the series of the sine about the middle, to 1e-7.
    @inline(__always)
    private static func gain(_ place: SIMD8<Float>) -> SIMD8<Float> {
        let x: SIMD8<Float> = (place - 0.5) * Float.pi
        let square: SIMD8<Float> = x * x
        // 1 / 11!, 1 / 9!, 1 / 7! and so on, signs in turn.
        var series: SIMD8<Float> = square * -2.505_210_8e-8 + 2.755_731_9e-6
        series = square * series - 1.984_127e-4
        series = square * series + 8.333_333e-3
        series = square * series - 0.166_666_67
        series = square * series + 1
        return x * series * 0.5 + 0.5
    }

    /// Writes `origin[0..<count]` shortened by `shift` samples (negative: lengthened) to `output`.
    /// - Parameter fade: cross-fade in samples; `shift + fade <= count`.
    /// - Returns: samples written, `count - shift`.
    package static func apply(
        origin: UnsafePointer<Float>, count: Int, shift: Int, fade: Int, into output: UnsafeMutablePointer<Float>
    ) -> Int {
        crossFade(from: origin, to: origin + shift, into: output, count: fade)
        let rest = count - shift - fade
        (output + fade).update(from: origin + (shift + fade), count: rest)
        return count - shift
    }
}

/// A join that was chosen.
package struct SplicePlan: Equatable {
    package var shift: Int
    package var fade: Int
}
