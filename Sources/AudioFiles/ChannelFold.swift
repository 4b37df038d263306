/// How the channels of a file become those wanted; the rule of the units' converter, for interleaved frames.
enum ChannelFold {
    /// Frame by frame from `input` to runs of `frames` samples, `stride` apart. What is not a number becomes 0.
    static func spread(
        _ input: UnsafePointer<Float>, channels inputs: Int, frames: Int, into planes: UnsafeMutablePointer<Float>,
        channels outputs: Int, stride: Int
    ) {
        for output in 0..<outputs {
            let target = planes + output * stride
            // Fewer: the mean of those that fall on the same one. One to more: the first two carry it.
            let sources = inputs == 1 && output < 2 ? [0] : Array(Swift.stride(from: output, to: inputs, by: outputs))
            let scale = sources.isEmpty ? 0 : 1 / Float(sources.count)
            for frame in 0..<frames {
                var sum: Float = 0
                for source in sources { sum += input[frame * inputs + source] }
                target[frame] = sum.isFinite ? sum * scale : 0
            }
        }
    }
}
