/// How many samples the `playoutRing` is topped up to.
///
/// The jitter buffer owns the delay; the ring only has to bridge the time from one turn of the playback thread to the
/// media thread's answer. It therefore holds the largest block the device asked for lately; what the hardware has queued
/// bridges a late answer. A margin comes on top when the ring ran dry all the same, and shrinks again slowly; not where the whole
/// machine stood still: what is held against that lies in the device.
package struct PlayoutLevel {
    /// Margin added after a shortfall, in milliseconds.
    package static let growthMilliseconds = 5.0
    /// Upper bound of the margin, in milliseconds.
    package static let maximumMarginMilliseconds = 60.0
    /// How fast the margin shrinks, in milliseconds a second.
    package static let shrinkPerSecond = 0.2
    /// Time without shortfall before it shrinks, in seconds; each later shortfall doubles it, so that a machine that needs
    /// the margin is not probed again and again.
    package static let calmSeconds = 20.0
    /// The longest it becomes, in seconds.
    package static let longestCalmSeconds = 1280.0
    /// Shortfalls this close together, in seconds, are one: what made the first made the next.
    package static let incidentSeconds = 1.0
    /// How fast the largest block is forgotten, as a share a second.
    static let blockForgetPerSecond = 0.1

    private let samplesPerMillisecond: Double
    private var largestBlock = 0.0
    private var margin = 0.0
    private var seenMissing: Int64 = 0
    private var calm = incidentSeconds
    // The first shortfall makes it `calmSeconds`.
    private var calmNeeded = calmSeconds / 2

    package init(sampleRate: Int) {
        samplesPerMillisecond = Double(sampleRate) / 1000
    }

    /// The level to fill to, in samples.
    package var target: Int { Int(largestBlock + margin) }

    /// The part of it that is there because the ring ran dry, in milliseconds.
    package var marginMilliseconds: Double { margin / samplesPerMillisecond }

    /// Learns from the playback thread's last turn.
    /// - Parameters:
    ///   - frames: samples it asked for.
    ///   - missing: samples of silence that were played so far because the ring was empty.
    ///   - elapsedMilliseconds: since the call before.
    ///   - isStopFelt: whether the machine stood still just now, which explains a shortfall.
    /// - Returns: samples of silence that were played since the last call because the ring was empty.
    package mutating func observe(
        frames: Int, missing: Int64, elapsedMilliseconds: Double, isStopFelt: @autoclosure () -> Bool = false
    ) -> Int {
        let seconds = elapsedMilliseconds / 1000
        largestBlock = max(Double(frames), largestBlock * (1 - Self.blockForgetPerSecond * seconds))
        calm += seconds
        if calm > calmNeeded {
            margin = max(0, margin - Self.shrinkPerSecond * samplesPerMillisecond * seconds)
        }
        let fresh = Int(missing - seenMissing)
        seenMissing = missing
        if fresh > 0, !isStopFelt() {
            if calm >= Self.incidentSeconds { calmNeeded = min(calmNeeded * 2, Self.longestCalmSeconds) }
            calm = 0
            margin = min(
                margin + Self.growthMilliseconds * samplesPerMillisecond,
                Self.maximumMarginMilliseconds * samplesPerMillisecond)
        }
        return fresh
    }
}
