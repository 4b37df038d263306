import Metrics

/// A report for people: one column for each direction, the delay stage by stage, then what happened to the sound.
public enum ReportText {
    /// A call seen from this side.
    public static func lines(_ report: CallReport) -> [String] {
        var lines: [String] = []
        if let seconds = report.durationSeconds {
            lines.append("call of \(Text.clock(seconds))" + (report.reason.map { ", ended by \($0)" } ?? ""))
        }
        for (name, value) in report.effective.sorted(by: { $0.key < $1.key }) {
            let wanted = report.requested[name].flatMap { $0 == value || $0 == "any" ? nil : $0 }
            lines.append("\(Text.left(name, 20)) \(value)" + (wanted.map { " (asked for \($0))" } ?? ""))
        }
        lines += report.legs.enumerated().map { number, leg in
            let received = leg.statistics.packetsReceived.map { ", \($0) packets received" } ?? ""
            let lost = leg.statistics.lostRatio.map { ", \(Text.percent($0)) lost" } ?? ""
            return "\(Text.left("part \(number + 1)", 20)) \(leg.party ?? "?"), "
                + "\(Text.clock(leg.durationSeconds ?? 0))\(received)\(lost)"
        }
        lines += table([("", report.statistics)])
        lines += reported(report.statistics)
        lines += outcomes(report.assertions)
        lines.append(verdict(Verdict(report.statistics), report.assertions))
        return lines
    }

    /// A loopback test.
    public static func lines(_ report: LoopbackReport) -> [String] {
        var lines: [String] = []
        var head = "loopback" + (report.durationSeconds.map { " of \(Text.clock($0))" } ?? "")
        head += ", network " + (report.scenario ?? "clean")
        if let seed = report.seed { head += ", seed \(seed)" }
        lines.append(head)
        lines += table([("A to B", report.aToB), ("B to A", report.bToA)])
        let hasEcho = [report.aToB, report.bToA].contains { $0.echo?.noEchoPath != true }
        if let seconds = report.convergenceSeconds, hasEcho {
            lines.append("echo gone after      \(Text.fixed(seconds, 1)) s")
        }
        if let gaps = report.gaps { lines.append("gaps                 \(gaps)") }
        lines += outcomes(report.assertions)
        lines.append(verdict(Verdict(report), report.assertions))
        return lines
    }

    private typealias Row = (label: String, cell: @Sendable (CallStatistics) -> String?)

    /// Rows of which no direction knows anything are left out; an unknown cell shows `-`.
    private static func table(_ columns: [(name: String, statistics: CallStatistics)]) -> [String] {
        let width = 14
        var lines: [String] = []
        if columns.count > 1 {
            lines.append(Text.left("", 20) + columns.map { Text.right($0.name, width) }.joined())
        }
        for row in delayRows + soundRows {
            let cells = columns.map { row.cell($0.statistics) }
            guard cells.contains(where: { $0 != nil }) else { continue }
            lines.append(Text.left(row.label, 20) + cells.map { Text.right($0 ?? "-", width) }.joined())
        }
        return lines
    }

    private static let delayRows: [Row] = [
        ("mouth to ear", { milliseconds($0.mouthToEarMilliseconds) }),
        ("  capture device", { milliseconds($0.ledger.capture) }),
        ("  voice processing", { milliseconds($0.ledger.voiceProcessing) }),
        ("  conversion", { milliseconds($0.ledger.conversion) }),
        ("  capture ring", { milliseconds($0.ledger.ring) }),
        ("  framer", { milliseconds($0.ledger.framer) }),
        ("  encoder", { milliseconds($0.ledger.encoder) }),
        ("  network", { milliseconds($0.ledger.network) }),
        ("  jitter buffer", { milliseconds($0.ledger.jitterBuffer) }),
        ("  decoder", { milliseconds($0.ledger.decoder) }),
        ("  play-out ring", { milliseconds($0.ledger.playoutRing) }),
        ("  playback device", { milliseconds($0.ledger.playback) }),
        ("    for the machine", { $0.machine.flatMap(machine) }),
        ("  found in the audio", { milliseconds($0.measuredMouthToEarMilliseconds) }),
        ("this side's delay", { milliseconds($0.localDelayMilliseconds) }),
    ]

