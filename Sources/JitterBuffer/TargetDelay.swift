import Glibc

/// The play-out delay with the least cost: delay against lateness, each with its price.
///
/// Quality-optimal buffers after Fujimoto et al. 2002 and Sun and Ifeachor 2003; the delay's price is the shape of the
/// E-model's (ITU-T G.107): 1 a millisecond up to 150 ms, 2.5 beyond.
package struct TargetDelay {
    /// Milliseconds that one percent of late contents is worth.
    let lateCost: Double
    let minimumMs: Double
    let maximumMs: Double
    /// How often the target is worked out.
    static let interval = 40.0
    /// Packetisation that the cost of delay starts from: the usual 20 ms.
    private static let packetMs = 20.0
    /// What is expected of a line beyond what was seen: so many late contents, thinning out by e over so many milliseconds;
    /// more of them and later, the nearer the spread came to `wildDelay` ms. The first spike of a call is seldom its
    /// highest, and each one that exceeds the target costs a shift in speech.
    private static let calmDoubt = (contents: 1.0, scale: 20.0)
    private static let wildDoubt = (contents: 8.0, scale: 100.0)
    private static let wildDelay = 100.0
    /// Loss from which contents come late because they are repaired, 0...1: that delay has an end and bodes nothing worse.
    private static let repairedLoss = 0.05

    /// Loss from which a wider margin buys nothing that is heard, 0...1.
    private static let leastLoss = 0.01

    /// Target above the floor, in milliseconds.
    package private(set) var aboveFloor: Double
    /// The part of it that is a margin over what the statistics ask for.
    private(set) var margin = 2.0
    /// Whether packets are being lost, so that what comes late has been repaired or is missed like the lost.
    private(set) var hasLoss = false
    private let curve = CostCurve()
    private let cautiousBins: Int
    private var nextUpdate = -Double.infinity

    package init(configuration: JitterBufferConfiguration) {
        lateCost = configuration.latency.millisecondsPerPercentLate
        minimumMs = configuration.minimumDelayMs
        maximumMs = configuration.maximumDelayMs
        aboveFloor = configuration.latency.startDelayMilliseconds
        cautiousBins = Int((configuration.latency.startDelayMilliseconds - 5) / ArrivalHistory.binWidth)
    }

    /// Works the target out again when it is time.
    /// - Parameter lossRatio: packets that never arrived, 0...1.
    package mutating func update(_ history: inout ArrivalHistory, lossRatio: Double, at time: Double) {
        guard time >= nextUpdate || time < nextUpdate - 2 * Self.interval, history.events > 0 else { return }
        nextUpdate = time + Self.interval
        let (x, common) = leastCost(history, lossRatio: lossRatio)
        history.allowance = x
        hasLoss = lossRatio >= Self.leastLoss
        // Where the delays end sharply (95 % of them lie close below x), there is nothing beyond to be wary of.
        margin = 2 + (!hasLoss ? min(6, 0.3 * x, max(0, x - common)) : 0)
        aboveFloor = min(max(x + margin, minimumMs), maximumMs)
    }

    /// The delay x above the floor with the least cost, and the delay that 95 % of the contents stay under.
    private func leastCost(_ history: ArrivalHistory, lossRatio: Double) -> (x: Double, common: Double) {
        let queue = history.standingQueue
        let lateCost = lateCost
        let cautious = cautiousBins
        let width = ArrivalHistory.binWidth
        let limit = Int(maximumMs / width)
        let spread = history.spread * max(0, 1 - lossRatio / Self.repairedLoss)
        return history.withBins { weight, total in
            // Downward from the top: what is later than x, the spread of the floor's own bin included in bin 0.
            let last = ArrivalHistory.bins - 1
            var highest = last
            while highest > 0, weight(highest) <= 1e-4 * total { highest -= 1 }
            // Of delays beyond twice those seen nothing is known: the start's caution suffices.
            let top = min(limit, max(highest + Int(min(spread / width, Double(highest))), cautious))
            let wildness = min(1, spread / Self.wildDelay)
            let contents = Self.calmDoubt.contents + wildness * (Self.wildDoubt.contents - Self.calmDoubt.contents)
            let scale = Self.calmDoubt.scale + wildness * (Self.wildDoubt.scale - Self.calmDoubt.scale)
            var bin = min(top, last)
            curve.begin(highest: bin)
            // Two sums, since each addition waits for the one before.
            var lates = (0.0, 0.0)
            var above = bin + 1
            while above < last {
                lates.0 += weight(above)
                lates.1 += weight(above + 1)
                above += 2
            }
            var late = lates.0 + lates.1 + (above == last ? weight(last) : 0)
            // What is expected beyond x grows by the same factor from each bin to the one below.
            var doubt = contents * exp(-Double(bin + 1) * width / scale)
            let growth = exp(width / scale)
            let costOfAll = 100 * lateCost / (total + contents)
            var best = 0.0
            var common = 0.0
            var bestCost = Double.infinity
            while bin >= 0 {
                // x covers the bins up to and including this one.
                let x = Double(bin + 1) * width
                let cost = Self.price(Self.packetMs + queue + x) + costOfAll * (late + doubt)
                curve.note(cost, bin: bin)
                if cost <= bestCost {
                    bestCost = cost
                    best = x
                }
                late += weight(bin)
                doubt *= growth
                if late < 0.05 * total { common = x - width }
                bin -= 1
            }
            return (best, common)
        }
    }

    /// What a delay above the floor costs, its margin included, in milliseconds of delay; infinite below the lower bound.
    package func cost(of delay: Double) -> Double {
        delay >= minimumMs ? curve.cost(of: delay - margin) : .infinity
    }

    private static func price(_ delay: Double) -> Double { delay <= 150 ? delay : 150 + 2.5 * (delay - 150) }
}
