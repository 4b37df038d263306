import Realtime
import Synchronization

/// The listeners of the signals inside voice processing: rings that drop, and count, what does not fit.
///
/// Owned by the unit, so that they outlive a re-initialization; the processor works on a copy of the pointers.
struct VoiceTaps: BitwiseCopyable {
    private let rings: UnsafeMutablePointer<UnsafeMutablePointer<RingProducer<Float>>?>
    private let meters: UnsafePointer<UnitMeters>

    init(meters: UnsafePointer<UnitMeters>) {
        self.meters = meters
        rings = .allocate(capacity: VoiceSignal.allCases.count)
        rings.initialize(repeating: nil, count: VoiceSignal.allCases.count)
    }

    func free() {
        for signal in VoiceSignal.allCases {
            rings[signal.slot]?.deinitialize(count: 1)
            rings[signal.slot]?.deallocate()
        }
        rings.deallocate()
    }

    /// Listens to `signal`, in place of an earlier listener.
    func attach(_ ring: consuming RingProducer<Float>, to signal: VoiceSignal) {
        let place = UnsafeMutablePointer<RingProducer<Float>>.allocate(capacity: 1)
        place.initialize(to: ring)
        rings[signal.slot]?.deinitialize(count: 1)
        rings[signal.slot]?.deallocate()
        rings[signal.slot] = place
    }

    @_noLocks
    func has(_ signal: VoiceSignal) -> Bool { rings[signal.slot] != nil }

    @_noLocks
    func write(_ signal: VoiceSignal, _ samples: UnsafePointer<Float>, count: Int) {
        guard let ring = rings[signal.slot] else { return }
        let written = ring.pointee.write(samples, count: count)
        if written < count {
            meters.pointee.droppedTapSamples.wrappingAdd(count &- written, ordering: .relaxed)
        }
    }
}
