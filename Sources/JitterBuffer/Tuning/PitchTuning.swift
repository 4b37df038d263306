import DSP

/// Numbers of `PitchSearch`. By hand, in the range of G.711 Appendix I (1999), where nothing else is said.
package struct PitchTuning: Tuning {
    /// Lags that are looked at, in milliseconds: 67 to 250 Hz.
    package var shortestLag = 4
    package var longestLag = 15
    /// Windows of the correlation, in microseconds; the mean over both counts.
    package var longWindow = 20_000
    package var shortWindow = 7500
    /// Taken off the correlation per sample of lag at 8 kHz: of two multiples of a cycle the shorter is the pitch.
    package var penalty: Float = 0.0006

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("shortestLag", \.shortestLag, 2...15), .init("longestLag", \.longestLag, 2...15),
            .init("longWindow", \.longWindow, 5000...20_000), .init("shortWindow", \.shortWindow, 2000...20_000),
            .init("penalty", \.penalty, 0...0.01),
        ]
    }

    package var conflict: String? {
        if shortestLag > longestLag { return "shortestLag is over longestLag" }
        return shortWindow > longWindow ? "shortWindow is over longWindow" : nil
    }
}
