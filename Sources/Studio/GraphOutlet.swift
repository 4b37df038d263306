import AudioUnits
import Realtime

/// The device's end of a graph that is rendered ahead: hands out what the ring holds, silence where there is none.
struct GraphOutlet: ~Copyable {
    private var ring: RingConsumer<Float>
    private let channels: Int

    init(_ ring: consuming RingConsumer<Float>, channels: Int) {
        self.ring = ring
        self.channels = channels
    }

    /// Whether a device that asks for so many frames would get them.
    @_noLocks
    mutating func isReady(_ frames: Int) -> Bool { ring.available(wanted: frames &* channels) >= frames &* channels }

    /// Fills a slice of interleaved Float32; what is missing is zeroed and counted by the unit.
    @_noLocks
    mutating func give(_ slice: inout RenderSlice) {
        let room = ring.available(wanted: slice.frames &* channels) / channels
        let frames = min(room, slice.frames)
        _ = ring.read(into: slice.buffer, count: frames &* channels)
        slice.producedFrames = frames
    }
}
