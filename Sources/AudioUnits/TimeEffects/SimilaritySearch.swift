import DSP

/// Finds where a stream looks most like a given piece of it: normalized cross-correlation of the channels' sum, first on
/// averages of `step` frames, then frame by frame around the best, then between frames.
struct SimilaritySearch: BitwiseCopyable {
    /// Farthest offset either way, in frames.
    let reach: Int
    /// Frames that are compared.
    let length: Int
    private let step: Int
    private let candidates: UnsafeMutablePointer<Float>
    private let template: UnsafeMutablePointer<Float>
    private let coarseCandidates: UnsafeMutablePointer<Float>
    private let coarseTemplate: UnsafeMutablePointer<Float>

    init(reach: Int, length: Int, step: Int) {
        self.reach = reach
        self.length = length
        self.step = step
        // A vector more, for loops over whole ones.
        candidates = cleared(2 * reach + length + 10)
        template = cleared(length + 8)
        coarseCandidates = cleared((2 * reach + length) / step + 10)
        coarseTemplate = cleared(length / step + 10)
    }

    func free() {
        candidates.deallocate()
        template.deallocate()
        coarseCandidates.deallocate()
        coarseTemplate.deallocate()
    }

    /// The offset from `middle`, in frames and parts of one, where the stream is most like at `continuation`. All of
    /// `reach` on either side and `length` after it must be there.
    @_noLocks
    func best(_ stream: Planes, channels: Int, around middle: Int, like continuation: Int) -> Double {
        let first = middle &- reach
        mix(stream, channels: channels, from: first, count: 2 &* reach &+ length &+ 1, into: candidates)
        mix(stream, channels: channels, from: continuation, count: length, into: template)
        let distance = continuation &- middle
        let isNear = distance >= -reach && distance <= reach
        // In silence there is nothing to compare: going on is best.
        if product(template, template, count: length) < 1e-9 * Float(length) {
            return isNear ? Double(distance) : 0
        }
        let coarse = coarseBest()
        var best = coarse
        var highest = -Float.infinity
        let low = max(0, coarse &- step)
        let high = min(2 &* reach, coarse &+ step)
        for offset in low...high {
            let value = likeness(candidates + offset, template, count: length)
            if value > highest { (highest, best) = (value, offset) }
        }
        if isNear {
            // The continuation itself, when the coarse search was drawn to another period of the same tone.
            let value = likeness(candidates + (reach &+ distance), template, count: length)
            if value >= highest { return Double(distance) }
        }
        return Double(best &- reach) + between(best, highest)
    }

    /// Best offset of the averaged signals, as frames from the first candidate.
    @_noLocks
    private func coarseBest() -> Int {
        let count = length / step
        let offsets = 2 &* reach / step
        average(candidates, count: offsets &+ count, into: coarseCandidates)
        average(template, count: count, into: coarseTemplate)
        for index in 0..<8 {
            coarseTemplate[count &+ index] = 0
        }
        var best = 0
        var highest = -Float.infinity
        for offset in 0...offsets {
            let value = likeness(coarseCandidates + offset, coarseTemplate, count: count)
            if value > highest { (highest, best) = (value, offset) }
        }
        return best &* step
    }

    /// The peak of a parabola through the best value and its neighbours.
    @_noLocks
    private func between(_ best: Int, _ highest: Float) -> Double {
        guard best > 0, best < 2 &* reach else { return 0 }
        let before = likeness(candidates + (best &- 1), template, count: length)
        let after = likeness(candidates + (best &+ 1), template, count: length)
        let bend = before - 2 * highest + after
        guard bend < 0 else { return 0 }
        let shift = 0.5 * (before - after) / bend
        return shift > -0.5 && shift < 0.5 ? Double(shift) : 0
    }

    /// Correlation over the root of the candidate's energy; the template's is the same for all.
    @_noLocks
    private func likeness(
        _ candidate: UnsafeMutablePointer<Float>, _ template: UnsafeMutablePointer<Float>, count: Int
    ) -> Float {
        let energy = product(candidate, candidate, count: count)
        guard energy > 1e-12 else { return 0 }
        return product(candidate, template, count: count) / FastMath.squareRoot(energy)
    }

    @_noLocks
    private func product(_ a: UnsafeMutablePointer<Float>, _ b: UnsafeMutablePointer<Float>, count: Int) -> Float {
        var total = Vector()
        let vectors = count / 8
        for index in 0..<vectors { total += a.vector(index) * b.vector(index) }
        var rest: Float = 0
        for index in (vectors &* 8)..<count { rest += a[index] * b[index] }
        return total.sum() + rest
    }

    @_noLocks
    private func average(_ source: UnsafeMutablePointer<Float>, count: Int, into target: UnsafeMutablePointer<Float>) {
        for index in 0..<count {
            var total: Float = 0
            for part in 0..<step { total += source[index &* step &+ part] }
            target[index] = total
        }
    }

    @_noLocks
    private func mix(
        _ stream: Planes, channels: Int, from first: Int, count: Int, into target: UnsafeMutablePointer<Float>
    ) {
        for index in 0..<count { target[index] = stream.base[first &+ index] }
        for channel in 1..<max(1, channels) where channel < channels {
            let run = stream.base + channel &* stream.stride
            for index in 0..<count { target[index] += run[first &+ index] }
        }
    }
}
