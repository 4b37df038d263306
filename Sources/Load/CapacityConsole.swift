import AudioFiles
import Realtime
import Reporting
import Settings
import Softphone
import Terminal
import Threads

/// `yodel capacity`: what a call of each kind costs, how many calls this machine carries, and what keeps it from more.
public struct CapacityConsole {
    /// About what a call's packets take of the system a second, in milliseconds: only where the search begins depends on it.
    private static let socketMilliseconds = 0.7

    private let plan: CapacityPlan
    private let teller: EventTeller

    /// Checks everything; nothing is measured yet.
    /// - Throws: `SoftphoneError`, `SettingsError`, `AssertionError`: what, where, what to do.
    public init(_ arguments: CapacityArguments, _ configuration: Configuration) throws {
        plan = try CapacityPlan(arguments, configuration)
        teller = EventTeller(json: arguments.json, audioOnStandardOutput: false)
    }

    /// Measures, tells, and ends when the knee is known or the time is up.
    public func run() throws -> LoadOutcome {
        let signals = TerminationSignal()
        signals.endInOrder()
        defer { withExtendedLifetime(signals) {} }
        let start = HostTime.monotonicNow()
        var costs: [WorkCost] = []
        for kind in plan.kinds {
            let cost: WorkCost
            do {
                cost = try WorkCost(measuring: kind, seconds: plan.virtualSeconds)
            } catch let error as AudioFileError where kind.isRecorded {
                let text = "\(kind.name) cannot be measured: \(error.path): \(error.reason); set TMPDIR to a folder with room"
                // A container may have no folder that can be written: all else is measured there.
                guard plan.kinds.count > 1 else { throw SoftphoneError.request(text) }
                teller.tell("warning", [JSONMember("message", .string(text))], text: text)
                continue
            }
            if let number = TerminationSignal.caught { return .signal(number) }
            costs.append(cost)
            tell(cost)
        }
        guard plan.isLive else { return .fine }
        DescriptorLimit.raise()
        let echo = costs.first { $0.kind.name == "\(plan.media.codec.name)_echo" } ?? costs[0]
        // Sockets cost more than most codecs, and who makes the calls takes about as much as who carries them.
        let first = Int(Double(CoreAffinity.cores) * 1000 / (echo.milliseconds + Self.socketMilliseconds) / 8)
        var search = KneeSearch(first: max(4, first), range: 1...LoadPlan.callsAllowed.upperBound)
        var limit = CapacityLimit.time
        var best: CapacityStep?
        while let calls = search.next {
            let passed = HostTime.monotonicNow().milliseconds(since: start) / 1000
            guard passed + CapacityStep.seconds <= plan.seconds || (search.kept == 0 && search.missed == nil) else { break }
            let step = try CapacityStep(calls, plan)
            if let number = TerminationSignal.caught { return .signal(number) }
            tell(step)
            search.note(calls, step.isKept ? .kept : .missed)
            if step.isKept, calls >= best?.calls ?? 0 { best = step }
            if !step.isKept { limit = step.limit }
        }
        if search.missed == nil { limit = CapacityLimit(ofSearchWithoutMiss: search) }
        tellKnee(search, limit, best)
        return search.kept > 0 ? .fine : .assertionMissed
    }

    private func tell(_ cost: WorkCost) {
        teller.tell(
            "capacity_work",
            [
                JSONMember("work", .string(cost.kind.name)),
                JSONMember("cpu_ms_per_call_s", .number(cost.milliseconds, decimals: 4)),
                JSONMember("calls_per_core", .number(cost.callsOfCore.isFinite ? cost.callsOfCore : 0, decimals: 1)),
                JSONMember("call_seconds", .number(cost.callSeconds, decimals: 1)),
            ],
            text: "\(cost.kind.text): \(Text.fixed(cost.milliseconds, 3)) ms of a core a call-second, "
                + (cost.callsOfCore.isFinite ? "\(Int(cost.callsOfCore)) calls a core" : "too little to be measured"))
    }

    private func tell(_ step: CapacityStep) {
        let missed = step.missed.map(\.expression) + (step.connected < step.calls ? ["connected==\(step.calls)"] : [])
        func number(_ value: Double?, _ decimals: Int) -> JSONValue { value.map { .number($0, decimals: decimals) } ?? .null }
        teller.tell(
            "capacity_step",
            [
                JSONMember("calls", .integer(step.calls)), JSONMember("connected", .integer(step.connected)),
                JSONMember("kept", .boolean(step.isKept)), JSONMember("missed", .array(missed.map { .string($0) })),
                JSONMember("mouth_to_ear_p99_ms", number(step.delay99, 1)),
                JSONMember("turn_late_p99_ms", number(step.worst.loop.lateness99, 2)),
                JSONMember("load", .number(step.worst.loop.load, decimals: 3)),
                JSONMember("cpu_ms_per_call_s", number(step.costMilliseconds, 4)),
                JSONMember("load_valid", .boolean(step.isLoadValid)), JSONMember("limit", .string(step.limit.name)),
            ],
            text: "\(step.calls) calls: " + (step.isKept ? "kept" : "MISSED \(missed.joined(separator: ", "))")
                + (step.delay99.map { ", mouth to ear p99 \(Text.fixed($0, 1)) ms" } ?? "")
                + (step.costMilliseconds.map { ", \(Text.fixed($0, 2)) ms of a core a call-second with its packets" } ?? ""))
    }

    private func tellKnee(_ search: KneeSearch, _ limit: CapacityLimit, _ best: CapacityStep?) {
        let objective = plan.objective.map(\.expression).joined(separator: ",")
        teller.tell(
            "capacity",
            [
                JSONMember("calls", .integer(search.kept)),
                JSONMember("missed_at", search.missed.map { .integer($0) } ?? .null),
                JSONMember("slo", .string(objective)), JSONMember("codec", .string(plan.media.codec.name)),
                JSONMember("limit", .string(limit.name)), JSONMember("contradictions", .integer(search.contradictions)),
            ],
            text: "this machine carries \(search.kept) calls in \(plan.media.codec.name) that keep \(objective)"
                + (search.missed.map { ", \($0) do not" } ?? "") + "; what limits: \(limit.text)"
                + (search.contradictions > 0 ? " (other programs ran beside: results contradict each other)" : ""))
    }
}
