import Synchronization

/// What the application sets for one input of a 3D mixer, as the render thread reads it.
struct SpatialPlacement: ~Copyable {
    /// Left and right of each.
    let gains = GainPair(left: 1, right: 1)
    /// In frames.
    let delays = GainPair(left: 0, right: 0)
    let shadows = GainPair(left: 1, right: 1)
    let isEnabled = Atomic<Bool>(true)

    /// As `SpatialInput` takes it; what is off has no gain.
    @_noLocks
    func load() -> Vector {
        let (gain, delay, shadow) = (gains.load(), delays.load(), shadows.load())
        let isOn = isEnabled.load(ordering: .relaxed)
        var place = Vector()
        place[0] = isOn ? gain.left : 0
        place[1] = isOn ? gain.right : 0
        place[2] = delay.left
        place[3] = delay.right
        place[4] = shadow.left
        place[5] = shadow.right
        return place
    }
}

/// Placements of all inputs and the output's volume, for as long as unit or kernel lives.
///
/// Sendable: addresses and count are constant, and what lies there are atomics.
final class SpatialParameters: @unchecked Sendable {
    let inputs: UnsafeMutablePointer<SpatialPlacement>
    let volume: UnsafeMutablePointer<GainPair>
    private let count: Int

    init(inputs count: Int) {
        self.count = count
        inputs = .allocate(capacity: count)
        for index in 0..<count { (inputs + index).initialize(to: SpatialPlacement()) }
        volume = .allocate(capacity: 1)
        volume.initialize(to: GainPair(left: 1, right: 1))
    }

    deinit {
        inputs.deinitialize(count: count)
        inputs.deallocate()
        volume.deinitialize(count: 1)
        volume.deallocate()
    }
}

/// A 3D mixer on the render thread.
struct SpatialKernel: ~Copyable {
    private let parameters: SpatialParameters
    private let placements: UnsafeMutablePointer<SpatialPlacement>
    private let volume: UnsafeMutablePointer<GainPair>
    private let inputs: UnsafeMutablePointer<SpatialInput>
    private let lines: UnsafeMutablePointer<Float>
    private let scratch: UnsafeMutablePointer<Float>
    private let silence: UnsafeMutablePointer<Float>
    private let count: Int
    private let filter: ShadowFilter
    private var outputRamp: GainRamp
    private let rampFrames: Int
    private let tail: Int
    /// Frames of silence each input has heard in a row, up to `tail`.
    private let quiet: UnsafeMutablePointer<Int>

    init(_ layout: UnitLayout, parameters: SpatialParameters) {
        self.parameters = parameters
        placements = parameters.inputs
        volume = parameters.volume
        count = layout.inputs.count
        let length = SpatialInput.lineLength(sampleRate: layout.output.sampleRate)
        lines = cleared(count * length)
        inputs = .allocate(capacity: count)
        for index in 0..<count {
            (inputs + index).initialize(
                to: SpatialInput(
                    line: lines + index * length, length: length, start: parameters.inputs[index].load()))
        }
        scratch = cleared(layout.maximumFrames)
        silence = cleared(layout.maximumFrames)
        filter = ShadowFilter(sampleRate: layout.output.sampleRate)
        rampFrames = max(1, Int(layout.output.sampleRate) / 50)
        let factor = parameters.volume.pointee.load()
        outputRamp = GainRamp(left: factor.left, right: factor.right)
        // The line, and the filters' ringing (some 40 µs each time constant).
        tail = length + Int(layout.output.sampleRate) / 500
        quiet = .allocate(capacity: count)
        quiet.initialize(repeating: tail, count: count)
    }

    deinit {
        inputs.deallocate()
        lines.deallocate()
        scratch.deallocate()
        silence.deallocate()
        quiet.deallocate()
    }

    @_noLocks
    mutating func render(_ slice: RenderSlice, _ sources: UnitInputs) {
        let frames = slice.frames
        let (left, right) = (slice.channel(0), slice.channel(1))
        zero(left, frames: frames)
        zero(right, frames: frames)
        for index in 0..<count {
            let isOn = placements[index].isEnabled.load(ordering: .relaxed)
            inputs[index].aim(placements[index].load(), frames: rampFrames)
            // An input that is off is not asked: it stands still until it is on again.
            if inputs[index].isSilent, !isOn { continue }
            let sounds =
                sources.isConnected(index)
                && sources.pull(index, into: scratch, channelStride: frames, frames: frames, time: slice.time)
            quiet[index] = sounds ? 0 : min(tail, quiet[index] &+ frames)
            guard quiet[index] < tail else {
                inputs[index].pass(frames)
                continue
            }
            inputs[index].add(
                sounds ? scratch : silence, frames: frames, left: left, right: right, filter: filter)
        }
        let factor = volume.pointee.load()
        outputRamp.aim(left: factor.left, right: factor.right, frames: rampFrames)
        guard outputRamp.remaining > 0 || outputRamp.left != 1 else { return }
        for frame in 0..<frames {
            outputRamp.advance()
            left[frame] *= outputRamp.left
            right[frame] *= outputRamp.left
        }
    }
}
