import Link
import Realtime

/// How often each source may ask without the token: guesses and probes cost little, and not more than that. It knows no clock.
package struct StrangerBudget {
    /// Requests at once, and requests a second on and on.
    package static let burst = 200.0
    package static let perSecond = 20.0
    /// Sources that are known at once; whoever asked longest ago is forgotten.
    package static let sources = 512

    private struct Purse {
        var left: Double
        var time: HostTime
    }

    private var purses: [UInt128: Purse] = [:]

    package init() {}

    /// Sources that are known.
    package var count: Int { purses.count }

    /// Takes one request of `source`.
    /// - Returns: whether it may be answered.
    package mutating func take(_ source: IPAddress, now: HostTime) -> Bool {
        let key = source.source
        var purse = purses[key] ?? Purse(left: Self.burst, time: now)
        purse.left = min(Self.burst, purse.left + max(0, now.milliseconds(since: purse.time)) / 1000 * Self.perSecond)
        purse.time = now
        let mayAsk = purse.left >= 1
        if mayAsk { purse.left -= 1 }
        if purses[key] == nil, purses.count >= Self.sources, let oldest = purses.min(by: { $0.value.time < $1.value.time }) {
            purses[oldest.key] = nil
        }
        purses[key] = purse
        return mayAsk
    }
}
