/// Several voices at once: their sum, kept inside full scale.
public enum Mixer {
    /// Adds one voice to what is there; both are of the same length.
    public static func add(_ voice: UnsafeBufferPointer<Float>, to mixed: inout [Float]) {
        for i in mixed.indices { mixed[i] += voice[i] }
    }

    /// From here on it is limited.
    private static let knee: Float = 0.7

    /// Soft limit from 0.7 on, so that two loud talkers do not clip hard.
    public static func limit(_ block: inout [Float]) {
        block.withUnsafeMutableBufferPointer { block in
            var index = 0
            while index < block.count {
                let end = min(block.count, index + 8)
                if end - index < 8 || isLoud(block, index) { for one in index..<end { block[one] = limited(block[one]) } }
                index = end
            }
        }
    }

    /// Whether one of eight samples, from `index` on, is to be limited; hardly ever one is.
    private static func isLoud(_ block: UnsafeMutableBufferPointer<Float>, _ index: Int) -> Bool {
        let eight = UnsafeRawBufferPointer(block).loadUnaligned(
            fromByteOffset: index * MemoryLayout<Float>.stride, as: SIMD8<Float>.self)
        return any((eight .> knee) .| (eight .< -knee))
    }

    private static func limited(_ sample: Float) -> Float {
        let magnitude = abs(sample)
        guard magnitude > knee else { return sample }
        let over = (magnitude - knee) / 0.3
        let limited = knee + 0.3 * over / (1 + over)
        return sample < 0 ? -limited : limited
    }
}
