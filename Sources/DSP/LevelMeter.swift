import Glibc

/// RMS level of a signal over about the last 300 ms, in dBov (RFC 6464: 0 dBov is a full-scale square wave).
public struct LevelMeter: Sendable {
    /// The least level there is; digital silence.
    public static let floorDBov = -127.0
    /// Time constant of the mean, in milliseconds.
    public static let integrationMilliseconds = 300.0

    /// Blocks under this level are pauses, in dBov.
    public static let activeFloorDBov = -50.0
    /// `activeFloorDBov` as a mean square.
    private static let activeFloorSquare = 1e-5

    private let samplesPerConstant: Double
    private var meanSquare = 0.0
    private var activeEnergy = 0.0
    private var activeSamples = 0.0
    /// Largest magnitude since the last `resetPeak`.
    public private(set) var peak: Float = 0

    /// - Parameter sampleRate: Hz.
    public init(sampleRate: Int) {
        samplesPerConstant = Double(sampleRate) * Self.integrationMilliseconds / 1000
    }

    /// Takes the next samples. A block that holds anything but numbers is left out: one NaN would stay in the mean for
    /// ever.
    public mutating func add(_ block: UnsafeBufferPointer<Float>) {
        guard !block.isEmpty else { return }
        let (sum, largest) = Self.measure(block)
        guard sum.isFinite else { return }
        peak = max(peak, largest)
        if Double(sum) > Self.activeFloorSquare * Double(block.count) {
            activeEnergy += Double(sum)
            activeSamples += Double(block.count)
        }
        let weight = 1 - exp(-Double(block.count) / samplesPerConstant)
        meanSquare += (Double(sum) / Double(block.count) - meanSquare) * weight
    }

    /// Sum of squares and largest magnitude, eight samples at once: in the same order wherever it is made, so that the figure is the same.
    public static func measure(_ block: UnsafeBufferPointer<Float>) -> (energy: Float, largest: Float) {
        guard let samples = UnsafeRawPointer(block.baseAddress) else { return (0, 0) }
        let size = MemoryLayout<Float>.stride
        var sums = SIMD8<Float>(repeating: 0)
        var lanes = SIMD8<Float>(repeating: 0)
        var index = 0
        while index + 8 <= block.count {
            let eight = samples.loadUnaligned(fromByteOffset: index * size, as: SIMD8<Float>.self)
            sums += eight * eight
            // Without the sign's bit.
            let magnitude = unsafeBitCast(unsafeBitCast(eight, to: SIMD8<UInt32>.self) & 0x7fff_ffff, to: SIMD8<Float>.self)
            lanes = lanes.replacing(with: magnitude, where: magnitude .> lanes)
            index += 8
        }
        var (energy, largest) = (sums.sum(), lanes.max())
        while index < block.count {
            energy += block[index] * block[index]
            largest = max(largest, abs(block[index]))
            index += 1
        }
        return (energy, largest)
    }

    /// The level in dBov, -127 ... 0.
    public var levelDBov: Double {
        meanSquare > 0 ? min(0, max(Self.floorDBov, 10 * log10(meanSquare))) : Self.floorDBov
    }

    /// Mean level of everything since the start that was louder than `activeFloorDBov`: how loud somebody speaks, pauses
    /// left out (after ITU-T P.56's idea, without its hang-over); `nil` when nothing was.
    public var activeLevelDBov: Double? {
        activeSamples > 0 ? min(0, 10 * log10(activeEnergy / activeSamples)) : nil
    }

    /// Begins a new peak.
    public mutating func resetPeak() { peak = 0 }
}
