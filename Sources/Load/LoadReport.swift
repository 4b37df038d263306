import Reporting

/// What is told of a load when it is over.
package struct LoadReport {
    var counts: [(name: String, value: Int)]
    /// How the load itself fared, which comes first: what was late here says nothing of the other side.
    var generator: [(name: String, value: Double?)]
    var isValid: Bool
    /// Whether it was never too late itself.
    var isInTime: Bool
    /// What of its packets could not be sent, and why; nil: all left.
    var unsent: String?
    /// When calls heard gaps.
    var gapsAt: [GapTimes.Moment]
    /// Calls by SIP that nobody answered.
    var refused: RefusedCalls
    /// Calls that began, the most frequent codec first.
    var callsByCodec: [(codec: String, calls: Int)]
    var distributions: [(name: String, figures: FigureSummary)]

    private static let distributionNames = [
        "answer_ms", "setup_ms", "mouth_to_ear_ms", "call_mouth_to_ear_ms", "jitter_ms", "lost_ratio", "correlation", "mos_lq",
        "mos_cq",
    ]
    /// Scores: more is better.
    private static let scoreNames: Set = ["mos_lq", "mos_cq"]
    /// What a load may have none of without anything being wrong.
    private static let absentNames = scoreNames.union(["answer_ms"])
    private static let countNames = [
        "calls", "connected", "not_connected", "could_not_begin", "answered", "ended_by_peer", "packets_sent",
        "packets_received", "packets_lost", "gaps", "gaps_excused", "sound_found", "sound_not_found",
    ]
    private static let generatorNames = ["late_p50_ms", "late_p99_ms", "late_max_ms", "processor_share", "send_failures"]

    /// Names that `--assert` may use: `gaps`, `p99(mouth_to_ear_ms)`, `generator_late_p99_ms`, `valid`.
    package static var comparablePaths: [ComparablePath] {
        countNames.map { ComparablePath($0, .number) }
            + generatorNames.map { ComparablePath("generator_" + $0, .number) }
            + [ComparablePath("valid", .flag), ComparablePath("refused", .number)]
            + distributionNames.flatMap { name in
                FigureSummary.names.map { ComparablePath("\($0)(\(name))", .number) }
            }
    }

    /// The value of a name that `--assert` may use; `nil`: it was not measured.
    package func value(of path: String) -> JSONValue? {
        if path == "valid" { return .boolean(isValid) }
        if path == "refused" { return .integer(refused.count) }
        if let count = counts.first(where: { $0.name == path }) { return .integer(count.value) }
        if let own = generator.first(where: { "generator_" + $0.name == path }) { return own.value.map { .number($0) } }
        for (name, figures) in distributions {
            for figure in figures.members where "\(figure.name)(\(name))" == path {
                return figure.value.map { .number($0, decimals: 4) }
            }
        }
        return nil
    }

    package func members(_ assertions: [AssertionOutcome]) -> [JSONMember] {
        let own =
            generator.map { JSONMember($0.name, $0.value.map { .number($0, decimals: 3) } ?? .null) }
            + [JSONMember("valid", .boolean(isValid))]
        let codecs = callsByCodec.map { JSONMember($0.codec, .integer($0.calls)) }
        return [JSONMember("generator", .object(own))] + counts.map { JSONMember($0.name, .integer($0.value)) }
            + [
                JSONMember("gaps_at", .array(gapsAt.map(\.json))), JSONMember("calls_by_codec", .object(codecs)),
                JSONMember("refused", refused.json),
            ]
            + distributions.map { JSONMember($0.name, $0.figures.json(decimals: 4)) }
            + (assertions.isEmpty ? [] : [JSONMember("assertions", .array(assertions.map(\.json)))])
    }

    /// For a person: the load's own lateness first.
    package func lines(_ assertions: [AssertionOutcome]) -> [String] {
        func text(_ value: Double?, _ decimals: Int = 1) -> String { value.map { Text.fixed($0, decimals) } ?? "-" }
        func count(_ name: String) -> Int { counts.first { $0.name == name }?.value ?? 0 }
        let own = Dictionary(uniqueKeysWithValues: generator.map { ($0.name, $0.value) })
        var lines = [
            "load itself: \(text(own["late_p50_ms"] ?? nil)) ms late (p99 \(text(own["late_p99_ms"] ?? nil)), at most "
                + "\(text(own["late_max_ms"] ?? nil))), \(text((own["processor_share"] ?? nil).map { $0 * 100 }, 0)) % of a core"
                + (isInTime ? "" : ": too slow to judge the other side by"),
            "calls: \(count("connected")) of \(count("calls")) connected, \(count("ended_by_peer")) ended by the other side",
            "packets: \(count("packets_sent")) sent, \(count("packets_received")) came back, \(count("packets_lost")) lost; "
                + "\(Text.gaps(count("gaps"))) over \(Int(LoadCall.gapMilliseconds)) ms"
                + (count("gaps_excused") > 0 ? ", \(count("gaps_excused")) more while the load was late itself" : ""),
        ]
        if let refused = refused.line { lines.insert(refused, at: 2) }
        if callsByCodec.count > 1 {
            lines.insert("codecs: " + callsByCodec.map { "\($0.calls) in \($0.codec)" }.joined(separator: ", "), at: 2)
        }
        if let unsent { lines.insert("load itself: \(unsent): what came back says nothing of the other side", at: 1) }
        // Of raw calls nothing is answered, and not every codec has a score.
        for (name, figures) in distributions where !Self.absentNames.contains(name) || figures.median != nil {
            if Self.scoreNames.contains(name) {
                // The worst calls are those with the least.
                lines.append(
                    "\(name): p50 \(text(figures.median, 2)), mean \(text(figures.mean, 2)), \(text(figures.minimum, 2)) to "
                        + text(figures.maximum, 2))
                continue
            }
            let decimals = name == "correlation" || name == "lost_ratio" ? 3 : 1
            lines.append(
                "\(name): p50 \(text(figures.median, decimals)), p90 \(text(figures.quantile90, decimals)), "
                    + "p99 \(text(figures.quantile99, decimals)), \(text(figures.minimum, decimals)) to "
                    + text(figures.maximum, decimals))
        }
        return lines
            + assertions.map { outcome in
                "\(outcome.passed ? "passed" : "MISSED"): \(outcome.expression)"
                    + (outcome.value.map { " (\($0.text))" } ?? " (not measured)")
            }
    }
}

extension GapTimes.Moment {
    fileprivate var json: JSONValue {
        .object([JSONMember("at_s", .number(seconds, decimals: 1)), JSONMember("gaps", .integer(gaps))])
    }
}

extension Text {
    fileprivate static func gaps(_ count: Int) -> String { "\(count) gap\(count == 1 ? "" : "s")" }
}
