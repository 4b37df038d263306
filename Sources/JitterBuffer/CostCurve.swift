import Realtime

/// What each delay above the floor costs the listener, bin by bin: made anew with each target, so that delays that can be had
/// are compared where the best one cannot. Its memory is laid out once.
final class CostCurve {
    private let costs: UnsafeMutablePointer<Double>
    private var count = 0

    init() {
        costs = ZeroedMemory.allocate(ArrivalHistory.bins)
    }

    deinit { ZeroedMemory.free(costs) }

    /// Empties the curve; all bins up to and including `highest` are to be noted.
    func begin(highest: Int) { count = min(max(highest + 1, 0), ArrivalHistory.bins) }

    /// - Parameter bin: that a delay covers, with all below it; not above the `highest` of `begin`.
    func note(_ cost: Double, bin: Int) { costs[bin] = cost }

    /// Cost of a delay in milliseconds above the floor, in milliseconds of delay; infinite below the first bin.
    func cost(of delay: Double) -> Double {
        let bin = (delay / ArrivalHistory.binWidth).rounded() - 1
        guard bin >= 0, bin.isFinite, count > 0 else { return .infinity }
        // Beyond what was looked at nothing is expected to be late: all that grows is the delay.
        let seen = min(bin, Double(count - 1))
        return costs[Int(seen)] + (bin - seen) * ArrivalHistory.binWidth
    }
}
