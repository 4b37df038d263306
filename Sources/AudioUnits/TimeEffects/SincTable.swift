import DSP
import Glibc

/// How finely a sinc is kept.
enum SincShape {
    /// Zero crossings on either side.
    static var crossings: Int { @_noLocks get { 16 } }
    /// Steps from one crossing to the next.
    static var steps: Int { @_noLocks get { 512 } }
}

/// One half of a sinc under a Kaiser window: what a signal is read with between its samples, at any speed.
///
/// After J. O. Smith and P. Gossett, "A flexible sampling-rate conversion method" (ICASSP 1984): fine steps, and straight
/// lines between them.
final class SincTable: Sendable {
    /// Shape of the window: 9 keeps images about 90 dB down.
    private static let beta = 9.0

    /// `SincShape.crossings * SincShape.steps + 2` values; the last two are 0.
    nonisolated(unsafe) let values: UnsafeMutablePointer<Float>

    init() {
        let count = SincShape.crossings * SincShape.steps
        values = cleared(count + 2)
        for index in 0..<count {
            let x = Double(index) / Double(SincShape.steps)
            let sinc = x == 0 ? 1 : sin(.pi * x) / (.pi * x)
            let reach = x / Double(SincShape.crossings)
            values[index] = Float(sinc * besselI0(Self.beta * (1 - reach * reach).squareRoot()) / besselI0(Self.beta))
        }
        // Exactly nothing at the crossings, so that a signal read at its own samples comes out as it was.
        for crossing in 1..<SincShape.crossings { values[crossing * SincShape.steps] = 0 }
    }

    deinit { values.deallocate() }
}
