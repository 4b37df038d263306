import Glibc

/// The coefficients of `FractionalInterpolator`: a sinc under a Kaiser window, one row of taps for each phase.
///
/// Made on first use and never freed, so that render threads can hold a bare pointer to it.
enum InterpolationTable {
    static let taps = 16
    static let phases = 256
    /// Shape of the window (Kaiser 1974): 8 keeps images about 80 dB down.
    private static let beta = 8.0

    /// `phases + 1` rows of `taps` values, each row with a sum of 1. The extra row spares interpolation a wrap.
    nonisolated(unsafe) static let coefficients: UnsafePointer<Float> = {
        let table = UnsafeMutablePointer<Float>.allocate(capacity: (phases + 1) * taps)
        for phase in 0...phases {
            let fraction = Double(phase) / Double(phases)
            var row = [Double](repeating: 0, count: taps)
            for tap in 0..<taps {
                let x = Double(tap - taps / 2 + 1) - fraction
                let sinc = x == 0 ? 1 : sin(.pi * x) / (.pi * x)
                let reach = 2 * x / Double(taps)
                row[tap] = abs(reach) >= 1 ? 0 : sinc * besselI0(beta * (1 - reach * reach).squareRoot())
            }
            let sum = row.reduce(0, +)
            for tap in 0..<taps { (table + phase * taps + tap).initialize(to: Float(row[tap] / sum)) }
        }
        return UnsafePointer(table)
    }()
}
