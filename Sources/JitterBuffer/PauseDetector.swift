/// Tells settled pauses from sound: only there can the delay be moved unheard.
package struct PauseDetector {
    /// A pause is settled when it has lasted this long, in milliseconds: word gaps are not.
    static let settledMilliseconds = 160.0
    /// Energies below this are silence whatever came before (-90 dB of full scale).
    private static let silence: Float = 1e-9

    /// Mean square of the background.
    private(set) var noise: Float?
    private var speech: Float = 0
    /// How long the present pause has lasted, in milliseconds; 0 in sound.
    private(set) var pauseMilliseconds = 0.0
    /// Milliseconds since the last settled pause.
    package private(set) var sinceSettled = 0.0

    package init() {}

    /// Whether the frame noted last lies in a settled pause.
    package var isSettled: Bool { pauseMilliseconds > Self.settledMilliseconds }

    /// Notes a frame of about 20 ms.
    package mutating func add(_ samples: UnsafePointer<Float>, count: Int, milliseconds: Double) {
        guard count > 0 else { return }
        let energy = Sums.energy(samples, count: count) / Float(count)
        guard energy.isFinite else { return }
        let floor = noise ?? energy
        noise = max(1e-12, energy < floor ? floor + 0.3 * (energy - floor) : min(energy, floor * 1.01 + 1e-12))
        speech = energy > speech ? speech + 0.3 * (energy - speech) : speech * 0.9995
        let quiet = energy < min(max(4 * (noise ?? 0), 1e-4 * speech), 1e-2 * speech) || energy < Self.silence
        pauseMilliseconds = quiet ? pauseMilliseconds + milliseconds : 0
        sinceSettled = isSettled ? 0 : sinceSettled + milliseconds
    }
}
