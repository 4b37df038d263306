import Realtime

/// One signal on its way to a file: the owner's end of a lock-free ring.
package final class SignalChannel {
    private var ring: RingProducer<Float>
    private let health: FileHealth
    /// Samples lost because the thread that empties the ring was away for longer than it holds.
    package private(set) var dropped = 0

    init(_ ring: consuming RingProducer<Float>, health: FileHealth) {
        self.ring = ring
        self.health = health
    }

    /// Copies `block` into the ring; what does not fit is dropped and counted.
    package func add(_ block: [Float]) {
        block.withUnsafeBufferPointer { samples in
            guard let start = samples.baseAddress else { return }
            let lost = samples.count - ring.write(start, count: samples.count)
            dropped += lost
            health.lose(lost)
        }
    }
}

/// The reading end of a ring, in a box: a noncopyable value cannot live in an array.
final class FilledRing {
    var ring: RingConsumer<Float>

    init(_ ring: consuming RingConsumer<Float>) { self.ring = ring }
}

/// The other ends of the rings of signals that go into one file: brings them together, one channel each, in the file's 16 bits.
///
/// A channel that stands still for more than a second, or half of what a ring holds (a microphone that hangs), is filled up with silence, until it goes on: the
/// others would be lost once their rings are full, and all that follows would be out of step.
final class SignalCollector {
    private let rings: [FilledRing]
    /// Frames that are handed out at once, at most.
    private let chunk: Int
    /// A channel that has nothing while another one has more than this many samples stands still: no longer waited for.
    private let patience: Int
    /// Channels that stand still.
    private var isStill: [Bool]
    private var interleaved: [Int16]
    /// Of each channel, one after the other.
    private var block: [Float]

    /// - Parameter ringSeconds: what a ring holds.
    init(_ rings: [FilledRing], sampleRate: Int, ringSeconds: Double) {
        self.rings = rings
        chunk = sampleRate / 10
        patience = Int(Double(sampleRate) * min(1, ringSeconds / 2))
        isStill = rings.map { _ in false }
        interleaved = [Int16](repeating: 0, count: chunk * rings.count)
        block = [Float](repeating: 0, count: chunk * rings.count)
    }

    /// Makes a ring for each channel, and what brings their sound together.
    static func open(
        channels: Int, sampleRate: Int, ringSeconds: Double, health: FileHealth
    ) throws(CallError) -> (collector: SignalCollector, channels: [SignalChannel]) {
        var inlets: [SignalChannel] = []
        var rings: [FilledRing] = []
        do {
            for _ in 0..<channels {
                let ends = try RingEnds<Float>(minimumCapacity: Int(Double(sampleRate) * ringSeconds))
                inlets.append(SignalChannel(ends.producer, health: health))
                rings.append(FilledRing(ends.consumer))
            }
        } catch {
            throw .resources("\(error)")
        }
        return (SignalCollector(rings, sampleRate: sampleRate, ringSeconds: ringSeconds), inlets)
    }

    /// Hands out what every channel has, a tenth of a second at most.
    /// - Parameters:
    ///   - toEnd: whether nothing more comes: what is shorter is filled up with silence.
    ///   - body: takes interleaved samples.
    /// - Returns: whether there was any.
    func take(toEnd: Bool = false, _ body: (UnsafeBufferPointer<Int16>) -> Void) -> Bool {
        let waiting = rings.map { $0.ring.available(wanted: patience + 1) }
        let most = waiting.max() ?? 0
        for (channel, count) in waiting.enumerated() {
            if count > 0 { isStill[channel] = false } else if most > patience { isStill[channel] = true }
        }
        let least = zip(waiting, isStill).filter { !$0.1 }.map(\.0).min()
        let frames = min(chunk, toEnd ? most : least ?? 0)
        guard frames > 0 else { return false }
        interleave(frames: frames)
        interleaved.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[..<(frames * rings.count)])) }
        return true
    }

    private func interleave(frames: Int) {
        let channels = rings.count
        interleaved.withUnsafeMutableBufferPointer { all in
            block.withUnsafeMutableBufferPointer { each in
                guard let sound = all.baseAddress, let samples = each.baseAddress else { return }
                for (channel, source) in rings.enumerated() {
                    let own = samples + channel * frames
                    let read = source.ring.read(into: own, count: frames)
                    (own + read).update(repeating: 0, count: frames - read)
                }
                if channels == 2 { return Self.interleave(samples, samples + frames, frames, into: sound) }
                for channel in 0..<channels {
                    for frame in 0..<frames {
                        sound[frame * channels + channel] = Self.sixteenBits(samples[channel * frames + frame])
                    }
                }
            }
        }
    }

    /// Recordings have two channels: a loop that the compiler makes one of vectors.
    private static func interleave(
        _ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>, _ frames: Int, into sound: UnsafeMutablePointer<Int16>
    ) {
        for frame in 0..<frames {
            sound[2 &* frame] = sixteenBits(left[frame])
            sound[2 &* frame &+ 1] = sixteenBits(right[frame])
        }
    }

    /// As libsndfile makes 16 bits of a float sample: the upper half of the nearest 32 bits, clipped. So a recording is the same bytes
    /// whoever writes it.
    ///
    /// Adding 1.5 * 2^52 leaves the rounded integer in the low bits, which vectorises.
    @inline(__always)
    private static func sixteenBits(_ sample: Float) -> Int16 {
        let clipped = sample < -1 ? -1 : sample > 0x1.fffffep-1 ? 0x1.fffffep-1 : sample
        let bits = (Double(clipped) * 2_147_483_648 + 6_755_399_441_055_744).bitPattern
        return Int16(truncatingIfNeeded: Int32(truncatingIfNeeded: bits) >> 16)
    }
}
