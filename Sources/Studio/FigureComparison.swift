import Metrics
import Reporting

/// The figures of a call beside those of its replay.
package struct FigureComparison: Sendable {
    /// A figure that is not the same.
    package struct Difference: Sendable {
        let name: String
        let call: JSONValue
        let replay: JSONValue
    }

    /// How many were compared.
    package let compared: Int
    package let differences: [Difference]

    /// What follows from the packets and the pulls of a capture alone. Others hang on the device, the machine, or what the other side told.
    private static let names = [
        "jitter_ms", "packets_received", "packets_lost", "packets_late", "packets_duplicate", "packets_reordered", "lost_ratio",
        "late_ratio", "concealed_ratio", "concealed_short", "concealed_long", "concealed_by_reason_ms", "accelerated_ms",
        "decelerated_ms", "fec_used", "redundancy_used", "buffer_target_ms", "buffer_level_ms", "drift_ppm",
    ]
    /// What follows from the sound besides.
    private static let namesOfSound = ["level_heard_dbov"]

    /// - Parameters:
    ///   - call: the call's report, read from JSON.
    ///   - replay: what the replay found.
    ///   - hasSound: whether the replay heard what the call heard.
    package init(call: JSONValue, replay: CallStatistics, hasSound: Bool) {
        // Both have been text: a whole number is the same either way.
        let found = (try? JSONValue(reading: replay.json.text)) ?? .null
        var (compared, differences) = (0, [Difference]())
        for name in Self.names + (hasSound ? Self.namesOfSound : []) {
            let (ours, again) = (call.value(at: name) ?? .null, found.value(at: name) ?? .null)
            guard ours != .null || again != .null else { continue }
            compared += 1
            if ours != again { differences.append(Difference(name: name, call: ours, replay: again)) }
        }
        (self.compared, self.differences) = (compared, differences)
    }

    /// Whether all are the same.
    package var isSame: Bool { differences.isEmpty }

    /// As members of a replay's object.
    var members: [JSONMember] {
        [
            JSONMember("same", .boolean(isSame)), JSONMember("compared", .integer(compared)),
            JSONMember(
                "differing",
                .array(
                    differences.map {
                        .object([
                            JSONMember("figure", .string($0.name)), JSONMember("call", $0.call),
                            JSONMember("replay", $0.replay),
                        ])
                    })),
        ]
    }
}
