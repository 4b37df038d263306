import Realtime

/// What the stages of one thread's work take, whatever it steps: some turns are measured, and stand for the others.
///
/// A stage within another one counts for itself alone. Confined to its thread.
package final class StageWatch {
    @exclusivity(unchecked) private var meter = StageMeter()
    /// What stages within the one at hand took, in nanoseconds.
    @exclusivity(unchecked) private var within: Int64 = 0
    private let now: @Sendable () -> HostTime

    /// - Parameter now: the host's monotonic time.
    package init(now: @escaping @Sendable () -> HostTime) { self.now = now }

    /// Another turn begins.
    package func begin() { meter.begin() }

    /// Does `body`, which belongs to `stage`.
    package func measure(_ stage: PortStage, _ body: () -> Void) {
        guard meter.isSampled else { return body() }
        let (start, before) = (now(), within)
        within = 0
        body()
        let end = now()
        meter.addSampled(stage, from: HostTime(nanoseconds: start.nanoseconds + within), to: end)
        within = before + end.nanoseconds - start.nanoseconds
    }

    /// Shares of the time since the last call that each stage took, in cores, and begins anew.
    /// - Parameter milliseconds: how long that was.
    package func takeShares(ofMilliseconds milliseconds: Double) -> [PortStage: Double] {
        meter.takeShares(ofMilliseconds: milliseconds)
    }
}

extension StageWatch? {
    /// Does `body`, and measures it where anybody wants to know.
    func measure(_ stage: PortStage, _ body: () -> Void) {
        if let self { self.measure(stage, body) } else { body() }
    }
}
