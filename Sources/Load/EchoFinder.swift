import Glibc

/// Finds a stretch of sound in what was said before, and so how long it was on its way.
///
/// First by the levels of 5 ms each, which every codec keeps; the best places are then compared sample by sample.
package struct EchoFinder {
    /// Where a stretch was found.
    package struct Match: Equatable {
        /// Samples from the start of the searched stretch.
        package var offset: Int
        /// Normalised correlation, -1...1.
        package var correlation: Double
    }

    /// A match below this is none.
    static let leastCorrelation = 0.5
    /// Speech that is so like in one place is not in another one too.
    private static let certainCorrelation = 0.95
    /// Level under which a stretch is a pause that looks like any other one, RMS of full scale.
    private static let leastLevel: Float = 0.003
    /// Places of the first look that are compared sample by sample.
    private static let places = 3

    private let step: Int
    private var heardLevels: [Float] = []
    private var saidLevels: [Float] = []
    /// Power of all that was said, and of all its levels, up to each place.
    private var saidPower: [Double] = []
    private var levelPower: [Double] = []

    /// - Parameter rate: of both sounds, Hz.
    package init(rate: Double) { step = max(1, Int(rate * 0.005)) }

    /// Finds `heard` in `said`, which is longer.
    /// - Returns: `nil` where it is a pause, or is not there.
    package mutating func find(_ heard: [Float], in said: [Float]) -> Match? {
        guard said.count >= heard.count + step, heard.count >= 20 * step else { return nil }
        levels(of: heard, into: &heardLevels)
        levels(of: said, into: &saidLevels)
        let loud = heardLevels.filter { $0 > Self.leastLevel }.count
        guard loud * 4 >= heardLevels.count else { return nil }
        let lags = saidLevels.count - heardLevels.count
        guard lags > 0 else { return nil }
        Self.addUp(saidLevels, into: &levelPower)
        var scores: [(lag: Int, score: Double)] = (0...lags).map {
            ($0, Self.likeness(heardLevels, saidLevels, at: $0, power: levelPower))
        }
        scores.sort { $0.score > $1.score }
        Self.addUp(said, into: &saidPower)
        let own = Self.power(of: heard)
        var best: Match?
        for place in scores.prefix(Self.places) {
            let match = refine(heard, said, around: place.lag * step, own: own)
            if match.correlation > best?.correlation ?? Self.leastCorrelation { best = match }
            if match.correlation >= Self.certainCorrelation { break }
        }
        return best
    }

    private func levels(of sound: [Float], into levels: inout [Float]) {
        levels.removeAll(keepingCapacity: true)
        sound.withUnsafeBufferPointer { sound in
            var start = 0
            while start + step <= sound.count {
                let stretch = UnsafeBufferPointer(rebasing: sound[start..<start + step])
                levels.append((Self.product(stretch, stretch) / Float(step)).squareRoot())
                start += step
            }
        }
    }

    private func refine(_ heard: [Float], _ said: [Float], around centre: Int, own: Double) -> Match {
        let range = max(0, centre - step)...min(said.count - heard.count, centre + step)
        var best = Match(offset: range.lowerBound, correlation: -1)
        for offset in range {
            let correlation = Self.likeness(heard, said, at: offset, power: saidPower) / own.squareRoot()
            if correlation > best.correlation { best = Match(offset: offset, correlation: correlation) }
        }
        return best
    }

    /// How like `one` is to the stretch of `other` that begins at `offset`, whose power counts and its own does not.
    /// - Parameter power: that of `other` up to each place.
    private static func likeness(_ one: [Float], _ other: [Float], at offset: Int, power: [Double]) -> Double {
        let cross = one.withUnsafeBufferPointer { one in
            other.withUnsafeBufferPointer { other in
                product(one, UnsafeBufferPointer(rebasing: other[offset..<offset + one.count]))
            }
        }
        return Double(cross) / max(1e-9, power[offset + one.count] - power[offset]).squareRoot()
    }

    private static func addUp(_ values: [Float], into power: inout [Double]) {
        power.removeAll(keepingCapacity: true)
        var sum = 0.0
        power.append(sum)
        for value in values {
            sum += Double(value) * Double(value)
            power.append(sum)
        }
    }

    private static func power(of values: [Float]) -> Double {
        max(1e-9, values.withUnsafeBufferPointer { Double(product($0, $0)) })
    }

    /// The scalar product of two stretches of the same length: sixteen products at once, of which no sum waits for another.
    private static func product(_ one: UnsafeBufferPointer<Float>, _ other: UnsafeBufferPointer<Float>) -> Float {
        let (left, right) = (UnsafeRawBufferPointer(one), UnsafeRawBufferPointer(other))
        var (first, second) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
        var index = 0
        while index + 16 <= one.count {
            let place = index * MemoryLayout<Float>.size
            first +=
                left.loadUnaligned(fromByteOffset: place, as: SIMD8<Float>.self)
                * right.loadUnaligned(fromByteOffset: place, as: SIMD8<Float>.self)
            second +=
                left.loadUnaligned(fromByteOffset: place + 32, as: SIMD8<Float>.self)
                * right.loadUnaligned(fromByteOffset: place + 32, as: SIMD8<Float>.self)
            index += 16
        }
        var sum = (first + second).sum()
        while index < one.count {
            sum += one[index] * other[index]
            index += 1
        }
        return sum
    }
}
