import Glibc

/// The play-out delay with the least cost: delay against lateness, each with its price.
///
/// Quality-optimal buffers after Fujimoto et al. 2002 and Sun and Ifeachor 2003; the delay's price is the shape of the
/// E-model's (ITU-T G.107): 1 a millisecond up to 150 ms, 2.5 beyond.
package struct TargetDelay {
    /// Milliseconds that one percent of late packets is worth.
    let lateCost: Double
    let minimumMs: Double
    let maximumMs: Double
    private let tuning: TargetTuning

    /// Target above the floor, in milliseconds.
    package private(set) var aboveFloor: Double
    /// The part of it that is a margin over what the statistics ask for.
    package private(set) var margin: Double
    /// Whether packets are being lost, so that what comes late has been repaired or is missed like the lost.
    package private(set) var hasLoss = false
    private let curve = CostCurve()
    /// Bins that are looked at before anything was seen.
    private let startBins: Int
    private var nextUpdate = -Double.infinity

    package init(configuration: JitterBufferConfiguration) {
        lateCost = configuration.latency.millisecondsPerPercentLate
        minimumMs = configuration.minimumDelayMs
        maximumMs = configuration.maximumDelayMs
        aboveFloor = configuration.latency.startDelayMilliseconds
        tuning = configuration.tuning.target
        margin = tuning.leastMargin
        startBins = Int((configuration.latency.startDelayMilliseconds - tuning.startMargin) / ArrivalHistory.binWidth)
    }

    /// Works the target out again when it is time.
    /// - Parameter lossRatio: packets that never arrived, 0...1.
    @inline(__always)
    package mutating func update(_ history: inout ArrivalHistory, lossRatio: Double, at time: Double) {
        guard time >= nextUpdate || time < nextUpdate - 2 * tuning.interval, history.events > 0 else { return }
        workOut(&history, lossRatio: lossRatio, at: time)
    }

    private mutating func workOut(_ history: inout ArrivalHistory, lossRatio: Double, at time: Double) {
        nextUpdate = time + tuning.interval
        let (x, common) = leastCost(history, lossRatio: lossRatio)
        history.allowance = x
        hasLoss = lossRatio >= tuning.leastLoss
        // Where the delays end sharply (95 % of them lie close below x), there is nothing beyond to be wary of.
        margin =
            tuning.leastMargin
            + (!hasLoss ? min(tuning.extraMargin, tuning.marginShare * x, max(0, x - common)) : 0)
        aboveFloor = min(max(x + margin, minimumMs), maximumMs)
    }

    /// The delay x above the floor with the least cost, and the delay that 95 % of the packets stay under.
    private func leastCost(_ history: ArrivalHistory, lossRatio: Double) -> (x: Double, common: Double) {
        let queue = history.standingQueue
        let lateCost = lateCost
        let width = ArrivalHistory.binWidth
        let limit = Int(maximumMs / width)
        let spread = history.spread * max(0, 1 - lossRatio / tuning.repairedLoss)
        return history.withBins { weight, filled, total in
            // Downward from the top: what is later than x, the spread of the floor's own bin included in bin 0.
            let last = ArrivalHistory.bins - 1
            var highest = filled
            while highest > 0, weight(highest) <= tuning.leastShare * total { highest -= 1 }
            // Of delays beyond twice those seen nothing is known: what a stream starts with suffices.
            let top = min(limit, max(highest + Int(min(spread / width, Double(highest))), startBins))
            let wildness = min(1, spread / tuning.wildSpread)
            let packets =
                tuning.calmLatePackets + wildness * (tuning.wildLatePackets - tuning.calmLatePackets)
            let scale = tuning.calmLateScale + wildness * (tuning.wildLateScale - tuning.calmLateScale)
            var bin = min(top, last)
            curve.begin(highest: bin)
            // Two sums, since each addition waits for the one before.
            var lates = (0.0, 0.0)
            var above = bin + 1
            while above < last, above <= filled {
                lates.0 += weight(above)
                lates.1 += weight(above + 1)
                above += 2
            }
            var late = lates.0 + lates.1 + (above == last ? weight(last) : 0)
            // What is expected beyond x grows by the same factor from each bin to the one below.
            var expected = packets * exp(-Double(bin + 1) * width / scale)
            let growth = exp(width / scale)
            let costOfAll = 100 * lateCost / (total + packets)
            var best = 0.0
            var common = 0.0
            var bestCost = Double.infinity
            while bin >= 0 {
                // x covers the bins up to and including this one.
                let x = Double(bin + 1) * width
                let cost = price(tuning.packet + queue + x) + costOfAll * (late + expected)
                curve.note(cost, bin: bin)
                if cost <= bestCost {
                    bestCost = cost
                    best = x
                }
                late += weight(bin)
                expected *= growth
                if late < tuning.tail * total { common = x - width }
                bin -= 1
            }
            return (best, common)
        }
    }

    /// What a delay above the floor costs, its margin included, in milliseconds of delay; infinite below the lower bound.
    package func cost(of delay: Double) -> Double {
        delay >= minimumMs ? curve.cost(of: delay - margin) : .infinity
    }

    private func price(_ delay: Double) -> Double {
        let steep = delay - tuning.freeDelay
        return steep <= 0 ? delay : tuning.freeDelay + tuning.steepPrice * steep
    }
}
