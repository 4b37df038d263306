/// Normalised cross-correlation of two stretches, and the search for the most similar one.
enum Similarity {
    /// Correlation in -1...1; silence against silence is 1, since any join fits there.
    /// - Parameter step: 1 uses all samples, more thins them out for a coarse search.
    static func correlation(
        _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, count: Int, step: Int = 1
    ) -> Float {
        var product: Float = 0
        var energyA: Float = 1e-12
        var energyB: Float = 1e-12
        var index = 0
        while index < count {
            product += a[index] * b[index]
            energyA += a[index] * a[index]
            energyB += b[index] * b[index]
            index += step
        }
        if energyA < 1e-9, energyB < 1e-9 { return 1 }
        return product / (energyA * energyB).squareRoot()
    }

    /// The shift in `shifts` at which `origin + shift` resembles `template` best.
    /// - Parameters:
    ///   - penalty: taken off the correlation per sample of |shift|.
    ///   - step: spacing of the coarse search, refined to single samples afterwards.
    static func bestShift(
        of template: UnsafePointer<Float>, around origin: UnsafePointer<Float>, in shifts: ClosedRange<Int>,
        count: Int, penalty: Float = 0, step: Int
    ) -> (shift: Int, correlation: Float) {
        var best = (shift: shifts.lowerBound, correlation: -Float.infinity)
        var bestScore = -Float.infinity
        func consider(_ shift: Int, thinning: Int) {
            let value = correlation(template, origin + shift, count: count, step: thinning)
            let score = value - penalty * Float(abs(shift))
            if score > bestScore {
                bestScore = score
                best = (shift, value)
            }
        }
        var shift = shifts.lowerBound
        while shift <= shifts.upperBound {
            consider(shift, thinning: step)
            shift += step
        }
        guard step > 1 else { return best }
        let centre = best.shift
        bestScore = -.infinity
        for fine in max(shifts.lowerBound, centre - step)...min(shifts.upperBound, centre + step) {
            consider(fine, thinning: 1)
        }
        return best
    }
}
