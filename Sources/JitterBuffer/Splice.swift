import Glibc

/// A join inside a stretch of sound: it leaves at the origin and goes on `shift` samples further (shorter sound) or
/// earlier (longer sound). Accelerate, Decelerate and Merge differ only in how they choose it.
package enum Splice {
    /// Raised-cosine cross-fade of `count` samples from `old` to `new`.
    static func crossFade(
        from old: UnsafePointer<Float>, to new: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>,
        count: Int
    ) {
        guard count > 0 else { return }
        let step = Float.pi / Float(count + 1)
        for index in 0..<count {
            let gain = 0.5 - 0.5 * cosf(step * Float(index + 1))
            output[index] = old[index] + gain * (new[index] - old[index])
        }
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
