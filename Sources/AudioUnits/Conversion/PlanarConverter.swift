import DSP

/// Rate and channel conversion of Float32 channel runs: what converter, I/O units and generic output share.
///
/// Channels are made fewer before the resampler and more after it, so that no work is done twice.
/// A plain value of pointers: the render thread copies it freely, `PlanarConverterStorage` owns the memory.
struct PlanarConverter: BitwiseCopyable {
    /// Channels and rate of both sides.
    let inputChannels: Int
    let outputChannels: Int
    let inputRate: Double
    let outputRate: Double
    /// Delay of the resampler, in output frames; 0 at equal rates.
    let latencyFrames: Int
    fileprivate let resamplers: UnsafeMutablePointer<ResamplerHandle>?
    fileprivate let scratch: UnsafeMutablePointer<Float>
    fileprivate let scratchStride: Int

    /// Delay of the resampler, in seconds.
    var latencySeconds: Double {
        @_noLocks get { Double(latencyFrames) / outputRate }
    }

    /// Whether rates are equal, so that frames in are frames out.
    var keepsRate: Bool {
        @_noLocks get { resamplers == nil }
    }

    /// Converts up to `frames` input frames into at most `capacity` output frames.
    ///
    /// All input is taken unless the output is full; `frames` and `capacity` are bounded by the storage's maximum.
    @_noLocks
    func process(
        _ input: UnsafePointer<Float>, stride inputStride: Int, frames: Int,
        into output: UnsafeMutablePointer<Float>, stride outputStride: Int, capacity: Int
    ) -> (consumed: Int, produced: Int) {
        guard let resamplers else {
            let count = min(frames, capacity)
            ChannelRule.apply(
                input, channels: inputChannels, stride: inputStride, to: output, channels: outputChannels,
                stride: outputStride, frames: count)
            return (count, count)
        }
        if outputChannels < inputChannels {
            let count = min(frames, scratchStride)
            ChannelRule.apply(
                input, channels: inputChannels, stride: inputStride, to: scratch, channels: outputChannels,
                stride: scratchStride, frames: count)
            return resample(
                resamplers, UnsafePointer(scratch), stride: scratchStride, frames: count, into: output,
                stride: outputStride, capacity: capacity, channels: outputChannels)
        }
        if outputChannels == inputChannels {
            return resample(
                resamplers, input, stride: inputStride, frames: frames, into: output, stride: outputStride,
                capacity: capacity, channels: inputChannels)
        }
        let result = resample(
            resamplers, input, stride: inputStride, frames: frames, into: scratch, stride: scratchStride,
            capacity: min(capacity, scratchStride), channels: inputChannels)
        ChannelRule.apply(
            scratch, channels: inputChannels, stride: scratchStride, to: output, channels: outputChannels,
            stride: outputStride, frames: result.produced)
        return result
    }

    /// Runs each channel through its own resampler; being fed alike they all move alike.
    @_noLocks
    private func resample(
        _ resamplers: UnsafeMutablePointer<ResamplerHandle>, _ input: UnsafePointer<Float>, stride inputStride: Int,
        frames: Int, into output: UnsafeMutablePointer<Float>, stride outputStride: Int, capacity: Int, channels: Int
    ) -> (consumed: Int, produced: Int) {
        var result = (consumed: 0, produced: 0)
        for channel in 0..<channels {
            result = resamplers[channel].process(
                input + channel &* inputStride, count: frames, into: output + channel &* outputStride,
                capacity: capacity)
        }
        return result
    }
}

/// Owns what a `PlanarConverter` points to.
final class PlanarConverterStorage {
    /// The value render code works with; valid as long as this object lives.
    let converter: PlanarConverter
    private let owners: [Resampler]

    /// `maximumFrames` bounds the frames of one call on either side; `quality` is SpeexDSP's, 0 ... 10.
    init(
        inputChannels: Int, inputRate: Double, outputChannels: Int, outputRate: Double, maximumFrames: Int,
        quality: Int
    ) throws(AudioUnitError) {
        var owners: [Resampler] = []
        var handles: UnsafeMutablePointer<ResamplerHandle>?
        let channels = min(inputChannels, outputChannels)
        if inputRate != outputRate {
            do {
                for _ in 0..<channels {
                    owners.append(try Resampler(from: Int(inputRate), to: Int(outputRate), quality: quality))
                }
            } catch {
                throw .noResources(reason: "resampler \(Int(inputRate)) to \(Int(outputRate)) Hz")
            }
            let place = UnsafeMutablePointer<ResamplerHandle>.allocate(capacity: channels)
            for (index, owner) in owners.enumerated() { (place + index).initialize(to: owner.handle) }
            handles = place
        }
        self.owners = owners
        let scratch = UnsafeMutablePointer<Float>.allocate(capacity: channels * maximumFrames)
        scratch.initialize(repeating: 0, count: channels * maximumFrames)
        converter = PlanarConverter(
            inputChannels: inputChannels, outputChannels: outputChannels, inputRate: inputRate,
            outputRate: outputRate, latencyFrames: owners.first?.latencySamples ?? 0, resamplers: handles,
            scratch: scratch, scratchStride: maximumFrames)
    }

    deinit {
        converter.scratch.deallocate()
        converter.resamplers?.deallocate()
    }

    /// Forgets the audio inside.
    func reset() {
        for owner in owners { owner.reset() }
    }
}
