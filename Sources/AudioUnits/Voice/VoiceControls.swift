import Synchronization

/// The switches of voice processing, from any thread to the render thread.
struct VoiceControls: ~Copyable {
    let isMuted = Atomic<Bool>(false)
    let isBypassed = Atomic<Bool>(false)
    let echoCancellation = Atomic<Bool>(true)
    let noiseSuppression = Atomic<Bool>(true)
    let automaticGainControl = Atomic<Bool>(true)
}
