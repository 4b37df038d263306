extension Resampler {
    /// A whole signal at another rate, in line with the original: the filter's delay is taken off.
    ///
    /// - Throws: `DSPError.unsupportedRates` for rates outside 4 000...384 000 Hz.
    public static func whole(_ samples: [Float], from: Int, to rate: Int, quality: Int = 7) throws(DSPError) -> [Float] {
        guard from != rate else { return samples }
        let resampler = try Resampler(from: from, to: rate, quality: quality)
        let wanted = samples.count * rate / from
        let skip = resampler.latencySamples
        let input = samples + [Float](repeating: 0, count: (skip + 2) * from / rate + 64)
        var output = [Float](repeating: 0, count: wanted + skip)
        var (consumed, produced) = (0, 0)
        input.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                guard let source = input.baseAddress, let target = output.baseAddress else { return }
                while produced < output.count {
                    let step = resampler.process(
                        source + consumed, count: min(4096, input.count - consumed), into: target + produced,
                        capacity: output.count - produced)
                    if step.consumed == 0, step.produced == 0 { break }
                    consumed += step.consumed
                    produced += step.produced
                }
            }
        }
        return Array(output[skip...])
    }
}
