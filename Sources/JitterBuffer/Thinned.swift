/// Every n-th sample of two stretches, close together: a coarse search then reads memory in order, many samples at a time.
enum Thinned {
    /// Samples on the stack: a search looks at 35 ms at most, which thinned out is at just under 24 kHz.
    private static let room = 1024

    /// Calls `body` with `countA` samples of `a` and `countB` of `b`, of which each is `step` after the one before.
    @inline(__always)
    static func withPair<Result>(
        _ a: UnsafePointer<Float>, count countA: Int, _ b: UnsafePointer<Float>, count countB: Int, step: Int,
        _ body: (UnsafePointer<Float>, UnsafePointer<Float>) -> Result
    ) -> Result {
        // Nothing to leave out; nor is there a search that needs more room.
        if step == 1 || countA + countB > room { return body(a, b) }
        var memory = InlineArray<1024, Float>(repeating: 0)
        return withUnsafeMutableBytes(of: &memory) { bytes in
            let samples = bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: Float.self)
            for index in 0..<countA { samples[index] = a[index &* step] }
            for index in 0..<countB { samples[countA &+ index] = b[index &* step] }
            return body(UnsafePointer(samples), UnsafePointer(samples + countA))
        }
    }
}
