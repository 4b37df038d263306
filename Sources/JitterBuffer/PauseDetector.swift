/// Tells settled pauses from sound: only there can the delay be moved unheard.
package struct PauseDetector {
    private let tuning: StretchTuning
    /// Mean square of the background; nil before anything was heard.
    package private(set) var noise: Float?
    private var speech: Float = 0
    /// How long the present pause has lasted, in milliseconds; 0 in sound.
    package private(set) var pauseMilliseconds = 0.0
    /// Milliseconds since the last settled pause.
    package private(set) var sinceSettled = 0.0

    package init(tuning: StretchTuning = StretchTuning()) { self.tuning = tuning }

    /// Whether the frame noted last lies in a settled pause.
    package var isSettled: Bool { pauseMilliseconds > tuning.settledPause }

    /// Notes a frame of about 20 ms.
    package mutating func add(_ samples: UnsafePointer<Float>, count: Int, milliseconds: Double) {
        guard count > 0 else { return }
        let energy = Sums.energy(samples, count: count) / Float(count)
        guard energy.isFinite else { return }
        let floor = noise ?? energy
        noise = max(
            1e-12,
            energy < floor
                ? floor + tuning.backgroundFall * (energy - floor)
                : min(energy, floor * tuning.backgroundRise + 1e-12))
        speech = energy > speech ? speech + tuning.speechRise * (energy - speech) : speech * tuning.speechFall
        let quiet =
            energy < min(max(tuning.overBackground * (noise ?? 0), tuning.underSpeech * speech), tuning.mostOfSpeech * speech)
            || energy < tuning.quietest
        pauseMilliseconds = quiet ? pauseMilliseconds + milliseconds : 0
        sinceSettled = isSettled ? 0 : sinceSettled + milliseconds
    }
}
