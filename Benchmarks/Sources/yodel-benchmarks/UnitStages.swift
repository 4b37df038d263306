import AudioUnits
import LiveMedia
import Media
import Realtime

/// The hardware's side of a call: the unit between device and rings, both directions, with CaptureInlet and PlayoutOutlet.
enum UnitStages {
    static let all: [Stage] = [
        unit("remote_io", deviceRate: 48_000, callRate: 48_000) { RemoteIO(device: $0) },
        unit("remote_io_44k1_device", deviceRate: 44_100, callRate: 48_000) { RemoteIO(device: $0) },
        unit("voice_processing_io_16k", deviceRate: 16_000, callRate: 16_000) { VoiceProcessingIO(device: $0) },
        unit("voice_processing_io_48k", deviceRate: 48_000, callRate: 48_000) { VoiceProcessingIO(device: $0) },
        framing, mixing,
    ]

    private static func unit(
        _ name: String, deviceRate: Int, callRate: Int, make: @escaping @Sendable (NoiseDevice) -> any InputOutputUnit
    ) -> Stage {
        Stage(name: name, blockMilliseconds: 20) {
            let device = NoiseDevice(sampleRate: deviceRate)
            let unit = make(device)
            let endpoint = try AudioEndpoint(unit: unit, sampleRate: callRate, frameLength: callRate / 50)
            try unit.start()
            let far = Noise.block(callRate / 100)
            var heard: Float = 0
            return {
                for _ in 0..<2 { device.turn() }
                endpoint.exchange(
                    captured: { heard += $0[0] },
                    playout: { block in for i in block.indices { block[i] = far[i] } })
            }
        }
    }

    /// A capture ring as the media thread sees it: 10 ms blocks in, 20 ms frames out.
    private static let framing = Stage(name: "ring_framer", blockMilliseconds: 20) {
        let ends = try RingEnds<Float>(minimumCapacity: 8_192)
        let line = FramingLine(producer: ends.producer, consumer: ends.consumer)
        return { line.turn() }
    }

    /// Three voices.
    private static let mixing = Stage(name: "mixer_3_voices", blockMilliseconds: 20) {
        let voices = (0..<3).map { _ in UnsafeBufferPointer(start: UnsafePointer(Noise.block(960)), count: 960) }
        var mixed = [Float](repeating: 0, count: 960)
        return {
            for i in mixed.indices { mixed[i] = 0 }
            for voice in voices { Mixer.add(voice, to: &mixed) }
            Mixer.limit(&mixed)
        }
    }
}

private final class FramingLine {
    private var producer: RingProducer<Float>
    private var consumer: RingConsumer<Float>
    private let framer = Framer(frameLength: 960)
    private let block = Noise.block(480)
    private var touched: Float = 0

    init(producer: consuming RingProducer<Float>, consumer: consuming RingConsumer<Float>) {
        self.producer = producer
        self.consumer = consumer
    }

    func turn() {
        for _ in 0..<2 { _ = producer.write(block, count: 480) }
        var sum = touched
        framer.process(&consumer) { sum += $0[0] + $0[959] }
        touched = sum
    }
}
