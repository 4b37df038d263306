/// Whether spikes of delay come at even intervals, as they do while a radio scans its channels, and have ended.
///
/// Their delay is kept until the next one is due. In a spike no packet arrives on time. So a packet that arrives on time when
/// the next spike is due shows that the spike has stayed out.
struct SpikeRhythm {
    /// Intervals that make a rhythm.
    private static let intervals = 4

    private let tuning: RhythmTuning

    /// The last intervals from spike to spike, in milliseconds; infinite before there were so many.
    private var lengths = InlineArray<4, Double>(repeating: .infinity)
    private var next = 0
    private var lastStart = -Double.infinity
    private var lastLate = -Double.infinity
    private var lastOnTime = -Double.infinity
    /// Whether a spike came out of time since the last one in time: a single one, of another origin, hides no rhythm.
    private var hasStray = false
    /// How far above the floor packets came since the last spike in time, in milliseconds.
    private(set) var mostSince = 0.0

    init(tuning: RhythmTuning) { self.tuning = tuning }

    mutating func removeAll() { self = SpikeRhythm(tuning: tuning) }

    /// Notes an arrival that is part of a spike.
    /// - Parameters:
    ///   - excess: how far above the floor it came, in milliseconds.
    ///   - time: arrival in milliseconds.
    mutating func noteSpike(excess: Double, at time: Double) {
        defer { lastLate = max(lastLate, time) }
        let isNew = time - lastLate > tuning.sameSpike
        // What comes so late was held up since then.
        let start = time - excess
        if isNew, !hasStray, let even = evenIntervals, tuning.mostUneven * (start - lastStart) < even.lowerBound {
            hasStray = true
        } else if isNew {
            lengths[next] = start - lastStart
            next = (next + 1) % Self.intervals
            lastStart = start
            mostSince = 0
            hasStray = false
        }
        // When the others are over, it is not.
        if hasStray { mostSince = max(mostSince, excess) }
    }

    /// Notes an arrival that is part of none.
    /// - Parameters:
    ///   - excess: how far above the floor it came, in milliseconds.
    ///   - time: arrival in milliseconds.
    mutating func noteOnTime(excess: Double, at time: Double) {
        // A spike's own tail says nothing of what follows it.
        guard time - lastLate > tuning.sameSpike else { return }
        lastOnTime = max(lastOnTime, time)
        mostSince = max(mostSince, excess)
    }

    /// The shortest and the longest of the last intervals; nil when they are no rhythm.
    private var evenIntervals: ClosedRange<Double>? {
        var shortest = Double.infinity
        var longest = 0.0
        for index in 0..<Self.intervals {
            shortest = min(shortest, lengths[index])
            longest = max(longest, lengths[index])
        }
        return longest < .infinity && longest <= tuning.mostUneven * shortest ? shortest...longest : nil
    }

    /// Whether spikes came evenly and the next one has stayed out.
    var isOver: Bool {
        guard let even = evenIntervals else { return false }
        let unevenness = max(even.upperBound - even.lowerBound, tuning.resolution)
        return lastOnTime - lastStart > even.upperBound + unevenness
    }
}
