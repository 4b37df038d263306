import DSP
import Glibc
import Realtime

/// What every stage of a call costs for a block of its audio.
///
/// One `Stage` an entry in `all`; a stage is added here when its target gets a benchmark.
struct StageCosts {
    struct Stage: Sendable {
        let name: String
        /// Audio that one block holds, in milliseconds: the time there is for it.
        let blockMilliseconds: Double
        /// Makes the stage ready and gives the work of one block.
        let prepare: @Sendable () throws -> () -> Void
    }

    struct Cost {
        let name: String
        /// Median over the rounds.
        let nanosecondsPerBlock: Double
        /// Share of one processor that the stage needs, 0...1.
        let load: Double
    }

    var rounds: Int

    static let all: [Stage] = [
        resampling("resampler_48k_16k", from: 48_000, to: 16_000),
        resampling("resampler_16k_48k", from: 16_000, to: 48_000),
        resampling("resampler_44k1_48k", from: 44_100, to: 48_000),
        drift, framing, toInt16, toFloat, metering, convolving,
    ]

    func run() throws -> [Cost] {
        try Self.all.map { stage in
            let work = try stage.prepare()
            // As many blocks as take about a millisecond, so that the clock's own cost does not count.
            let count = max(10, Int(1e6 / max(1, Measure.nanoseconds(20, work))))
            let time = Measure.median((0..<rounds).map { _ in Measure.nanoseconds(count, work) })
            return Cost(name: stage.name, nanosecondsPerBlock: time, load: time / (stage.blockMilliseconds * 1e6))
        }
    }

    /// A block of something like speech level: noise, because some stages are quicker on silence.
    private static func block(_ count: Int) -> UnsafeMutablePointer<Float> {
        var generator = SystemRandomNumberGenerator()
        let block = UnsafeMutablePointer<Float>.allocate(capacity: count)
        for i in 0..<count { (block + i).initialize(to: Float.random(in: -0.1..<0.1, using: &generator)) }
        return block
    }

    private static func resampling(_ name: String, from: Int, to: Int) -> Stage {
        Stage(name: name, blockMilliseconds: 10) {
            let resampler = try Resampler(from: from, to: to)
            let count = from / 100
            let capacity = resampler.outputCapacity(for: count)
            let (input, output) = (block(count), block(capacity))
            return { _ = resampler.process(input, count: count, into: output, capacity: capacity) }
        }
    }

    private static let drift = Stage(name: "drift_resampler_48k", blockMilliseconds: 10) {
        var resampler = DriftResampler()
        resampler.ratio = 1.0001
        let (input, output) = (block(480), block(500))
        return { _ = resampler.process(input, count: 480, into: output, capacity: 500) }
    }

    private static let framing = Stage(name: "ring_framer_20ms", blockMilliseconds: 20) {
        let ends = try RingEnds<Float>(minimumCapacity: 8_192)
        let line = FramingLine(producer: ends.producer, consumer: ends.consumer)
        return { line.turn() }
    }

    private static let toInt16 = Stage(name: "float_to_int16_480", blockMilliseconds: 10) {
        let input = block(480)
        let output = UnsafeMutablePointer<Int16>.allocate(capacity: 480)
        return { SampleConversion.toInt16(input, count: 480, into: output) }
    }

    private static let toFloat = Stage(name: "int16_to_float_480", blockMilliseconds: 10) {
        let output = block(480)
        let input = UnsafeMutablePointer<Int16>.allocate(capacity: 480)
        input.initialize(repeating: 1_234, count: 480)
        return { SampleConversion.toFloat(input, count: 480, into: output) }
    }

    private static let metering = Stage(name: "level_meter_480", blockMilliseconds: 10) {
        var meter = LevelMeter(sampleRate: 48_000)
        let input = UnsafeBufferPointer(start: UnsafePointer(block(480)), count: 480)
        return { meter.add(input) }
    }

    private static let convolving = Stage(name: "room_convolution_300ms", blockMilliseconds: 10) {
        let response = (0..<14_400).map { Float($0 % 17) * 1e-3 }
        let convolver = try Convolver(impulseResponse: response, blockLength: 480)
        let (input, output) = (block(480), block(480))
        return { convolver.process(input, into: output) }
    }
}

/// A capture ring as the media thread sees it: 10 ms blocks in, 20 ms frames out.
private final class FramingLine {
    private var producer: RingProducer<Float>
    private var consumer: RingConsumer<Float>
    private let framer = Framer(frameLength: 960)
    private let block = UnsafeMutablePointer<Float>.allocate(capacity: 480)
    private var touched: Float = 0

    init(producer: consuming RingProducer<Float>, consumer: consuming RingConsumer<Float>) {
        self.producer = producer
        self.consumer = consumer
        block.initialize(repeating: 0.1, count: 480)
    }

    deinit { block.deallocate() }

    func turn() {
        for _ in 0..<2 { _ = producer.write(block, count: 480) }
        var sum = touched
        framer.process(&consumer) { sum += $0[0] + $0[959] }
        touched = sum
    }
}
