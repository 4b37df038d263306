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

/// A device that plays a graph: the ring, its outlet, and the unit.
final class GraphSpeaker {
    let unit: any InputOutputUnit
    private var ring: RingProducer<Float>
    private let outlet: UnsafeMutablePointer<GraphOutlet>
    private let format: StreamFormat

    /// How far ahead of the device the graph is rendered, in seconds.
    private static let aheadSeconds = 0.25

    init(unit: any InputOutputUnit, format: StreamFormat) throws(AudioUnitError) {
        self.unit = unit
        self.format = format
        let ends: RingEnds<Float>
        do {
            ends = try RingEnds(minimumCapacity: Int(format.sampleRate * Self.aheadSeconds) * format.channels)
        } catch {
            throw .noResources(reason: "\(error)")
        }
        ring = ends.producer
        outlet = .allocate(capacity: 1)
        outlet.initialize(to: GraphOutlet(ends.consumer, channels: format.channels))
        try unit.enable(input: false, output: true)
        try unit.setFormat(format, scope: .input, element: Element.output)
        try unit.setRenderCallback(
            RenderCallback(
                context: outlet,
                readiness: { context, frames in
                    context.assumingMemoryBound(to: GraphOutlet.self).pointee.isReady(frames)
                }
            ) { context, slice in
                context.assumingMemoryBound(to: GraphOutlet.self).pointee
                    .give(&slice.assumingMemoryBound(to: RenderSlice.self).pointee)
            })
        try unit.initialize()
    }

    deinit {
        unit.dispose()
        outlet.deinitialize(count: 1)
        outlet.deallocate()
    }

    /// Frames the ring can take.
    var room: Int { ring.room(wanted: Int(ring.capacity)) / format.channels }

    /// Whether everything was handed to the device.
    var isEmpty: Bool { ring.filled() == 0 }

    /// Takes interleaved frames; there is room for them.
    func play(_ samples: UnsafeBufferPointer<Float>) {
        if let base = samples.baseAddress { _ = ring.write(base, count: samples.count) }
    }
}
