import CALSA

/// Sample types that ALSA devices are run at, in the order of preference in `calsa_configure`.
enum ALSASampleType: BitwiseCopyable, Sendable {
    case float32, int16, int32

    init(_ format: snd_pcm_format_t) {
        self = format == SND_PCM_FORMAT_S16_LE ? .int16 : format == SND_PCM_FORMAT_S32_LE ? .int32 : .float32
    }

    var bytes: Int {
        @_noLocks get {
            switch self {
            case .int16: 2
            case .float32, .int32: 4
            }
        }
    }

    /// Device samples to Float32, -1..<1. Returns whether any sample is not digital zero.
    @_noLocks
    func decode(_ raw: UnsafeRawPointer, into samples: UnsafeMutablePointer<Float>, count: Int) -> Bool {
        var heard: UInt32 = 0
        switch self {
        case .float32:
            let source = raw.assumingMemoryBound(to: UInt32.self)
            for index in 0..<count {
                let bits = source[index]
                heard |= bits & 0x7fff_ffff
                // infinities and NaNs of a broken driver would live on in every filter behind
                samples[index] = bits & 0x7f80_0000 == 0x7f80_0000 ? 0 : Float(bitPattern: bits)
            }
        case .int16:
            let source = raw.assumingMemoryBound(to: Int16.self)
            for index in 0..<count {
                heard |= UInt32(truncatingIfNeeded: source[index])
                samples[index] = Float(source[index]) * 0x1p-15
            }
        case .int32:
            let source = raw.assumingMemoryBound(to: Int32.self)
            for index in 0..<count {
                heard |= UInt32(bitPattern: source[index])
                samples[index] = Float(source[index]) * 0x1p-31
            }
        }
        return heard != 0
    }

    /// Float32 to device samples, clipped to -1..<1; not-a-number becomes silence.
    @_noLocks
    func encode(_ samples: UnsafePointer<Float>, into raw: UnsafeMutableRawPointer, count: Int) {
        switch self {
        case .float32:
            let target = raw.assumingMemoryBound(to: Float.self)
            for index in 0..<count {
                let value = samples[index]
                target[index] = value == value ? (value < -1 ? -1 : value > 1 ? 1 : value) : 0
            }
        case .int16:
            let target = raw.assumingMemoryBound(to: Int16.self)
            for index in 0..<count {
                let scaled = samples[index] * 32768
                let clipped: Float = scaled < -32768 ? -32768 : scaled > 32767 ? 32767 : scaled == scaled ? scaled : 0
                // 1.5 * 2^23 leaves the rounded integer in the low bits (to nearest even), vectorised unlike Int16(_:)
                target[index] = Int16(truncatingIfNeeded: (clipped + 12_582_912 as Float).bitPattern)
            }
        case .int32:
            let target = raw.assumingMemoryBound(to: Int32.self)
            for index in 0..<count {
                let value = samples[index]
                let clipped = value < -1 ? -1 : value > 0x1.fffffep-1 ? 0x1.fffffep-1 : value == value ? value : 0
                target[index] = Int32(clipped * 0x1p31)
            }
        }
    }
}
