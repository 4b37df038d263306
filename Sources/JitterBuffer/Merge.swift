/// Joins decoded sound to a concealment that it does not follow sample by sample.
enum Merge {
    /// Fades from the continuation of the concealment into `fresh` at the place that resembles it best.
    /// - Parameters:
    ///   - continuation: what would have come next, as long as the cross-fade.
    ///   - searchable: samples at the start of `fresh` that may be left out for a good fit: what the delay grew by.
    /// - Returns: samples of `fresh` left out; the join is written over `fresh` from there on.
    static func join(
        continuation: UnsafePointer<Float>, fresh: UnsafeMutablePointer<Float>, count: Int, searchable: Int,
        sampleRate: Int, tuning: ConcealmentTuning
    ) -> Int {
        let length = sampleRate * tuning.mergeMilliseconds / 1000
        let fade = min(length, count)
        guard fade > 0 else { return 0 }
        let furthest = min(length, count - fade, searchable)
        var skip = 0
        if furthest > 0 {
            let penalty = tuning.mergePenalty / Float(length)
            skip =
                Similarity.bestShift(
                    of: continuation, around: fresh, in: 0...furthest, count: fade, penalty: penalty,
                    step: SearchStep.of(sampleRate)
                ).shift
        }
        Splice.crossFade(from: continuation, to: fresh + skip, into: fresh + skip, count: fade)
        return skip
    }
}
