/// Joins decoded sound to a concealment that it does not follow sample by sample.
enum Merge {
    /// Cross-fade, and the stretch searched for the best place to join, in milliseconds.
    static let milliseconds = 10

    /// Fades from the continuation of the concealment into `fresh` at the place that resembles it best.
    /// - Parameters:
    ///   - continuation: at least 10 ms that would have come next.
    ///   - searchable: samples at the start of `fresh` that may be left out to find a good place: what the delay grew by.
    /// - Returns: samples of `fresh` left out; the join is written over `fresh` from there on.
    static func join(
        continuation: UnsafePointer<Float>, fresh: UnsafeMutablePointer<Float>, count: Int, searchable: Int,
        sampleRate: Int
    ) -> Int {
        let fade = min(sampleRate * milliseconds / 1000, count)
        guard fade > 0 else { return 0 }
        let furthest = min(sampleRate * milliseconds / 1000, count - fade, searchable)
        var skip = 0
        if furthest > 0 {
            let penalty = 0.1 / Float(sampleRate * milliseconds / 1000)
            skip = Similarity.bestShift(
                of: continuation, around: fresh, in: 0...furthest, count: fade, penalty: penalty,
                step: SearchStep.of(sampleRate)
            ).shift
        }
        Splice.crossFade(from: continuation, to: fresh + skip, into: fresh + skip, count: fade)
        return skip
    }
}
