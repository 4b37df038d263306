/// Which rendered channel each hardware channel takes, in place of `ChannelRule`, as long as it counts.
///
/// Memory is allocated by `init` and freed by who made it; render code copies the value freely.
struct ChannelMap: BitwiseCopyable {
    /// Source channel of each hardware channel; -1 is silence.
    private let sources: UnsafeMutablePointer<Int>
    private let count: Int
    /// Channels there are to take from.
    let sourceChannels: Int
    /// What was rendered, at the hardware's rate.
    let planes: Planes

    init(_ map: [Int], sourceChannels: Int, frames: Int) {
        sources = .allocate(capacity: max(1, map.count))
        for (index, source) in map.enumerated() { (sources + index).initialize(to: source) }
        count = map.count
        self.sourceChannels = sourceChannels
        planes = Planes(channels: sourceChannels, stride: frames)
    }

    func free() {
        sources.deallocate()
        planes.free()
    }

    /// Puts `frames` frames of `planes` on `channels` hardware channels: by the map if it counts, else by the usual rule.
    @_noLocks
    func apply(to output: UnsafeMutablePointer<Float>, stride: Int, channels: Int, frames: Int, counts: Bool) {
        guard counts else {
            ChannelRule.apply(
                planes.base, channels: sourceChannels, stride: planes.stride, to: output, channels: channels,
                stride: stride, frames: frames)
            return
        }
        for channel in 0..<channels {
            let target = output + channel &* stride
            let source = channel < count ? sources[channel] : -1
            guard source >= 0, source < sourceChannels else {
                zero(target, frames: frames)
                continue
            }
            let from = planes.base + source &* planes.stride
            for frame in 0..<frames { target[frame] = from[frame] }
        }
    }
}
