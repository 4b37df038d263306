import Synchronization

/// The captured frames one input notice is about, waiting to be rendered.
struct CapturedSlice: BitwiseCopyable {
    private let planes: UnsafePointer<Float>
    private let stride: Int
    private let format: StreamFormat
    private let meters: UnsafePointer<UnitMeters>
    private var next = 0
    private var remaining: Int

    @_noLocks
    init(
        planes: UnsafePointer<Float>, stride: Int, frames: Int, format: StreamFormat,
        meters: UnsafePointer<UnitMeters>
    ) {
        self.planes = planes
        self.stride = stride
        self.format = format
        self.meters = meters
        remaining = frames
    }

    /// Copies the next `frames` frames in the application's format; an ask for more than remain copies nothing.
    @_noLocks
    mutating func copy(frames: Int, into data: UnsafeMutableRawPointer, channelByteStride: Int) -> Int {
        guard frames >= 0, frames <= remaining else {
            meters.pointee.oversizedAsks.wrappingAdd(1, ordering: .relaxed)
            return 0
        }
        SampleCoder.pack(
            planes + next, stride: stride, frames: frames, into: data, format: format,
            channelByteStride: channelByteStride)
        next &+= frames
        remaining &-= frames
        return frames
    }
}
