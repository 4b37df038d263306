import Realtime
import Synchronization

/// A queue's own effect: play-back speed, with the pitch going along or kept.
struct QueueEffect: ~Copyable {
    private let owners: (AtomicDouble, AtomicDouble)
    private let speed: UnsafeMutablePointer<Atomic<UInt64>>
    private let factor: UnsafeMutablePointer<Atomic<UInt64>>
    private let reader: UnsafeMutablePointer<SpeedReader>
    /// nil: the pitch goes with the speed.
    private let stretched: UnsafeMutablePointer<StretchedStream>?

    /// - Parameters:
    ///   - rate: frames of the buffers for each frame heard.
    ///   - factor: how much higher the sound is; only when the pitch is kept apart.
    init(_ layout: UnitLayout, keepsPitch: Bool, rate: AtomicDouble, factor: AtomicDouble) {
        owners = (rate, factor)
        speed = rate.place
        self.factor = factor.place
        let channels = layout.output.channels
        reader = .allocate(capacity: 1)
        reader.initialize(to: SpeedReader(channels: channels, maximumFrames: layout.maximumFrames))
        if keepsPitch {
            let place = UnsafeMutablePointer<StretchedStream>.allocate(capacity: 1)
            place.initialize(to: StretchedStream(channels: channels, sampleRate: layout.output.sampleRate))
            stretched = place
        } else {
            stretched = nil
        }
    }

    deinit {
        reader.deinitialize(count: 1)
        reader.deallocate()
        stretched?.deinitialize(count: 1)
        stretched?.deallocate()
    }

    /// Fills `frames` frames, out of what `kernel` feeds it.
    @_noLocks
    func render(
        into target: UnsafeMutablePointer<Float>, stride: Int, frames: Int, kernel: UnsafeMutablePointer<QueueKernel>,
        heardAt: HostTime
    ) {
        let rate = Double(bitPattern: speed.pointee.load(ordering: .relaxed))
        guard let stretched else {
            reader.pointee.read(into: target, stride: stride, frames: frames, speed: rate) { (target, stride, frames) in
                QueueKernel.feed(kernel, into: target, stride: stride, frames: frames, heardAt: heardAt)
            }
            return
        }
        let pitch = Double(bitPattern: factor.pointee.load(ordering: .relaxed))
        let pace = rate / pitch
        reader.pointee.read(into: target, stride: stride, frames: frames, speed: pitch) { (target, stride, frames) in
            stretched.pointee.take(into: target, stride: stride, frames: frames, speed: pace) { (target, stride, frames) in
                QueueKernel.feed(kernel, into: target, stride: stride, frames: frames, heardAt: heardAt)
            }
        }
    }
}
