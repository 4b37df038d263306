/// Smooths the host times of device blocks: a delay-locked loop of second order
/// (F. Adriaensen, "Using a DLL to filter time", Linux Audio Conference 2005), for blocks of any length.
///
/// What a sound server says about its delay jumps by its own block length; a block's time must not.
package struct BlockTimeline: BitwiseCopyable {
    /// Loop bandwidth at the start and after it has settled, in Hz.
    package static let startBandwidth = 1.0
    package static let settledBandwidth = 0.05
    /// Time constant of the move from one to the other, in seconds.
    package static let settleSeconds = 2.0
    /// A block that is this far from where it should be is a jump, not jitter, in nanoseconds.
    package static let jumpNanoseconds = 30_000_000.0

    private let nominal: Double
    package private(set) var nanosecondsPerFrame: Double
    private var expected = 0.0
    private var base: Int64 = 0
    private var bandwidth = startBandwidth
    private var isRunning = false

    @_noLocks
    package init(rate: Int) {
        nominal = 1e9 / Double(rate)
        nanosecondsPerFrame = nominal
    }

    /// The smoothed time of a block's first frame; both times in nanoseconds.
    @_noLocks
    package mutating func time(measured: Int64, frames: Int) -> Int64 {
        let length = Double(frames)
        if !isRunning { restart(measured) }
        var error = Double(measured &- base) - expected
        if error > Self.jumpNanoseconds || error < -Self.jumpNanoseconds {
            restart(measured)
            error = 0
        }
        let seconds = length * nominal / 1e9
        var omega = 2 * Double.pi * bandwidth * seconds
        if omega > 0.3 { omega = 0.3 }
        let time = expected + 1.4142135623730951 * omega * error
        nanosecondsPerFrame += omega * omega * error / length
        // no device is off by more than 2 %: beyond that the delay reports are wrong
        let low = nominal * 0.98
        let high = nominal * 1.02
        if nanosecondsPerFrame < low { nanosecondsPerFrame = low }
        if nanosecondsPerFrame > high { nanosecondsPerFrame = high }
        expected = time + length * nanosecondsPerFrame
        let step = seconds < Self.settleSeconds ? seconds / Self.settleSeconds : 1
        bandwidth += (Self.settledBandwidth - bandwidth) * step
        return base &+ Int64(time)
    }

    /// Forgets the past: the next block sets the time.
    @_noLocks
    package mutating func reset() { isRunning = false }

    @_noLocks
    private mutating func restart(_ measured: Int64) {
        base = measured
        expected = 0
        nanosecondsPerFrame = nominal
        bandwidth = Self.startBandwidth
        isRunning = true
    }
}
