import AudioUnits
import Testing

/// Far end and microphone as the finder gets them, and what it says.
private struct Trial {
    let rate: Double
    let far: [Float]
    var microphone: [Float]

    /// The microphone hears `far` through a decaying room that begins after `delay` seconds, with noise at -70 dBFS.
    init(rate: Double, far: [Float], delay: Double, gain: Float = 0.5, reverberates: Bool = true, seed: UInt64 = 5) {
        self.rate = rate
        self.far = far
        let block = Int(rate / 100)
        let room = EchoRoom(
            rate: rate, rt60: reverberates ? 0.25 : 0.004, delaySeconds: delay, gain: gain, block: block, seed: seed)
        microphone = []
        for start in stride(from: 0, to: far.count - block + 1, by: block) {
            microphone += room.hear(Array(far[start..<start + block]))
        }
        var noise = Noise(seed: seed &+ 1)
        for index in microphone.indices { microphone[index] += noise.next() * 5.5e-4 }
    }

    typealias Report = (seconds: Double, finding: DelayFinder.Finding)

    /// Findings with their times; what is found is held from then on, as the aligner does.
    func run(_ finder: inout DelayFinder, held start: Double? = nil, isCancelling: Bool = false) -> [Report] {
        let block = Int(rate / 100)
        var held = start
        var reports: [Report] = []
        far.withUnsafeBufferPointer { far in
            microphone.withUnsafeBufferPointer { microphone in
                for position in stride(from: 0, to: min(far.count, microphone.count) - block + 1, by: block) {
                    let finding = finder.process(
                        far: far.baseAddress! + position, microphone: microphone.baseAddress! + position,
                        count: block, held: held, isCancelling: isCancelling)
                    switch finding {
                    case .nothing: continue
                    case .found(let seconds), .moved(let seconds): held = seconds
                    }
                    reports.append((Double(position + block) / rate, finding))
                }
            }
        }
        return reports
    }

    static func noise(rate: Double, seconds: Double, level: Float = 0.1, seed: UInt64) -> [Float] {
        var noise = Noise(seed: seed)
        // Half a second of silence first: a noise that never begins has no beginning to find.
        return (0..<Int(rate * seconds)).map { Double($0) < rate / 2 ? 0 : noise.next() * level * 1.73 }
    }

    /// The first sample of the far end over -50 dBFS, in seconds.
    var farBegins: Double { Double(far.firstIndex { $0.magnitude > 3.2e-3 } ?? 0) / rate }
}

@Suite("Delay finder")
struct DelayFinderTests {
    @Test(
        "finds the delay of noise and of speech within half a second, to a millisecond",
        arguments: [0.0, 15, 75, 180, 330, 500], [8000.0, 16_000, 32_000, 48_000])
    func finds(milliseconds: Double, rate: Double) throws {
        for (seed, isSpeech) in [(3 as UInt64, true), (4, false)] {
            let far =
                isSpeech
                ? Signals.speechLike(rate: rate, seconds: 3, seed: seed)
                : Trial.noise(rate: rate, seconds: 2, seed: seed)
            let trial = Trial(rate: rate, far: far, delay: milliseconds / 1000)
            var finder = try DelayFinder(rate: Int(rate))
            let reports = trial.run(&finder)
            let first = try #require(reports.first, "seed \(seed)")
            guard case .found(let seconds) = first.finding else {
                Issue.record("seed \(seed): \(first)")
                continue
            }
            #expect(abs(seconds * 1000 - milliseconds) <= 1, "seed \(seed)")
            let active = first.seconds - trial.farBegins - milliseconds / 1000
            print("lock: \(isSpeech ? "speech" : "noise") \(Int(milliseconds)) ms at \(Int(rate)) Hz after \(active) s")
            #expect(active <= 0.5, "seed \(seed)")
            #expect(reports.count == 1, "seed \(seed): \(reports)")
        }
    }

    @Test("finds nothing in 30 s of a silent or a noisy microphone, nor in somebody else's speech")
    func findsNothing() throws {
        let far = Signals.speechLike(rate: 16_000, seconds: 30, seed: 7)
        var noise = Noise(seed: 8)
        let silent = [Float](repeating: 0, count: far.count)
        let noisy = silent.map { _ in noise.next() * 0.02 }
        let other = Signals.speechLike(rate: 16_000, seconds: 30, seed: 9)
        for (name, microphone) in [("silent", silent), ("noisy", noisy), ("other speech", other)] {
            var trial = Trial(rate: 16_000, far: far, delay: 0)
            trial.microphone = microphone
            var finder = try DelayFinder(rate: 16_000)
            #expect(trial.run(&finder).isEmpty, "\(name)")
        }
    }

