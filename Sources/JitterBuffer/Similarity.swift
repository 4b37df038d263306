/// Normalised cross-correlation of two stretches, and the search for the most similar one.
enum Similarity {
    /// Correlation in -1...1; silence against silence is 1, since any join fits there.
    static func correlation(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, count: Int) -> Float {
        normalised(
            Sums.products(a, b, count: count), Sums.energy(a, count: count), Sums.energy(b, count: count))
    }

    /// - Parameter product: of two stretches, whose energies follow.
    @inline(__always)
    static func normalised(_ product: Float, _ energyA: Float, _ energyB: Float) -> Float {
        let (a, b) = (1e-12 + energyA, 1e-12 + energyB)
        if a < 1e-9, b < 1e-9 { return 1 }
        return product / (a * b).squareRoot()
    }

    /// The shift in `shifts` at which `origin + shift` resembles `template` best.
    /// - Parameters:
    ///   - penalty: taken off the correlation per sample of |shift|.
    ///   - step: spacing of the coarse search, which also looks at every such sample only; refined to single samples.
    static func bestShift(
        of template: UnsafePointer<Float>, around origin: UnsafePointer<Float>, in shifts: ClosedRange<Int>,
        count: Int, penalty: Float = 0, step: Int
    ) -> (shift: Int, correlation: Float) {
        let start = origin + shifts.lowerBound
        let tries = (shifts.upperBound - shifts.lowerBound) / step + 1
        let points = (count + step - 1) / step
        let coarse = Thinned.withPair(
            template, count: points, start, count: points + tries - 1, step: step
        ) { template, start in
            best(
                of: template, from: start, tries: tries, count: points, shift: shifts.lowerBound, step: step,
                penalty: penalty)
        }
        guard step > 1 else { return coarse }
        let low = max(shifts.lowerBound, coarse.shift - step)
        let high = min(shifts.upperBound, coarse.shift + step)
        return best(
            of: template, from: origin + low, tries: high - low + 1, count: count, shift: low, step: 1,
            penalty: penalty)
    }

    /// The best of `tries` places, one sample after another from `start` on.
    /// - Parameters:
    ///   - shift: what the first place stands for; each further one is `step` more.
    private static func best(
        of template: UnsafePointer<Float>, from start: UnsafePointer<Float>, tries: Int, count: Int, shift: Int,
        step: Int, penalty: Float
    ) -> (shift: Int, correlation: Float) {
        let templateEnergy = Sums.energy(template, count: count)
        var energy = SlidingEnergy(start, count: count)
        var best = (shift: shift, correlation: -Float.infinity)
        var bestScore = -Float.infinity
        for index in 0..<tries {
            if index > 0 { energy.advance() }
            let shift = shift &+ index &* step
            let product = Sums.products(template, start + index, count: count)
            let value = normalised(product, templateEnergy, energy.value)
            let score = value - penalty * Float(abs(shift))
            if score > bestScore {
                bestScore = score
                best = (shift, value)
            }
        }
        return best
    }
}
