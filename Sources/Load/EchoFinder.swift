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
    /// Level under which a stretch is a pause that looks like any other one, RMS of full scale.
    private static let leastLevel: Float = 0.003
    /// Places of the first look that are compared sample by sample.
    private static let places = 3

    private let step: Int
    private var heardLevels: [Float] = []
    private var saidLevels: [Float] = []

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
        var scores: [(lag: Int, score: Float)] = (0...lags).map { ($0, score(at: $0)) }
        scores.sort { $0.score > $1.score }
        var best: Match?
        for place in scores.prefix(Self.places) {
            let match = refine(heard, said, around: place.lag * step)
            if match.correlation > best?.correlation ?? Self.leastCorrelation { best = match }
        }
        return best
    }

    private func levels(of sound: [Float], into levels: inout [Float]) {
        levels.removeAll(keepingCapacity: true)
        var start = 0
        while start + step <= sound.count {
            var sum: Float = 0
            for index in start..<start + step { sum += sound[index] * sound[index] }
            levels.append((sum / Float(step)).squareRoot())
            start += step
        }
    }

    private func score(at lag: Int) -> Float {
        var (cross, power): (Float, Float) = (0, 1e-9)
        for index in heardLevels.indices {
            cross += heardLevels[index] * saidLevels[lag + index]
            power += saidLevels[lag + index] * saidLevels[lag + index]
        }
        return cross / power.squareRoot()
    }

    private func refine(_ heard: [Float], _ said: [Float], around centre: Int) -> Match {
        let range = max(0, centre - step)...min(said.count - heard.count, centre + step)
        var best = Match(offset: range.lowerBound, correlation: -1)
        var own: Float = 1e-9
        for sample in heard { own += sample * sample }
        for offset in range {
            var (cross, power): (Float, Float) = (0, 1e-9)
            heard.withUnsafeBufferPointer { heard in
                said.withUnsafeBufferPointer { said in
                    for index in 0..<heard.count {
                        let other = said[offset + index]
                        cross += heard[index] * other
                        power += other * other
                    }
                }
            }
            let correlation = Double(cross / (own * power).squareRoot())
            if correlation > best.correlation { best = Match(offset: offset, correlation: correlation) }
        }
        return best
    }
}
