import JitterBuffer
import Testing

@Suite struct TimeStretchTests {
    private static let rate = 16_000

    /// 40 ms of a tone: 20 ms of past, then the frame.
    private func tone(_ hertz: Double) -> [Float] {
        (0..<640).map { Signal.tone(hertz, level: 0.5)(Double($0) / Double(Self.rate)) }
    }

    @Test("Joins keep the length exactly, and a tone stays a tone", arguments: [125.0, 200, 440, 1000], [40, 100, 160])
    func inSound(hertz: Double, wanted: Int) throws {
        let signal = tone(hertz)
        for direction in [1, -1] {
            var output = [Float](repeating: .nan, count: 640)
            let (plan, written) = signal.withUnsafeBufferPointer { signal -> (SplicePlan?, Int) in
                let origin = signal.baseAddress! + 320
                let plan =
                    direction > 0
                    ? Accelerate.inSound(origin, count: 320, wanted: wanted, sampleRate: Self.rate, threshold: 0.6)
                    : Decelerate.inSound(
                        origin, count: 320, past: 320, wanted: wanted, sampleRate: Self.rate, threshold: 0.6)
                guard let plan else { return (nil, 0) }
                let written = output.withUnsafeMutableBufferPointer {
                    Splice.apply(
                        origin: origin, count: 320, shift: plan.shift, fade: plan.fade, into: $0.baseAddress!)
                }
                return (plan, written)
            }
            // Where no whole period lies between 2.5 ms and what is wanted, nothing is done.
            guard let plan else {
                #expect(Double(wanted) < 40 + Double(Self.rate) / hertz)
                continue
            }
            #expect(written == 320 - plan.shift)
            #expect(output[0..<written].allSatisfy { $0.isFinite })
            #expect(plan.shift * direction > 0 && abs(plan.shift) <= wanted)
            // No step is steeper than the tone's own slope, by a fifth.
            let slope = Float(0.5 * 2 * Double.pi * hertz / Double(Self.rate))
            let joined = [signal[319]] + output[0..<written]
            let steepest = zip(joined, joined.dropFirst()).map { abs($1 - $0) }.max() ?? .nan
            #expect(steepest <= slope * 1.2)
        }
    }

    @Test("In a pause the whole way is made, three quarters of a frame at most")
    func inPause() throws {
        var random = TestRandom(seed: 3)
        let noise = (0..<640).map { _ in Float(random.unit() - 0.5) * 1e-3 }
        let (shorter, longer) = noise.withUnsafeBufferPointer { noise in
            let origin = noise.baseAddress! + 320
            return (
                Accelerate.inPause(origin, count: 320, wanted: 5000, sampleRate: Self.rate),
                Decelerate.inPause(origin, count: 320, past: 320, wanted: 5000, sampleRate: Self.rate)
            )
        }
        #expect((200...240).contains(try #require(shorter).shift))
        #expect((-320 ... -280).contains(try #require(longer).shift))
    }

    @Test("Noise is not stretched as if it had a pitch")
    func noPitch() {
        var random = TestRandom(seed: 4)
        let noise = (0..<640).map { _ in Float(random.unit() - 0.5) }
        noise.withUnsafeBufferPointer { noise in
            #expect(
                Accelerate.inSound(
                    noise.baseAddress! + 320, count: 320, wanted: 160, sampleRate: Self.rate, threshold: 0.6) == nil)
        }
    }

    @Test("Pauses settle after 160 ms; speech and steady noise are none")
    func pauses() {
        var detector = PauseDetector()
        func feed(_ level: Float, frames: Int) {
            for _ in 0..<frames {
                let frame = (0..<320).map { $0 % 2 == 0 ? level : -level }
                frame.withUnsafeBufferPointer { detector.add($0.baseAddress!, count: 320, milliseconds: 20) }
            }
        }
        feed(0.2, frames: 50)
        #expect(!detector.isSettled)
        feed(0.0001, frames: 8)
        #expect(!detector.isSettled)
        feed(0.0001, frames: 1)
        #expect(detector.isSettled)
        feed(0.2, frames: 1)
        #expect(!detector.isSettled)
        #expect(detector.sinceSettled == 20)
    }
}