    private static let soundRows: [Row] = [
        ("encrypted by", { $0.srtp.map { $0.suite.map(cipher) ?? "no keys" } }),
        ("packets received", { $0.packetsReceived.map(String.init) }),
        ("lost", { ratio($0.packetsLost, $0.lostRatio) }),
        ("late", { ratio($0.packetsLate, $0.lateRatio) }),
        ("discarded", { $0.packetsDiscarded.flatMap { $0 > 0 ? String($0) : nil } }),
        ("concealed", { $0.concealedRatio.map(Text.percent) }),
        ("  short, long", { pair($0.concealedShort, $0.concealedLong) }),
        ("gaps: this machine", { gaps($0, \.machine) }),
        ("gaps: the sender's", { gaps($0, \.sender) }),
        ("gaps: network", { gaps($0, \.network) }),
        ("repaired by FEC", { $0.fecUsed.map(String.init) }),
        ("repaired by copies", { $0.redundancyUsed.map(String.init) }),
        (
            "MOS heard, in talk",
            { statistics in
                statistics.mosLQ.map { "\(Text.fixed($0, 1)), \(statistics.mosCQ.map { Text.fixed($0, 1) } ?? "-")" }
            }
        ),
        ("jitter", { milliseconds($0.jitterMilliseconds) }),
        (
            "buffer, its target",
            { statistics in
                guard let level = statistics.bufferLevelMilliseconds, let target = statistics.bufferTargetMilliseconds
                else { return nil }
                return "\(Text.fixed(level, 0)), \(Text.fixed(target, 0)) ms"
            }
        ),
        ("echo", { $0.echo.flatMap(echo) }),
        ("level sent", { decibels($0.levelSentDecibels) }),
        ("level heard", { decibels($0.levelHeardDecibels) }),
        ("xruns mic, speaker", { pair($0.xruns.capture, $0.xruns.playback) }),
        ("  speaker silent", { milliseconds($0.xruns.silentMilliseconds.flatMap { $0 > 0 ? $0 : nil }) }),
        ("render turn, period", { turn($0.render) }),
        ("clock drift", { $0.driftPPM.map { Text.fixed($0, 0) + " ppm" } }),
        ("CPU a minute", { $0.cpuSecondsPerMinute.map { Text.fixed($0, 2) + " s" } }),
        ("memory", { $0.peakRSSMebibytes.map { Text.fixed($0, 1) + " MiB" } }),
    ]

    /// A suite's cipher without its authentication: the column is narrow. `AEAD_AES_128_GCM` is `AES-128 GCM`.
    private static func cipher(_ suite: String) -> String {
        let words = suite.split(separator: "_")
        let bits = words.first { $0 == "128" || $0 == "256" }
        return "AES-\(bits ?? "?") \(words.contains("GCM") ? "GCM" : "CM")"
    }

    /// What the peer said about the stream it hears.
    private static func reported(_ statistics: CallStatistics) -> [String] {
        guard let remote = statistics.remote, let lost = remote.lostRatio else { return [] }
        let jitter = remote.jitterMilliseconds.map { ", jitter \(Text.fixed($0, 1)) ms" } ?? ""
        let score = remote.mosLQ.map { ", MOS \(Text.fixed($0, 1))" } ?? ""
        return ["peer reports: \(Text.percent(lost)) lost\(jitter)\(score)"]
    }

    private static func outcomes(_ assertions: [AssertionOutcome]) -> [String] {
        assertions.map { outcome in
            let found = outcome.value.map { "found \($0.text)" } ?? "not measured"
            return "\(outcome.passed ? "pass" : "FAIL")  \(outcome.expression)  (\(found))"
        }
    }

    private static func verdict(_ verdict: Verdict, _ assertions: [AssertionOutcome]) -> String {
        let missed = assertions.count { !$0.passed }
        return "verdict: \(verdict.text)" + (missed > 0 ? "; \(missed) of \(assertions.count) assertions missed" : "")
    }

    private static func echo(_ echo: EchoFigures) -> String? {
        if echo.noEchoPath == true { return "no echo" }
        guard let converged = echo.converged else { return nil }
        let depth = echo.erleDecibels.map { " \(Text.fixed($0, 0)) dB" } ?? ""
        return (converged ? "gone" : "heard") + depth
    }

    /// What the machine's stops cost, once it is worth a line.
    private static func machine(_ machine: MachineFigures) -> String? {
        machine.reserveMilliseconds > 5 ? milliseconds(machine.reserveMilliseconds) : nil
    }

    /// Gaps of one cause and their length, where a machine caused any: without, what was concealed says all.
    private static func gaps(_ statistics: CallStatistics, _ cause: KeyPath<GapFigures, GapSum>) -> String? {
        guard let all = statistics.gapsByCause, all.machine.count + all.sender.count > 0 else { return nil }
        let gaps = all[keyPath: cause]
        return "\(gaps.count), \(Text.fixed(gaps.milliseconds, 0)) ms"
    }

    /// The longest turn against the time it had.
    private static func turn(_ render: RenderFigures) -> String? {
        guard let longest = render.maximumMicroseconds, let period = render.periodMicroseconds else { return nil }
        return "\(Text.fixed(longest / 1000, 1)), \(Text.fixed(period / 1000, 1)) ms"
    }

    private static func milliseconds(_ value: Double?) -> String? { value.map { Text.fixed($0, 1) + " ms" } }
    private static func decibels(_ value: Double?) -> String? { value.map { Text.fixed($0, 1) + " dBov" } }
    private static func ratio(_ count: Int?, _ ratio: Double?) -> String? {
        ratio.map { Text.percent($0) } ?? count.map(String.init)
    }
    private static func pair(_ first: Int?, _ second: Int?) -> String? {
        guard first != nil || second != nil else { return nil }
        return "\(first.map(String.init) ?? "-"), \(second.map(String.init) ?? "-")"
    }
}
