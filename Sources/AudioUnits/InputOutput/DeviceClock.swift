package import Realtime

/// Maps a device's sample time to monotonic host time: a second-order delay-locked loop over its blocks' time stamps.
///
/// The bandwidth narrows from 1 Hz to 0.05 Hz, so that it locks within a second and then averages the jitter of the
/// stamps away. Source: F. Adriaensen, "Using a DLL to filter time", LAC 2005.
package struct DeviceClock: BitwiseCopyable {
    private let nominalRate: Double
    private var sample: Int64 = 0
    private var anchor = 0.0
    private var secondsPerFrame: Double
    /// The same over about 20 s: the loop follows the stamps' jitter by some 10 ppm, which is too much to report.
    private var averageSecondsPerFrame: Double
    private var age = 0.0
    package private(set) var isLocked = false
    /// Times the loop began anew: the stamps jumped by more than 40 ms, or the device was started again and counts from 0.
    package private(set) var resets = 0

    @_noLocks
    package init(nominalRate: Double) {
        self.nominalRate = nominalRate
        secondsPerFrame = 1 / nominalRate
        averageSecondsPerFrame = 1 / nominalRate
    }

    /// Takes in one block: the sample time and the host time of its first frame.
    @_noLocks
    package mutating func update(sampleTime: Int64, hostTime: HostTime) {
        let measured = Double(hostTime.nanoseconds) * 1e-9
        guard isLocked else {
            begin(sampleTime, measured)
            return
        }
        let frames = Double(sampleTime &- sample)
        let predicted = anchor + frames * secondsPerFrame
        let error = measured - predicted
        guard frames >= 0, error.magnitude < 0.04 else {
            resets &+= 1
            begin(sampleTime, measured)
            return
        }
        guard frames > 0 else { return }
        let elapsed = frames / nominalRate
        age += elapsed
        let bandwidth = max(0.05, min(1, 1 / (1 + age)))
        let omega = min(0.5, 2 * Double.pi * bandwidth * elapsed)
        anchor = predicted + min(1, 1.414_213_562_373_095 * omega) * error
        secondsPerFrame += omega * omega * error / frames
        let limit = 0.002 / nominalRate
        secondsPerFrame = max(1 / nominalRate - limit, min(1 / nominalRate + limit, secondsPerFrame))
        averageSecondsPerFrame += (secondsPerFrame - averageSecondsPerFrame) * min(1, 2 * elapsed / min(age, 40))
        sample = sampleTime
    }

    /// Host time of a frame, in seconds.
    @_noLocks
    package func seconds(at sampleTime: Int64) -> Double { anchor + Double(sampleTime &- sample) * secondsPerFrame }

    /// Real rate over nominal rate; nil until five seconds have been seen since the last jump.
    package var rateRatio: Double? {
        @_noLocks get { age < 5 ? nil : 1 / (averageSecondsPerFrame * nominalRate) }
    }

    @_noLocks
    private mutating func begin(_ sampleTime: Int64, _ seconds: Double) {
        sample = sampleTime
        anchor = seconds
        secondsPerFrame = 1 / nominalRate
        averageSecondsPerFrame = secondsPerFrame
        age = 0
        isLocked = true
    }
}
