import Realtime

/// Places that were found to be of no use lately: finding that out each time would cost each request a wait.
struct PlaceMemory<Place: Hashable> {
    private var until: [Place: HostTime] = [:]

    private static var seconds: Double { 600 }
    private static var most: Int { 64 }

    func contains(_ place: Place, now: HostTime) -> Bool { until[place].map { now < $0 } ?? false }

    /// - Parameter seconds: how long it is remembered, 10 minutes at most.
    mutating func note(_ place: Place, seconds: Double = Self.seconds, now: HostTime) {
        until = until.filter { now < $0.value }
        if until.count >= Self.most, let oldest = until.min(by: { $0.value < $1.value })?.key { until[oldest] = nil }
        until[place] = now.advanced(byMilliseconds: 1000 * min(seconds, Self.seconds))
    }

    mutating func forgetAll() { until = [:] }
}
