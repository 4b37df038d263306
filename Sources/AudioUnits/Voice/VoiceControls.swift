import Synchronization

/// The switches of voice processing, from any thread to the render thread.
struct VoiceControls: ~Copyable {
    let isMuted = Atomic<Bool>(false)
    let isBypassed = Atomic<Bool>(false)
    let echoCancellation = Atomic<Bool>(true)
    let noiseSuppression = Atomic<Bool>(true)
    let automaticGainControl = Atomic<Bool>(true)
    /// 0 low, 1 medium, 2 high.
    private let quality = Atomic<Int>(2)

    func setQuality(_ level: VoiceProcessingConfiguration.Quality) {
        let number =
            switch level {
            case .low: 0
            case .medium: 1
            case .high: 2
            }
        quality.store(number, ordering: .relaxed)
    }

    var effort: EchoControlEffort {
        @_noLocks get {
            switch quality.load(ordering: .relaxed) {
            case 0: .low
            case 1: .medium
            default: .high
            }
        }
    }
}
