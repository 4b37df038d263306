import Metrics

/// One word for a call, with the reasons that keep it from being better.
public struct Verdict: Sendable, Equatable {
    public enum Grade: String, Sendable, Comparable, CaseIterable {
        case poor, fair, good

        public static func < (left: Grade, right: Grade) -> Bool {
            Grade.allCases.firstIndex(of: left) ?? 0 < Grade.allCases.firstIndex(of: right) ?? 0
        }
    }

    /// `nil` when nothing was heard, so that nothing can be said.
    public private(set) var grade: Grade?
    /// What is wrong, each with its figure.
    public private(set) var reasons: [String] = []

    /// Judges what one side heard.
    ///
    /// Delay: ITU-T G.114 (good up to 150 ms, tolerable up to 400 ms). Concealment: 1 % is where Opus and G.711 with
    /// concealment begin to be heard, 5 % is where words are lost (ITU-T G.113 appendix I).
    public init(_ statistics: CallStatistics) { self.init(statistics, countsGaps: true) }

    private init(_ statistics: CallStatistics, countsGaps: Bool) {
        guard let received = statistics.packetsReceived, received > 0 else {
            reasons = ["nothing was received"]
            return
        }
        guard let concealed = statistics.concealedRatio else {
            reasons = ["nothing was played of what was received"]
            return
        }
        grade = .good
        if let delay = statistics.mouthToEarMilliseconds {
            lower(delay, fair: 150, poor: 400, "delay \(Text.fixed(delay, 0)) ms")
        }
        lower(concealed, fair: 0.01, poor: 0.05, "\(Text.percent(concealed)) concealed")
        if let echo = statistics.echo, echo.converged == false, echo.noEchoPath != true {
            lower(1, fair: 0, poor: 2, "echo not removed")
        }
        if let level = statistics.levelHeardDecibels, level < -60 {
            lower(1, fair: 0, poor: 2, "hardly any sound (\(Text.fixed(level, 0)) dBov)")
        }
        let xruns = (statistics.xruns.capture ?? 0) + (statistics.xruns.playback ?? 0)
        if xruns > 0 { lower(Double(xruns), fair: 0, poor: 20, Text.counted(xruns, "xrun")) }
        // The same to the ear: the device was in time, and its ring empty.
        if countsGaps, let gaps = statistics.playoutGaps {
            lower(Double(gaps), fair: 0, poor: 20, Text.counted(gaps, "play-out gap"))
        }
    }

    /// Judges a loopback test by its worse direction.
    public init(_ report: LoopbackReport) {
        let directions = [("A to B", report.aToB), ("B to A", report.bToA)].map {
            // The report counts the gaps of both.
            ($0.0, Verdict($0.1, countsGaps: false))
        }
        grade = directions.contains { $0.1.grade == nil } ? nil : directions.compactMap { $0.1.grade }.min()
        for (name, verdict) in directions { reasons += verdict.reasons.map { "\(name): \($0)" } }
        if let gaps = report.gaps, gaps > 0 { lower(Double(gaps), fair: 0, poor: 5, Text.counted(gaps, "gap")) }
    }

    private mutating func lower(_ value: Double, fair: Double, poor: Double, _ reason: String) {
        guard value > fair, let grade else { return }
        self.grade = min(grade, value > poor ? .poor : .fair)
        reasons.append(reason)
    }

    /// One line.
    public var text: String {
        let word = grade?.rawValue ?? "unknown"
        return reasons.isEmpty ? word : "\(word) (\(reasons.joined(separator: "; ")))"
    }
}
