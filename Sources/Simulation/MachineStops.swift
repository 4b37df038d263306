import Glibc
import Realtime

/// When one simulated machine stands still, by a seeded plan: what is due meanwhile is done at the end.
package struct MachineStops: Sendable {
    /// A time in which nothing runs.
    package struct Stop: Sendable, Equatable {
        package let begin: HostTime
        package let end: HostTime
    }

    /// In order; they do not overlap.
    package let stops: [Stop]

    /// Two machines of one seed stand still at the same times: they are one.
    package init(_ conditions: MachineConditions, seconds: Double, seed: UInt64) {
        var all = conditions.singles.map {
            Self.stop(at: $0.atSeconds * 1000, milliseconds: $0.milliseconds)
        }
        if let recurring = conditions.recurring {
            var random = SplitMix64(seed: seed, purpose: 24)
            var at = conditions.window.lowerBound
            let last = min(conditions.window.upperBound, seconds)
            while true {
                at -= recurring.everySeconds * log(1 - random.unit())
                guard at < last else { break }
                let (low, high) = (recurring.milliseconds.lowerBound, recurring.milliseconds.upperBound)
                all.append(Self.stop(at: at * 1000, milliseconds: low + (high - low) * random.unit()))
            }
        }
        stops = Self.joined(all)
    }

    private static func stop(at milliseconds: Double, milliseconds length: Double) -> Stop {
        let begin = HostTime(milliseconds: milliseconds)
        return Stop(begin: begin, end: begin.advanced(byMilliseconds: length))
    }

    private static func joined(_ stops: [Stop]) -> [Stop] {
        var joined: [Stop] = []
        for stop in stops.sorted(by: { $0.begin < $1.begin }) {
            if let last = joined.last, stop.begin <= last.end {
                joined[joined.count - 1] = Stop(begin: last.begin, end: max(last.end, stop.end))
            } else {
                joined.append(stop)
            }
        }
        return joined
    }

    /// When what is due at `time` is done.
    package func resumption(of time: HostTime) -> HostTime {
        var low = 0
        var high = stops.count
        while low < high {
            let middle = (low + high) / 2
            if stops[middle].end <= time { low = middle + 1 } else { high = middle }
        }
        return low < stops.count && stops[low].begin <= time ? stops[low].end : time
    }
}
