import Realtime

/// Continues sound from its own past where a codec cannot: the last pitch cycles repeated, then faded.
///
/// Waveform repetition of the class of G.711 Appendix I (1999), with a slower fade, which measures better.
final class Concealment {
    /// Past that it looks at: the longest pitch lag, and the correlation window before it.
    static func historyLength(sampleRate: Int) -> Int { sampleRate * 50 / 1000 }

    private let sampleRate: Int
    private let tuning: ConcealmentTuning
    private let pitch: PitchSearch
    private let cycle: UnsafeMutablePointer<Float>
    private let capacity: Int
    private var length = 0
    private var phase = 0
    private var elapsed = 0
    private var voicing: Float = 0
    /// Samples of one pitch cycle.
    private(set) var lag = 0

    /// Whether the past is so periodic that its repetition can stand for the future.
    var isSteadyTone: Bool { voicing >= tuning.steadyTone }

    init(sampleRate: Int, tuning: ConcealmentTuning, pitch: PitchTuning) {
        self.sampleRate = sampleRate
        self.tuning = tuning
        self.pitch = PitchSearch(sampleRate: sampleRate, tuning: pitch)
        capacity = sampleRate * 45 / 1000
        cycle = ZeroedMemory.allocate(capacity)
    }

    deinit { ZeroedMemory.free(cycle) }

    /// Learns the pitch from the past: at least `historyLength` samples that end at `end`.
    func begin(end: UnsafePointer<Float>) {
        (lag, voicing) = pitch.before(end)
        // A short cycle of unvoiced sound buzzes: take more of them.
        let cycles = voicing < tuning.threeCycles ? 3 : voicing < tuning.twoCycles ? 2 : 1
        length = min(lag * cycles, capacity)
        cycle.update(from: end - length, count: length)
        // The end of the cycle must lead into its start: it becomes what came before the start.
        let seam = min(lag / 4, sampleRate * 50 / 1000 - length)
        if seam > 0 {
            Splice.crossFade(
                from: end - seam, to: end - (length + seam), into: cycle + (length - seam), count: seam)
        }
        phase = 0
        elapsed = 0
    }

    /// The next samples of the continuation.
    func generate(into output: UnsafeMutablePointer<Float>, count: Int) {
        let steady = (isSteadyTone ? tuning.toneHold : tuning.hold) * sampleRate / 1000
        let fade = (isSteadyTone ? tuning.toneFade : tuning.fade) / Float(sampleRate)
        for index in 0..<count {
            let gain = max(0, 1 - fade * Float(max(0, elapsed - steady)))
            output[index] = length > 0 ? cycle[phase] * gain : 0
            phase = phase + 1 >= length ? 0 : phase + 1
            elapsed += 1
        }
    }
}
