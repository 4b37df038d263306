/// Memory for channel runs of Float32, allocated once; freed by who made it.
struct Planes: BitwiseCopyable {
    let base: UnsafeMutablePointer<Float>
    /// Samples from one channel's run to the next, which is also the frames there is room for.
    let stride: Int

    init(channels: Int, stride: Int) {
        base = .allocate(capacity: channels * stride)
        base.initialize(repeating: 0, count: channels * stride)
        self.stride = stride
    }

    func free() { base.deallocate() }
}
