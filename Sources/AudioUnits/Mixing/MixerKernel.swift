import Synchronization

/// A mixer on the render thread: each input in turn is pulled into one small buffer, metered and added to the output, so
/// that an input costs the same however many there are.
struct MixerKernel: ~Copyable {
    private let parameters: MixerParameters
    private let inputs: UnsafeMutablePointer<MixerParameters.Channel>
    private let output: UnsafeMutablePointer<MixerParameters.Channel>
    private let metering: UnsafeMutablePointer<Atomic<Bool>>
    private let ramps: UnsafeMutablePointer<GainRamp>
    /// Two for each input, then two for the output.
    private let windows: UnsafeMutablePointer<LevelWindow>
    private let count: Int
    private let scratch: Planes
    private let mix: Planes
    private var outputRamp: GainRamp
    private let rampFrames: Int
    private let windowFrames: Int
    private var windowDone = 0
    private var metered = false
    private let outputChannels: Int

    init(_ layout: UnitLayout, parameters: MixerParameters) {
        self.parameters = parameters
        inputs = parameters.inputs
        output = parameters.output
        metering = parameters.metering
        count = layout.inputs.count
        outputChannels = layout.output.channels
        ramps = .allocate(capacity: count)
        for index in 0..<count {
            let gains = parameters.inputs[index].gains(
                sourceChannels: layout.inputs[index].channels, outputChannels: layout.output.channels)
            (ramps + index).initialize(to: GainRamp(left: gains.left, right: gains.right))
        }
        windows = .allocate(capacity: 2 * (count + 1))
        windows.initialize(repeating: LevelWindow(), count: 2 * (count + 1))
        scratch = Planes(channels: 2, stride: layout.maximumFrames)
        mix = Planes(channels: 2, stride: layout.maximumFrames)
        let volume = parameters.output.pointee.volume.load()
        outputRamp = GainRamp(left: volume.left, right: volume.right)
        rampFrames = max(1, Int(layout.output.sampleRate) / 100)
        windowFrames = max(1, Int(layout.output.sampleRate) / 10)
    }

    deinit {
        ramps.deallocate()
        windows.deallocate()
        scratch.free()
        mix.free()
    }

    @_noLocks
    mutating func render(_ slice: inout RenderSlice, _ sources: UnitInputs) {
        let frames = slice.frames
        switchMeters(metering.pointee.load(ordering: .relaxed))
        for channel in 0..<outputChannels { zero(mix.base + channel &* mix.stride, frames: frames) }
        for index in 0..<count {
            if !sources.isConnected(index) || !add(index, sources, frames: frames, time: slice.time) {
                measureSilence(index, frames: frames)
            }
        }
        finish(slice, frames: frames)
        if metered { windowDone = (windowDone &+ frames) % windowFrames }
    }

    /// Pulls and adds one input; false when it is silent.
    @_noLocks
    private mutating func add(_ index: Int, _ sources: UnitInputs, frames: Int, time: AudioTimeStamp) -> Bool {
        let channels = sources.channels(index)
        let gains = inputs[index].gains(sourceChannels: channels, outputChannels: outputChannels)
        ramps[index].aim(left: gains.left, right: gains.right, frames: rampFrames)
        // An input that is off is not asked: it stands still until it is on again.
        if ramps[index].isSilent, !inputs[index].isEnabled.load(ordering: .relaxed) { return false }
        guard sources.pull(index, into: scratch.base, channelStride: scratch.stride, frames: frames, time: time) else {
            ramps[index].pass(frames)
            return false
        }
        var done = 0
        var room = windowFrames &- windowDone
        while done < frames {
            var part = metered ? min(frames &- done, room) : frames &- done
            let isRamp = ramps[index].remaining > 0
            if isRamp { part = min(part, ramps[index].remaining) }
            isRamp
                ? ramp(index, from: done, frames: part, isStereo: channels > 1)
                : steady(index, from: done, frames: part, isStereo: channels > 1)
            done &+= part
            room &-= part
            if metered, room == 0 {
                endWindow(index)
                room = windowFrames
            }
        }
        return true
    }

