/// Several voices at once: their sum, kept inside full scale.
public enum Mixer {
    /// Adds one voice to what is there; both are of the same length.
    public static func add(_ voice: UnsafeBufferPointer<Float>, to mixed: inout [Float]) {
        for i in mixed.indices { mixed[i] += voice[i] }
    }

    /// Soft limit from 0.7 on, so that two loud talkers do not clip hard.
    public static func limit(_ block: inout [Float]) {
        for i in block.indices {
            let magnitude = abs(block[i])
            guard magnitude > 0.7 else { continue }
            let over = (magnitude - 0.7) / 0.3
            let limited = 0.7 + 0.3 * over / (1 + over)
            block[i] = block[i] < 0 ? -limited : limited
        }
    }
}
