import LiveMedia
import Media

/// What keeps a machine from carrying more calls.
package enum CapacityLimit: Equatable, Sendable {
    /// The loops' processor time, most of it in that stage.
    case processor(PortStage)
    /// Turns were late although the loops had time: others ran on their cores.
    case scheduler
    /// The kernel dropped packets: its queues were full.
    case socket
    /// Callers were refused for want of memory.
    case memory
    /// Those who made the calls, on the same machine, were late themselves.
    case load
    /// The range was tried to its end.
    case range
    /// The time was up before any number missed the objective.
    case time

    /// Share of the time with work from which a loop is full.
    private static let fullLoad = 0.8

    /// What limits, by a step that missed its objective.
    /// - Parameters:
    ///   - worst: the port's figures in the second of that step that had most work: load, lateness and stages count.
    ///   - last: those at its end: what is counted since the port was opened counts.
    ///   - before: those before it.
    ///   - isLoadValid: whether those who made the calls were in time.
    package init(worst: PortFigures, last: PortFigures, before: PortFigures, isLoadValid: Bool) {
        if last.kernelDrops > before.kernelDrops || last.sendFailures > before.sendFailures {
            self = .socket
        } else if last.refusals[.resources] > before.refusals[.resources] {
            self = .memory
        } else if worst.loop.load >= Self.fullLoad {
            self = .processor(worst.stages.max { $0.value < $1.value }?.key ?? .hear)
        } else if !isLoadValid {
            self = .load
        } else if (worst.loop.lateness99 ?? 0) >= Admission.lateMilliseconds {
            self = .scheduler
        } else {
            self = .processor(worst.stages.max { $0.value < $1.value }?.key ?? .hear)
        }
    }

    /// What limits where no number missed the objective.
    package init(ofSearchWithoutMiss search: KneeSearch) { self = search.kept == search.range.upperBound ? .range : .time }

    /// Its name in JSON.
    package var name: String {
        switch self {
        case .processor(let stage): "cpu_\(stage.name)"
        case .scheduler: "scheduler"
        case .socket: "socket"
        case .memory: "memory"
        case .load: "load_generator"
        case .range: "range"
        case .time: "time"
        }
    }

    /// What it is and what helps, for a person.
    var text: String {
        switch self {
        case .processor(let stage): "processor time, most of it to \(stage.name); more or faster cores help"
        case .scheduler:
            "turns that come late though there is time: other programs run on the same cores, or real-time priority is not allowed"
        case .socket: "the kernel's queues of packets; a greater net.core.rmem_max helps"
        case .memory: "memory; a greater limit helps"
        case .load: "those who make the calls on the same machine; run `yodel load` on another one to see more"
        case .range: "nothing up to the number that may be tried"
        case .time: "the time that the search may take; more --seconds help"
        }
    }
}
