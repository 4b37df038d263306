import Synchronization

/// Time and pitch on the render thread: source, stretcher, a hop of its output, reader.
struct TimePitchKernel: ~Copyable {
    private let owners: (AtomicDouble, AtomicDouble)
    private let speed: UnsafeMutablePointer<Atomic<UInt64>>
    private let factor: UnsafeMutablePointer<Atomic<UInt64>>
    private let reader: UnsafeMutablePointer<SpeedReader>
    private let stretched: UnsafeMutablePointer<StretchedStream>

    init(_ layout: UnitLayout, speed: AtomicDouble, factor: AtomicDouble) {
        owners = (speed, factor)
        self.speed = speed.place
        self.factor = factor.place
        let channels = layout.output.channels
        reader = .allocate(capacity: 1)
        reader.initialize(to: SpeedReader(channels: channels, maximumFrames: layout.maximumFrames))
        stretched = .allocate(capacity: 1)
        stretched.initialize(to: StretchedStream(channels: channels, sampleRate: layout.output.sampleRate))
    }

    deinit {
        reader.deinitialize(count: 1)
        reader.deallocate()
        stretched.deinitialize(count: 1)
        stretched.deallocate()
    }

    @_noLocks
    func render(_ slice: RenderSlice, _ inputs: UnitInputs) {
        let pitch = Double(bitPattern: factor.pointee.load(ordering: .relaxed))
        let speed = Double(bitPattern: self.speed.pointee.load(ordering: .relaxed)) / pitch
        let stride = slice.channelByteStride / MemoryLayout<Float>.stride
        let stretched = self.stretched
        reader.pointee.read(into: slice.buffer, stride: stride, frames: slice.frames, speed: pitch) {
            (target, stride, frames) in
            stretched.pointee.take(into: target, stride: stride, frames: frames, speed: speed) { (target, stride, frames) in
                _ = inputs.pull(0, into: target, channelStride: stride, frames: frames, time: slice.time)
            }
        }
    }
}

/// The stretcher's hops as a stream that is taken in any portions.
struct StretchedStream: ~Copyable {
    private var stretcher: TimeStretcher
    private let hop: Planes
    private var used: Int
    private let channels: Int

    init(channels: Int, sampleRate: Double) {
        self.channels = channels
        stretcher = TimeStretcher(channels: channels, sampleRate: sampleRate)
        hop = Planes(channels: channels, stride: stretcher.hop)
        used = stretcher.hop
    }

    deinit { hop.free() }

    @_noLocks
    mutating func take(
        into target: UnsafeMutablePointer<Float>, stride: Int, frames: Int, speed: Double,
        feed: (UnsafeMutablePointer<Float>, Int, Int) -> Void
    ) {
        var done = 0
        while done < frames {
            if used == hop.stride {
                stretcher.step(into: hop.base, stride: hop.stride, speed: speed, feed: feed)
                used = 0
            }
            let part = min(frames &- done, hop.stride &- used)
            for channel in 0..<channels {
                let source = hop.base + (channel &* hop.stride &+ used)
                let run = target + (channel &* stride &+ done)
                for index in 0..<part { run[index] = source[index] }
            }
            used &+= part
            done &+= part
        }
    }
}
