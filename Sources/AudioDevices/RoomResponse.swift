import DSP
import Realtime
import Glibc

/// Impulse responses of simple rooms, the same for the same seed.
///
/// Early reflections by the image-source method (Allen and Berkley, "Image method for efficiently simulating small-room
/// acoustics", JASA 65, 1979), then a diffuse tail of exponentially decaying noise; one reverberation time for all
/// frequencies. Total energy is that of an echo return loss of 6 dB, as between a laptop's loudspeaker and microphone.
package enum RoomResponse {
    /// Sound travels this far in a second, in m, at 20 °C.
    private static let soundSpeed = 343.0
    /// Where reflections stop being traced singly and the diffuse tail takes over, in seconds.
    private static let earlySeconds = 0.040
    /// Energy of the whole response: -6 dB.
    private static let energy = 0.25

    private struct Shape {
        let size: (x: Double, y: Double, z: Double)
        let reverberationSeconds: Double
        let loudspeaker: (x: Double, y: Double, z: Double)
        let microphone: (x: Double, y: Double, z: Double)
    }

    private static func shape(_ room: BuiltInRoom) -> Shape {
        switch room {
        case .small:
            Shape(
                size: (3.2, 2.6, 2.4), reverberationSeconds: 0.20, loudspeaker: (1.3, 1.1, 0.9),
                microphone: (1.55, 1.2, 0.95))
        case .office:
            Shape(
                size: (5.2, 4.1, 2.7), reverberationSeconds: 0.40, loudspeaker: (2.2, 1.6, 0.9),
                microphone: (2.7, 1.8, 1.0))
        case .hall:
            Shape(
                size: (12, 9, 4.5), reverberationSeconds: 0.90, loudspeaker: (5.0, 4.0, 1.2),
                microphone: (6.2, 4.6, 1.3))
        }
    }

    /// The response of `room` from loudspeaker to microphone at `sampleRate` Hz.
    package static func samples(_ room: BuiltInRoom, sampleRate: Int, seed: UInt64) -> [Float] {
        let shape = shape(room)
        let rate = Double(sampleRate)
        var response = [Double](repeating: 0, count: Int(shape.reverberationSeconds * rate))
        addImages(shape, rate, to: &response)
        addTail(shape, rate, seed, to: &response)
        removeLowFrequencies(rate, from: &response)
        let total = response.reduce(0) { $0 + $1 * $1 }
        let gain = total > 0 ? (energy / total).squareRoot() : 0
        return response.map { Float($0 * gain) }
    }

    /// Mirror images of the loudspeaker in the walls: amplitude falls with distance and with each reflection.
    private static func addImages(_ shape: Shape, _ rate: Double, to response: inout [Double]) {
        // Sabine: T60 = 0.161 V / (a S); amplitude reflected = sqrt(1 - a)
        let (x, y, z) = shape.size
        let absorption = min(0.161 * x * y * z / (2 * (x * y + y * z + x * z) * shape.reverberationSeconds), 0.95)
        let reflection = (1 - absorption).squareRoot()
        let reach = earlySeconds * soundSpeed
        func orders(_ length: Double) -> ClosedRange<Int> {
            let count = Int(reach / (2 * length)) + 1
            return -count...count
        }
        for i in orders(x) {
            for j in orders(y) {
                for k in orders(z) {
                    for mirror in 0..<8 {
                        let (u, v, w) = (mirror & 1, mirror >> 1 & 1, mirror >> 2 & 1)
                        let dx = Double(1 - 2 * u) * shape.loudspeaker.x + 2 * Double(i) * x - shape.microphone.x
                        let dy = Double(1 - 2 * v) * shape.loudspeaker.y + 2 * Double(j) * y - shape.microphone.y
                        let dz = Double(1 - 2 * w) * shape.loudspeaker.z + 2 * Double(k) * z - shape.microphone.z
                        let distance = (dx * dx + dy * dy + dz * dz).squareRoot()
                        guard distance < reach else { continue }
                        let bounces = abs(i - u) + abs(i) + abs(j - v) + abs(j) + abs(k - w) + abs(k)
                        let amplitude = pow(reflection, Double(bounces)) / max(distance, 0.05)
                        add(amplitude, at: distance / soundSpeed * rate, to: &response)
                    }
                }
            }
        }
    }

    /// Loudspeakers and microphones of this size pass nothing below about 120 Hz; without them two rooms would howl there.
    private static func removeLowFrequencies(_ rate: Double, from response: inout [Double]) {
        // Two first-order high-passes, by the bilinear transform.
        let warped = tan(.pi * 120 / rate)
        let (b, a) = (1 / (1 + warped), (warped - 1) / (1 + warped))
        for _ in 0..<2 {
            var (input, output) = (0.0, 0.0)
            for index in response.indices {
                output = b * (response[index] - input) - a * output
                input = response[index]
                response[index] = output
            }
        }
    }

    /// Splits a pulse between the two samples beside it, so that distances are not rounded to samples.
    private static func add(_ amplitude: Double, at position: Double, to response: inout [Double]) {
        let index = Int(position)
        guard index + 1 < response.count else { return }
        let fraction = position - Double(index)
        response[index] += amplitude * (1 - fraction)
        response[index + 1] += amplitude * fraction
    }

    /// Noise that continues the decay of the early part: -60 dB after the reverberation time.
    private static func addTail(_ shape: Shape, _ rate: Double, _ seed: UInt64, to response: inout [Double]) {
        let start = Int(earlySeconds * rate)
        guard start < response.count else { return }
        let window = max(Int(0.010 * rate), 1)
        var energy = 0.0
        for index in max(start - window, 0)..<start { energy += response[index] * response[index] }
        let level = (energy / Double(window)).squareRoot()
        let decay = log(1000) / (shape.reverberationSeconds * rate)
        var noise = SeededNoise(seed: seed)
        for index in start..<response.count {
            response[index] += level * exp(-decay * Double(index - start)) * Double(noise.next())
        }
    }
}

/// White noise of unit power from a seed, uniformly distributed.
package struct SeededNoise: BitwiseCopyable, Sendable {
    private var random: SplitMix64

    package init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// The next sample: uniform in ±sqrt(3), RMS 1.
    @_noLocks
    package mutating func next() -> Float {
        let unit = Float(Int32(truncatingIfNeeded: random.next() >> 32)) * 0x1p-31
        return unit * 1.7320508
    }
}
