import AudioUnits
import Realtime

/// A source of the tests' own: the samples of a function of the frame number, in each channel.
final class FunctionUnit: ProcessingUnit, @unchecked Sendable {
    private let function: @Sendable (Int, Int) -> Float

    init(rate: Double = 48_000, channels: Int = 1, _ function: @escaping @Sendable (_ frame: Int, _ channel: Int) -> Float) {
        self.function = function
        super.init(
            shape: UnitShape(
                component: AudioComponentDescription(type: "augn", subtype: "func", manufacturer: "test"),
                inputElements: 0...0, formats: .source))
        try! setFormat(StreamFormat(sampleRate: rate, channels: channels), scope: .output, element: 0)
    }

    override func makeKernel(_ layout: UnitLayout) throws(AudioUnitError) -> RenderKernel {
        let function = self.function
        return RenderKernel { slice, _ in
            for channel in 0..<slice.format.channels {
                for index in 0..<slice.frames {
                    slice.channel(channel)[index] = function(Int(slice.time.sampleTime) + index, channel)
                }
            }
        }
    }
}

/// An effect of the tests' own: a gain.
final class GainUnit: ProcessingUnit, @unchecked Sendable {
    static let component = AudioComponentDescription(type: "aufx", subtype: "gain", manufacturer: "test")
    private let gain: Float

    init(_ gain: Float) {
        self.gain = gain
        super.init(shape: UnitShape(component: Self.component))
    }

    private struct State { let gain: Float }

    override func makeKernel(_ layout: UnitLayout) throws(AudioUnitError) -> RenderKernel {
        RenderKernel(State(gain: gain)) { context, slice, inputs in
            let gain = context.assumingMemoryBound(to: State.self).pointee.gain
            let slice = slice.assumingMemoryBound(to: RenderSlice.self)
            let inputs = inputs.assumingMemoryBound(to: UnitInputs.self)
            for channel in 0..<1 where channel < slice.pointee.format.channels {
                _ = inputs.pointee.pull(
                    0, into: slice.pointee.buffer, channelStride: slice.pointee.channelByteStride / 4,
                    frames: slice.pointee.frames, time: slice.pointee.time)
            }
            for channel in 0..<slice.pointee.format.channels {
                for index in 0..<slice.pointee.frames { slice.pointee.channel(channel)[index] *= gain }
            }
        }
    }
}

extension GenericOutput {
    /// Renders `frames` in slices of these sizes by turns; one array a channel. The output format must be Float32, not
    /// interleaved.
    func pull(_ frames: Int, slices: [Int] = [480]) throws -> [[Float]] {
        let channels = try format(scope: .output, element: 0).channels
        var all = Array(repeating: [Float](), count: channels)
        var done = 0
        var turn = 0
        while done < frames {
            let count = min(slices[turn % slices.count], frames - done)
            var block = [Float](repeating: .nan, count: count * channels)
            try block.withUnsafeMutableBytes { try render(into: $0, frames: count) }
            for channel in 0..<channels { all[channel] += block[(channel * count)..<((channel + 1) * count)] }
            done += count
            turn += 1
        }
        return all
    }
}

/// A graph that the test pulls.
final class GraphRig {
    let output = GenericOutput()
    let graph: AudioGraph

    init(channels: Int = 1, rate: Double = 48_000) throws {
        graph = AudioGraph(output: output)
        try output.setFormat(StreamFormat(sampleRate: rate, channels: channels), scope: .output, element: 0)
    }
}
