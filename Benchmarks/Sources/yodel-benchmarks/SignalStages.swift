import DSP
import Realtime

/// Signal processing that stages are made of, each on its own.
enum SignalStages {
    static let all: [Stage] = [
        resampling("resampler_48k_16k", from: 48_000, to: 16_000),
        resampling("resampler_16k_48k", from: 16_000, to: 48_000),
        resampling("resampler_44k1_48k", from: 44_100, to: 48_000),
        drift, toInt16, toFloat, metering, convolving,
    ]

    private static func resampling(_ name: String, from: Int, to: Int) -> Stage {
        Stage(name: name, blockMilliseconds: 10) {
            let resampler = try Resampler(from: from, to: to)
            let count = from / 100
            let capacity = resampler.outputCapacity(for: count)
            let (input, output) = (Noise.block(count), Noise.block(capacity))
            return { _ = resampler.process(input, count: count, into: output, capacity: capacity) }
        }
    }

    private static let drift = Stage(name: "drift_resampler_48k", blockMilliseconds: 10) {
        var resampler = DriftResampler()
        resampler.ratio = 1.0001
        let (input, output) = (Noise.block(480), Noise.block(500))
        return { _ = resampler.process(input, count: 480, into: output, capacity: 500) }
    }

    private static let toInt16 = Stage(name: "float_to_int16", blockMilliseconds: 10) {
        let input = Noise.block(480)
        let output = UnsafeMutablePointer<Int16>.allocate(capacity: 480)
        return { SampleConversion.toInt16(input, count: 480, into: output) }
    }

    private static let toFloat = Stage(name: "int16_to_float", blockMilliseconds: 10) {
        let output = Noise.block(480)
        let input = UnsafeMutablePointer<Int16>.allocate(capacity: 480)
        input.initialize(repeating: 1_234, count: 480)
        return { SampleConversion.toFloat(input, count: 480, into: output) }
    }

    private static let metering = Stage(name: "level_meter", blockMilliseconds: 10) {
        var meter = LevelMeter(sampleRate: 48_000)
        let input = UnsafeBufferPointer(start: UnsafePointer(Noise.block(480)), count: 480)
        return { meter.add(input) }
    }

    private static let convolving = Stage(name: "room_convolution_300ms", blockMilliseconds: 10) {
        let response = (0..<14_400).map { Float($0 % 17) * 1e-3 }
        let convolver = try Convolver(impulseResponse: response, blockLength: 480)
        let (input, output) = (Noise.block(480), Noise.block(480))
        return { convolver.process(input, into: output) }
    }
}
