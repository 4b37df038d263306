import JitterBuffer
import Testing

@Suite struct StretcherTests {
    private static let rate = 8000
    private static let frame = 160

    /// Feeds `seconds` of a signal while `wanted` samples are to be taken out of each frame; returns the shifts.
    private func shifts(
        _ wanted: Int, seconds: Double, tuning: StretchTuning = StretchTuning(), _ signal: (Double) -> Float
    ) -> [Int] {
        var stretcher = Stretcher(sampleRate: Self.rate, frame: Self.frame, tuning: tuning)
        // 100 ms of past before the first frame.
        let past = 800
        let sound = (0..<(past + Int(seconds * Double(Self.rate)))).map { signal(Double($0) / Double(Self.rate)) }
        return sound.withUnsafeBufferPointer { sound in
            let start = sound.baseAddress! + past
            return stride(from: 0, to: sound.count - past - Self.frame + 1, by: Self.frame).map { index in
                stretcher.hear(start + index, count: Self.frame)
                let result = stretcher.stretch(start + index, count: Self.frame, by: wanted, after: start + index)
                #expect(result.count == Self.frame - result.shift)
                return result.shift
            }
        }
    }

    @Test("Nothing wanted, nothing changed: the samples are the caller's own")
    func untouched() {
        #expect(shifts(0, seconds: 1, Signal.voice).allSatisfy { $0 == 0 })
    }

    @Test("Speech is left alone; its pauses take the whole way, in both directions", arguments: [100, -100])
    func pauses(wanted: Int) {
        let found = shifts(wanted, seconds: 6.25, Signal.fluentVoice)
        // Its pauses last 140 ms, but for one of 540 ms that begins at 5.86 s and settles after 160 ms.
        #expect(found[30..<285].allSatisfy { $0 == 0 })
        let inPause = found.suffix(8).filter { $0 != 0 }
        #expect(!inPause.isEmpty && inPause.allSatisfy { ($0 > 0) == (wanted > 0) && abs($0) <= 100 })
    }

    @Test("A tone is shortened by whole periods at once")
    func tone() {
        let found = shifts(100, seconds: 2, Signal.tone(200)).filter { $0 != 0 }
        #expect(!found.isEmpty && found.allSatisfy { $0 % 40 == 0 })
    }

    @Test("Sound without pauses is stretched when patience has ended, which a sweep may set")
    func patience() throws {
        var random = TestRandom(seed: 5)
        func noise(_ time: Double) -> Float { Float(random.unit() - 0.5) }
        #expect(shifts(120, seconds: 4, noise).allSatisfy { $0 == 0 })
        var tuning = StretchTuning()
        try tuning.set("patience", to: 100)
        try tuning.set("lastPatience", to: 200)
        try tuning.set("patienceForPitch", to: 100)
        #expect(shifts(120, seconds: 4, tuning: tuning, noise).contains { $0 > 0 })
    }
}
