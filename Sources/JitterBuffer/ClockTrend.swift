/// What the sender's clock has gained on ours since a stream's first packet: in straight pieces, of which the last one goes on.
///
/// Crystals keep their rate for the length of a call. The clock of a sound server without a card does not (`CalmLine`); what came before
/// such a change must not be seen by the rate after it.
struct ClockTrend {
    private struct Piece: BitwiseCopyable {
        let start: Double
        /// What has been gained until then, in milliseconds.
        let sum: Double
        var partsPerMillion: Double

        func gain(until time: Double) -> Double { sum + partsPerMillion * 1e-6 * (time - start) }
    }

    /// Pieces that are kept: what came before them weighs little by then.
    private static let capacity = 8

    private var pieces: [Piece]

    /// - Parameter origin: when the first packet came, in milliseconds since the epoch.
    init(origin: Double = 0) {
        pieces = []
        // Nothing is allocated later.
        pieces.reserveCapacity(Self.capacity + 1)
        pieces.append(Piece(start: origin, sum: 0, partsPerMillion: 0))
    }

    /// The rate that goes on.
    var partsPerMillion: Double {
        get { pieces[pieces.count - 1].partsPerMillion }
        set { pieces[pieces.count - 1].partsPerMillion = newValue }
    }

    /// Another rate goes on from `time` on, which is told next.
    /// - Parameter step: how much later packets come from then on, in milliseconds.
    mutating func changeRate(at time: Double, step: Double) {
        pieces.append(Piece(start: time, sum: gain(until: time) - step, partsPerMillion: partsPerMillion))
        if pieces.count > Self.capacity { pieces.removeFirst() }
    }

    /// Milliseconds gained at `time`.
    func gain(until time: Double) -> Double {
        var index = pieces.count - 1
        while index > 0, time < pieces[index].start { index -= 1 }
        return pieces[index].gain(until: time)
    }
}