    @Test("finds nothing in a far end that is silent, whatever the microphone hears")
    func silentFarEnd() throws {
        var trial = Trial(rate: 16_000, far: [Float](repeating: 0, count: 160_000), delay: 0)
        trial.microphone = Signals.speechLike(rate: 16_000, seconds: 10, seed: 9)
        var finder = try DelayFinder(rate: 16_000)
        #expect(trial.run(&finder).isEmpty)
    }

    @Test(
        "double talk as loud as the echo, and twice as loud, does not move a delay that is held", arguments: [1, 2] as [Float])
    func doubleTalk(level: Float) throws {
        let far = Signals.speechLike(rate: 16_000, seconds: 30, seed: 11)
        var trial = Trial(rate: 16_000, far: far, delay: 0.06)
        let near = Signals.speechLike(rate: 16_000, seconds: 28, seed: 12)
        let echo = Signals.power(trial.microphone[...])
        let gain = level * (echo / Signals.power(near[...])).squareRoot()
        for index in near.indices { trial.microphone[32_000 + index] += gain * near[index] }
        var finder = try DelayFinder(rate: 16_000)
        let reports = trial.run(&finder)
        #expect(reports.count == 1, "\(reports)")
    }

    @Test("follows a jump of 60 ms within a second of speech, once", arguments: [-0.06, 0.06, 0.1, -0.1])
    func jump(by step: Double) throws {
        let rate = 16_000.0
        let far = Signals.speechLike(rate: rate, seconds: 12, seed: 13)
        let before = Trial(rate: rate, far: far, delay: 0.15)
        let after = Trial(rate: rate, far: far, delay: 0.15 + step)
        var trial = before
        let at = Int(6 * rate)
        trial.microphone = Array(before.microphone[..<at] + after.microphone[at...])
        var finder = try DelayFinder(rate: 16_000)
        let reports = trial.run(&finder)
        print("jump by \(step * 1000) ms: \(reports)")
        try #require(reports.count == 2)
        guard case .moved(let seconds) = reports[1].finding else {
            Issue.record("\(reports)")
            return
        }
        #expect(abs(seconds - 0.15 - step) < 0.0015)
        #expect(reports[1].seconds < 7.3, "1 s of speech; the pauses come on top")
    }

    @Test("tones and a ring tone teach it nothing false")
    func tones() throws {
        let rate = 16_000.0
        let count = 16_000 * 10
        let tone = Signals.sine(440, rate: rate, count: count, amplitude: 0.3)
        let second = Signals.sine(480, rate: rate, count: count, amplitude: 0.3)
        let ring = tone.indices.map { ($0 / 32_000) % 2 == 0 ? tone[$0] + second[$0] : 0 }
        for (name, far) in [("tone", tone), ("ring", ring)] {
            let trial = Trial(rate: rate, far: far, delay: 0.08)
            var finder = try DelayFinder(rate: 16_000)
            for report in trial.run(&finder) {
                guard case .found(let seconds) = report.finding else {
                    Issue.record("\(name): \(report)")
                    continue
                }
                #expect(abs(seconds - 0.08) < 0.003, "\(name)")
            }
        }
    }

    @Test("what is no number, or far over full scale, neither traps nor stays")
    func badInput() throws {
        var far = Signals.speechLike(rate: 16_000, seconds: 6, seed: 15)
        var trial = Trial(rate: 16_000, far: far, delay: 0.075)
        for (index, value) in [Float.nan, .infinity, -.infinity, 1e38, -1e30].enumerated() {
            far[8_000 + 400 * index] = value
            trial.microphone[9_000 + 400 * index] = value
        }
        let bad = trial
        trial = Trial(rate: 16_000, far: far, delay: 0)
        trial.microphone = bad.microphone
        var finder = try DelayFinder(rate: 16_000)
        let reports = trial.run(&finder)
        #expect(reports.count == 1)
        guard case .found(let seconds) = try #require(reports.first).finding else { return }
        #expect(abs(seconds - 0.075) < 0.001)
        #expect(finder.score.isFinite)
    }

    @Test("a rate that no call has is refused")
    func rates() {
        #expect(throws: AudioUnitError.self) { _ = try DelayFinder(rate: 100) }
    }
}
