import Realtime

/// An equalizer on the render thread. A new curve is reached over 50 ms, coefficient by coefficient along a smooth ramp,
/// with the filters running on: neither a step nor the start of a filter is heard.
struct EqualizerKernel: ~Copyable {
    private var curves: TripleBufferReader<EqualizerCurve>
    private var start: EqualizerCurve
    private var target: EqualizerCurve
    private var current: EqualizerCurve
    private var done = 0
    private let length: Int
    private let channels: Int
    /// Sections of the first channel, of the second, ...
    private let states: UnsafeMutablePointer<BiquadState>
    /// Bypassed after silence has gone through.
    private var isAtRest = true

    init(_ layout: UnitLayout, curve: EqualizerCurve, reader: consuming TripleBufferReader<EqualizerCurve>) {
        curves = reader
        start = curve
        target = curve
        current = curve
        length = max(1, Int(layout.output.sampleRate) / 20)
        done = length
        channels = layout.output.channels
        states = .allocate(capacity: channels * EqualizerCurve.capacity)
        states.initialize(repeating: BiquadState(), count: channels * EqualizerCurve.capacity)
    }

    deinit { states.deallocate() }

    @_noLocks
    mutating func render(_ slice: inout RenderSlice, _ inputs: UnitInputs) {
        let stride = slice.channelByteStride / MemoryLayout<Float>.stride
        let sounds = inputs.pull(
            0, into: slice.buffer, channelStride: stride, frames: slice.frames, time: slice.time)
        takeCurve()
        if !sounds, isAtRest {
            slice.outputIsSilence = true
            return
        }
        let moving = min(slice.frames, length &- done)
        for frame in 0..<moving { filterMoving(slice, frame: frame) }
        for channel in 0..<channels {
            filterSteady(slice.channel(channel), from: moving, to: slice.frames, states + channel &* EqualizerCurve.capacity)
        }
        settle(sounds: sounds, slice)
    }

    /// Begins the way to a newer curve, once the last has been reached.
    @_noLocks
    private mutating func takeCurve() {
        guard done >= length else { return }
        let latest = curves.latest()
        guard latest.number != target.number else { return }
        start = target
        target = latest
        done = 0
    }

    @_noLocks
    private mutating func filterMoving(_ slice: RenderSlice, frame: Int) {
        done &+= 1
        let x = Double(done) / Double(length)
        // Third order at both ends, so that neither the level nor its slope jumps.
        current.mix(start, target, part: x * x * x * (10 - x * (15 - 6 * x)))
        for channel in 0..<channels {
            let run = slice.channel(channel)
            let memory = states + channel &* EqualizerCurve.capacity
            var value = Double(run[frame]) * current.gain
            for index in 0..<current.count { value = memory[index].process(value, current.sections[index]) }
            run[frame] = Float(value)
        }
        if done == length { current = target }
    }

    @_noLocks
    private func filterSteady(
        _ run: UnsafeMutablePointer<Float>, from first: Int, to end: Int, _ memory: UnsafeMutablePointer<BiquadState>
    ) {
        let gain = Float(current.gain)
        if gain != 1 { for frame in first..<end { run[frame] *= gain } }
        for index in 0..<current.count {
            let section = current.sections[index]
            var state = memory[index]
            for frame in first..<end { run[frame] = Float(state.process(Double(run[frame]), section)) }
            memory[index] = state
        }
    }

    /// Keeps the filters' memories clean, and notes when all that rings has rung.
    @_noLocks
    private mutating func settle(sounds: Bool, _ slice: RenderSlice) {
        for index in 0..<(channels &* EqualizerCurve.capacity) { states[index].settle() }
        guard !sounds else {
            isAtRest = false
            return
        }
        var peak: Float = 0
        for channel in 0..<channels {
            let measure = MixLoops.measure(slice.channel(channel), frames: slice.frames)
            if measure.peak > peak { peak = measure.peak }
        }
        if peak < 1e-7 {
            isAtRest = true
            for index in 0..<(channels &* EqualizerCurve.capacity) { states[index] = BiquadState() }
        }
    }
}