    /// Adds frames while gains stand still.
    @_noLocks
    private mutating func steady(_ index: Int, from start: Int, frames: Int, isStereo: Bool) {
        let (left, right) = (ramps[index].left, ramps[index].right)
        let source = scratch.base + start
        let target = mix.base + start
        var first = MixLoops.Measure()
        var second = MixLoops.Measure()
        if outputChannels == 1 {
            let scale: Float = isStereo ? 0.5 : 1
            first = MixLoops.add(source, gain: left * scale, to: target, frames: frames)
            if isStereo {
                second = MixLoops.add(source + scratch.stride, gain: left * scale, to: target, frames: frames)
            }
        } else if isStereo {
            first = MixLoops.add(source, gain: left, to: target, frames: frames)
            second = MixLoops.add(source + scratch.stride, gain: right, to: target + mix.stride, frames: frames)
        } else {
            first = MixLoops.spread(
                source, leftGain: left, rightGain: right, left: target, right: target + mix.stride, frames: frames)
        }
        windows[2 &* index].add(power: first.power, peak: first.peak)
        windows[2 &* index &+ 1].add(power: second.power, peak: second.peak)
    }

    /// Adds frames while gains move.
    @_noLocks
    private mutating func ramp(_ index: Int, from start: Int, frames: Int, isStereo: Bool) {
        var first = MixLoops.Measure()
        var second = MixLoops.Measure()
        for frame in start..<(start &+ frames) {
            ramps[index].advance()
            let left = scratch.base[frame]
            let right = isStereo ? scratch.base[scratch.stride &+ frame] : left
            if outputChannels == 1 {
                mix.base[frame] += 0.5 * (left + right) * ramps[index].left
            } else {
                mix.base[frame] += left * ramps[index].left
                mix.base[mix.stride &+ frame] += right * ramps[index].right
            }
            first.add(left)
            if isStereo { second.add(right) }
        }
        windows[2 &* index].add(power: first.power, peak: first.peak)
        windows[2 &* index &+ 1].add(power: second.power, peak: second.peak)
    }

    /// Output volume and output meters.
    @_noLocks
    private mutating func finish(_ slice: RenderSlice, frames: Int) {
        let volume = output.pointee.volume.load()
        outputRamp.aim(left: volume.left, right: volume.right, frames: rampFrames)
        let moving = min(frames, outputRamp.remaining)
        for frame in 0..<moving {
            outputRamp.advance()
            for channel in 0..<outputChannels {
                slice.channel(channel)[frame] = mix.base[channel &* mix.stride &+ frame] * outputRamp.left
            }
        }
        for channel in 0..<outputChannels {
            let target = slice.channel(channel)
            MixLoops.scale(
                mix.base + (channel &* mix.stride &+ moving), gain: outputRamp.left, into: target + moving,
                frames: frames &- moving)
        }
        guard metered else { return }
        var done = 0
        var room = windowFrames &- windowDone
        while done < frames {
            let part = min(frames &- done, room)
            for channel in 0..<outputChannels {
                let measure = MixLoops.measure(slice.channel(channel) + done, frames: part)
                windows[2 &* count &+ channel].add(power: measure.power, peak: measure.peak)
            }
            done &+= part
            room &-= part
            if room == 0 {
                endWindow(count)
                room = windowFrames
            }
        }
    }

    @_noLocks
    private mutating func measureSilence(_ index: Int, frames: Int) {
        guard metered else { return }
        var ends = (windowDone &+ frames) / windowFrames
        while ends > 0 {
            endWindow(index)
            ends &-= 1
        }
    }

    @_noLocks
    private mutating func endWindow(_ index: Int) {
        let channel = index < count ? inputs + index : output
        windows[2 &* index].end(frames: windowFrames, into: channel.pointee.left)
        windows[2 &* index &+ 1].end(frames: windowFrames, into: channel.pointee.right)
    }

    /// Meters that are switched off show silence and begin anew.
    @_noLocks
    private mutating func switchMeters(_ on: Bool) {
        guard on != metered else { return }
        metered = on
        windowDone = 0
        for index in 0...count {
            windows[2 &* index] = LevelWindow()
            windows[2 &* index &+ 1] = LevelWindow()
            let channel = index < count ? inputs + index : output
            channel.pointee.left.store(power: 0, peak: 0)
            channel.pointee.right.store(power: 0, peak: 0)
        }
    }
}
