import Glibc

/// The blocks a `VoiceProcessor` works in, allocated once.
struct VoiceBuffers: BitwiseCopyable {
    let microphone: UnsafeMutablePointer<Float>
    let reference: UnsafeMutablePointer<Float>
    let output: UnsafeMutablePointer<Float>
    let microphone16: UnsafeMutablePointer<Int16>
    let reference16: UnsafeMutablePointer<Int16>
    let output16: UnsafeMutablePointer<Int16>

    init(blockFrames: Int) {
        func cleared<T: ExpressibleByIntegerLiteral>() -> UnsafeMutablePointer<T> {
            let block = UnsafeMutablePointer<T>.allocate(capacity: blockFrames)
            block.initialize(repeating: 0, count: blockFrames)
            return block
        }
        microphone = cleared()
        reference = cleared()
        output = cleared()
        microphone16 = cleared()
        reference16 = cleared()
        output16 = cleared()
    }

    func free() {
        microphone.deallocate()
        reference.deallocate()
        output.deallocate()
        microphone16.deallocate()
        reference16.deallocate()
        output16.deallocate()
    }
}

/// Amplitude ratio of a level in dB; set-up time only.
func linear(_ decibels: Double) -> Float { Float(pow(10, decibels / 20)) }
