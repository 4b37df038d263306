/// Reads and writes any sample type and layout from and to runs of Float32.
///
/// Precision is Float32's: 24 bits. What is beyond full scale saturates; what is not a number becomes 0.
enum SampleCoder {
    /// Full scale of a type: the integer that stands for 1.0.
    @_noLocks
    private static func scale(_ type: SampleType) -> Float {
        switch type {
        case .float32: 1
        case .int16: 32_768
        case .int24: 8_388_608
        case .int32: 2_147_483_648
        case .fixed824: 16_777_216
        }
    }

    /// Spreads `frames` frames at `data`, any address, into channel runs `stride` samples apart.
    ///
    /// `channelByteStride` is the distance of the channels' runs in `data`; unused when the format is interleaved.
    @_noLocks
    static func unpack(
        _ data: UnsafeRawPointer, format: StreamFormat, channelByteStride: Int, frames: Int,
        into planes: UnsafeMutablePointer<Float>, stride: Int
    ) {
        let step = format.sampleStride
        let factor = 1 / scale(format.sampleType)
        for channel in 0..<format.channels {
            let source = data + channel &* (format.interleaved ? format.sampleType.bytes : channelByteStride)
            let target = planes + channel &* stride
            switch format.sampleType {
            case .float32:
                for index in 0..<frames {
                    target[index] = source.loadUnaligned(fromByteOffset: index &* step, as: Float.self)
                }
            case .int16:
                for index in 0..<frames {
                    target[index] = Float(source.loadUnaligned(fromByteOffset: index &* step, as: Int16.self)) * factor
                }
            case .int24:
                for index in 0..<frames { target[index] = Float(load24(source + index &* step)) * factor }
            case .int32, .fixed824:
                for index in 0..<frames {
                    target[index] = Float(source.loadUnaligned(fromByteOffset: index &* step, as: Int32.self)) * factor
                }
            }
        }
    }

    /// Gathers `frames` frames of channel runs into `data`: the reverse of `unpack`.
    @_noLocks
    static func pack(
        _ planes: UnsafePointer<Float>, stride: Int, frames: Int, into data: UnsafeMutableRawPointer,
        format: StreamFormat, channelByteStride: Int
    ) {
        let step = format.sampleStride
        let factor = scale(format.sampleType)
        for channel in 0..<format.channels {
            let target = data + channel &* (format.interleaved ? format.sampleType.bytes : channelByteStride)
            let source = planes + channel &* stride
            switch format.sampleType {
            case .float32:
                for index in 0..<frames {
                    target.storeBytes(of: source[index], toByteOffset: index &* step, as: Float.self)
                }
            case .int16:
                for index in 0..<frames {
                    target.storeBytes(of: int16(source[index] * factor), toByteOffset: index &* step, as: Int16.self)
                }
            case .int24:
                for index in 0..<frames { store24(int24(source[index] * factor), at: target + index &* step) }
            case .int32, .fixed824:
                for index in 0..<frames {
                    target.storeBytes(of: int32(source[index] * factor), toByteOffset: index &* step, as: Int32.self)
                }
            }
        }
    }

    /// Rounds to nearest even without a trap, so that the loop vectorises: adding 1.5 * 2^23 leaves the integer in the
    /// low mantissa bits.
    @_noLocks @inline(__always)
    private static func int16(_ value: Float) -> Int16 {
        let number = value == value ? value : 0
        let bounded = number < -32_768 ? -32_768 : number > 32_767 ? 32_767 : number
        return Int16(truncatingIfNeeded: (bounded + 12_582_912 as Float).bitPattern)
    }

    @_noLocks @inline(__always)
    private static func int24(_ value: Float) -> Int32 {
        let number = value == value ? value : 0
        let bounded = number < -8_388_608 ? -8_388_608 : number > 8_388_607 ? 8_388_607 : number
        return Int32(Double(bounded) + (bounded < 0 ? -0.5 : 0.5))
    }

    /// Three bytes, sign extended; Linux here is little-endian.
    @_noLocks @inline(__always)
    private static func load24(_ place: UnsafeRawPointer) -> Int32 {
        let low = UInt32(place.load(as: UInt8.self))
        let middle = UInt32(place.load(fromByteOffset: 1, as: UInt8.self))
        let high = UInt32(place.load(fromByteOffset: 2, as: UInt8.self))
        return Int32(bitPattern: low << 8 | middle << 16 | high << 24) >> 8
    }

    @_noLocks @inline(__always)
    private static func store24(_ value: Int32, at place: UnsafeMutableRawPointer) {
        let bits = UInt32(bitPattern: value)
        place.storeBytes(of: UInt8(truncatingIfNeeded: bits), as: UInt8.self)
        place.storeBytes(of: UInt8(truncatingIfNeeded: bits >> 8), toByteOffset: 1, as: UInt8.self)
        place.storeBytes(of: UInt8(truncatingIfNeeded: bits >> 16), toByteOffset: 2, as: UInt8.self)
    }

    /// 2,147,483,520 is the largest Float32 below 2^31.
    @_noLocks @inline(__always)
    private static func int32(_ value: Float) -> Int32 {
        let number = value == value ? value : 0
        let bounded = number < -2_147_483_648 ? -2_147_483_648 : number > 2_147_483_520 ? 2_147_483_520 : number
        // In Double, where adding a half is exact.
        return Int32(Double(bounded) + (bounded < 0 ? -0.5 : 0.5))
    }
}
