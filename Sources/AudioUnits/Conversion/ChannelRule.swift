/// How channels become more or fewer; the one rule of all units.
///
/// - As many as before: unchanged.
/// - Fewer (n to m): output j is the average of the inputs i with i mod m = j; so stereo to mono is the mean.
/// - One to more: the first two outputs carry it, the rest is silent.
/// - Some (2 or more) to more: input i goes to output i, the rest is silent.
enum ChannelRule {
    /// Applies the rule to runs of `frames` samples, `stride` samples from one channel to the next.
    @_noLocks
    static func apply(
        _ input: UnsafePointer<Float>, channels inputs: Int, stride inputStride: Int,
        to output: UnsafeMutablePointer<Float>, channels outputs: Int, stride outputStride: Int, frames: Int
    ) {
        for channel in 0..<outputs {
            let target = output + channel &* outputStride
            if inputs == 1 && channel < 2 {
                copy(input, to: target, frames: frames)
            } else if channel >= inputs {
                zero(target, frames: frames)
            } else {
                copy(input + channel &* inputStride, to: target, frames: frames)
                average(
                    input, first: channel, step: outputs, channels: inputs, stride: inputStride, into: target,
                    frames: frames)
            }
        }
    }

    /// `target` holds channel `first`; adds every `step`th channel above it and divides by their number.
    @_noLocks
    private static func average(
        _ input: UnsafePointer<Float>, first: Int, step: Int, channels: Int, stride: Int,
        into target: UnsafeMutablePointer<Float>, frames: Int
    ) {
        var count = 1
        var channel = first &+ step
        while channel < channels {
            let source = input + channel &* stride
            for index in 0..<frames { target[index] += source[index] }
            count &+= 1
            channel &+= step
        }
        guard count > 1 else { return }
        let scale = 1 / Float(count)
        for index in 0..<frames { target[index] *= scale }
    }

    @_noLocks
    private static func copy(_ source: UnsafePointer<Float>, to target: UnsafeMutablePointer<Float>, frames: Int) {
        guard UnsafePointer(target) != source else { return }
        UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: frames &* MemoryLayout<Float>.stride)
    }
}

/// Sets `frames` samples to zero.
@_noLocks
func zero(_ target: UnsafeMutablePointer<Float>, frames: Int) {
    for index in 0..<frames { target[index] = 0 }
}
