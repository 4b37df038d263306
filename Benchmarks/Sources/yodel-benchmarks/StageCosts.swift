import Glibc
import Realtime

/// One stage of the picture, or of what a stage is made of: the work it does for one block of audio.
struct Stage: Sendable {
    let name: String
    /// Audio that one block holds, in milliseconds: the time there is for it.
    let blockMilliseconds: Double
    /// Makes the stage ready and gives the work of one block.
    let prepare: @Sendable () throws -> () -> Void
}

/// What every stage of a call costs for a block of its audio.
struct StageCosts {
    struct Cost {
        let name: String
        /// Share of one processor that the stage needs, 0...1; median over the rounds.
        let load: Double
        /// Beside decoding a voice with Opus in the same run, where that is measured.
        var ratioToOpusDecode: Double?
        /// What 20 ms of audio cost, in nanoseconds.
        var nanosecondsPer20ms: Double { load * 20e6 }
    }

    var rounds: Int

    /// In the order of the picture: the hardware's side, the way out, the way back; then the signal processing inside, then
    /// units in a graph.
    static let all = UnitStages.all + SendStages.all + ReceiveStages.all + SignalStages.all + GraphStages.all

    func run() throws -> [Cost] {
        try Self.all.map { stage in
            let work = try stage.prepare()
            // As many blocks as take about a millisecond, so that the clock's own cost does not count.
            let count = max(10, Int(1e6 / max(1, Measure.nanoseconds(20, work))))
            let time = Measure.median((0..<rounds).map { _ in Measure.nanoseconds(count, work) })
            return Cost(name: stage.name, load: time / (stage.blockMilliseconds * 1e6))
        }
    }
}

/// Input for stages.
enum Noise {
    /// A block of something like speech level: noise, because some stages are quicker on silence. Lives for ever.
    static func block(_ count: Int) -> UnsafeMutablePointer<Float> {
        var generator = SystemRandomNumberGenerator()
        let block = UnsafeMutablePointer<Float>.allocate(capacity: count)
        for i in 0..<count { (block + i).initialize(to: Float.random(in: -0.1..<0.1, using: &generator)) }
        return block
    }
}
