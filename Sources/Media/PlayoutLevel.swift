import Realtime

/// How many samples the `playoutRing` is topped up to.
///
/// The jitter buffer owns the delay; the ring only has to bridge the time from one turn of the playback thread to the
/// media thread's answer. It therefore holds the largest block the device asked for lately; what the hardware has queued
/// bridges a late answer. What this machine's stops need is held there too, by the device (`MachineLateness`), and only there: a
/// ring that a stop emptied learns nothing. Where it ran dry without one, since the media thread alone was late or a device asks
/// unevenly, a margin comes on top, and shrinks again slowly.
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
    /// A stop of the machine explains a shortfall this soon after it, in milliseconds, if it was longer than what a device holds
    /// anyway and what it holds against stops.
    private static let explainedMilliseconds = 300.0
    private static let readyMilliseconds = 10.0

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

    /// Whether a stop of the machine is why the ring runs dry at `now`.
    package static func explains(_ stop: MachineStop?, reserve: Double, now: HostTime) -> Bool {
        guard let stop, now.milliseconds(since: stop.end) <= explainedMilliseconds else { return false }
        return stop.end.milliseconds(since: stop.begin) > readyMilliseconds + reserve
    }

    /// The part of it that is there because the ring ran dry, in milliseconds.
    package var marginMilliseconds: Double { margin / samplesPerMillisecond }

    /// Learns from the playback thread's last turn.
    /// - Parameters:
    ///   - frames: samples that it took.
    ///   - missing: samples that it did not get, since the start.
    ///   - elapsedMilliseconds: since the last call.
    ///   - isExplained: whether a stop of the machine is why (`explains`): the device makes room for the next one.
    /// - Returns: samples of silence that were played since the last call because the ring was empty.
    package mutating func observe(
        frames: Int, missing: Int64, elapsedMilliseconds: Double, isExplained: Bool = false
    ) -> Int {
        let seconds = elapsedMilliseconds / 1000
        largestBlock = max(Double(frames), largestBlock * (1 - Self.blockForgetPerSecond * seconds))
        calm += seconds
        if calm > calmNeeded {
            margin = max(0, margin - Self.shrinkPerSecond * samplesPerMillisecond * seconds)
        }
        let fresh = Int(missing - seenMissing)
        seenMissing = missing
        if fresh > 0, !isExplained {
            if calm >= Self.incidentSeconds { calmNeeded = min(calmNeeded * 2, Self.longestCalmSeconds) }
            calm = 0
            margin = min(
                margin + Self.growthMilliseconds * samplesPerMillisecond,
                Self.maximumMarginMilliseconds * samplesPerMillisecond)
        }
        return fresh
    }
}
