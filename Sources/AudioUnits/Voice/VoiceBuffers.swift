import Glibc

/// The blocks a `VoiceProcessor` works in, allocated once.
struct VoiceBuffers: BitwiseCopyable {
    let microphone: UnsafeMutablePointer<Float>
    let reference: UnsafeMutablePointer<Float>
    let output: UnsafeMutablePointer<Float>
    /// What came before gain control, while that is switched.
    let plain: UnsafeMutablePointer<Float>

    init(blockFrames: Int) {
        microphone = cleared(blockFrames)
        reference = cleared(blockFrames)
        output = cleared(blockFrames)
        plain = cleared(blockFrames)
    }

    func free() {
        microphone.deallocate()
        reference.deallocate()
        output.deallocate()
        plain.deallocate()
    }
}

/// Amplitude ratio of a level in dB; set-up time only.
func linear(_ decibels: Double) -> Float { Float(pow(10, decibels / 20)) }
