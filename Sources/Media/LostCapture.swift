import Realtime

/// Sound of the microphone that is missing since the machine stood still for longer than its buffers hold.
///
/// What comes is counted, and stamped with the time at which it was at the microphone. Where the stamps go on by more than the count,
/// something is missing: packets' time stamps go on by as much, or all that follows would seem late by it for good. Devices correct
/// their stamps now and then, so nothing is believed but what a stop explains.
package struct LostCapture {
    /// Less than that, in milliseconds, is not told from a device that corrects its stamps.
    package static let leastMilliseconds = 10.0
    /// A shorter stop, in milliseconds, is bridged by the buffers.
    package static let leastStopMilliseconds = 100.0
    /// The stop that explains it is known so soon, in milliseconds, or never.
    private static let patience = 1000 * MachineStop.explainedSeconds

    /// When the first sample was at the microphone, if none is missing since.
    private var start: HostTime?
    /// When something was first missing that nothing explains yet.
    private var unexplained: HostTime?

    /// What is missing that was not taken yet: before which sample, and how much in milliseconds.
    private var gap: (sample: Int64, milliseconds: Double)?

    package init() {}

    /// A turn of the media thread.
    /// - Parameters:
    ///   - timing: of the block that was captured last.
    ///   - stop: the machine's latest.
    ///   - now: when.
    package mutating func observe(_ timing: StreamTiming, sampleRate: Int, stop: MachineStop?, now: HostTime) {
        let next = timing.hostTime(of: 0, sampleRate: sampleRate)
        guard let before = start, next.milliseconds(since: before) >= Self.leastMilliseconds else {
            (start, unexplained) = (next, nil)
            return
        }
        let missing = next.milliseconds(since: before)
        if let stop, Self.explains(stop, missing, now: now) {
            (start, unexplained) = (next, nil)
            gap = (timing.sampleIndex, (gap?.milliseconds ?? 0) + missing)
            return
        }
        let since = unexplained ?? now
        unexplained = since
        if now.milliseconds(since: since) > Self.patience { (start, unexplained) = (next, nil) }
    }

    /// - Parameter end: the sample behind the frame that is taken now.
    /// - Returns: milliseconds that are missing before it and were not told before; nil as a rule.
    package mutating func take(before end: Int64) -> Double? {
        guard let gap, gap.sample < end else { return nil }
        self.gap = nil
        return gap.milliseconds
    }

    private static func explains(_ stop: MachineStop, _ missing: Double, now: HostTime) -> Bool {
        now.milliseconds(since: stop.end) <= patience && stop.milliseconds >= leastStopMilliseconds
            && missing <= stop.milliseconds + leastMilliseconds
    }
}
