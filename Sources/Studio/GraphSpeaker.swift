import AudioUnits
import Realtime
import Softphone

/// A device that plays a graph: the ring, its outlet, and the unit.
package final class GraphSpeaker {
    let unit: any InputOutputUnit
    private var ring: RingProducer<Float>
    private let outlet: UnsafeMutablePointer<GraphOutlet>
    private let format: StreamFormat

    /// How far ahead of the device the graph is rendered, in seconds.
    private static let aheadSeconds = 0.25

    /// Opens `device`; `format` is interleaved Float32.
    package init(on device: DeviceChoice, format: StreamFormat) throws(SoftphoneError) {
        do { unit = try device.makeUnit(voiceProcessing: false) } catch { throw SoftphoneError(error) }
        self.format = format
        let ends: RingEnds<Float>
        do {
            ends = try RingEnds(minimumCapacity: Int(format.sampleRate * Self.aheadSeconds) * format.channels)
        } catch {
            throw .resources("\(error)")
        }
        ring = ends.producer
        outlet = .allocate(capacity: 1)
        outlet.initialize(to: GraphOutlet(ends.consumer, channels: format.channels))
        do { try connect() } catch { throw SoftphoneError(error) }
    }

    private func connect() throws(AudioUnitError) {
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

    /// Whether everything was handed to the device.
    var isEmpty: Bool { ring.filled() == 0 }

    /// Takes as many interleaved frames as there is room for.
    /// - Returns: samples taken.
    func play(_ samples: UnsafeBufferPointer<Float>) -> Int {
        guard let base = samples.baseAddress else { return 0 }
        let room = ring.room(wanted: samples.count)
        return ring.write(base, count: min(samples.count, room - room % format.channels))
    }
}
