import AudioUnits
import Realtime
import Testing

@Suite("Taps")
struct VoiceTapTests {
    @Test("each signal inside the processing can be listened to, in step with the others")
    func signals() throws {
        var consumers: [VoiceSignal: TapReader] = [:]
        let far = Signals.speechLike(rate: 16_000, seconds: 12, seed: 3)
        let bench = try VoiceBench(rate: 16_000, far: far) { unit in
            for signal in VoiceSignal.allCases { consumers[signal] = try TapReader(unit, signal) }
        }
        bench.run(seconds: 8)
        let signals = consumers.mapValues { $0.read() }
        for signal in VoiceSignal.allCases { #expect(signals[signal]?.count == 128_000) }
        #expect(try #require(signals[.microphone]) == bench.microphone)
        #expect(try #require(signals[.output]) == bench.collector.samples)
        let microphone = Signals.power(try #require(signals[.microphone])[96_000...])
        let linear = Signals.power(try #require(signals[.afterEchoCancellation])[96_000...])
        print("linear canceller alone:", Signals.decibels(microphone / linear), "dB")
        #expect(linear < microphone / 4)
        let reference = try #require(signals[.reference])
        #expect(abs(Signals.decibels(Signals.power(reference[32_000...]) / Signals.power(far[32_000..<128_000]))) < 1)
        #expect(bench.unit.statistics.droppedTapSamples == 0)
    }

    @Test("a tap nobody reads drops and counts, and the call goes on")
    func overflow() throws {
        var reader: TapReader?
        let bench = try VoiceBench(rate: 16_000, far: []) { reader = try TapReader($0, .output, capacity: 4096) }
        bench.run(seconds: 4)
        #expect(bench.collector.samples.count == 64_000)
        let kept = try #require(reader).read().count
        #expect(bench.unit.statistics.droppedTapSamples == 64_000 - kept)
        #expect(kept >= 4096)
    }

    @Test("a tap is refused once initialized")
    func late() throws {
        let bench = try VoiceBench(rate: 16_000, far: [])
        #expect(throws: AudioUnitError.initialized(setting: "tap")) { _ = try TapReader(bench.unit, .output) }
    }
}

/// The reading end of one tap.
private final class TapReader {
    private var ring: RingConsumer<Float>

    init(_ unit: VoiceProcessingIO, _ signal: VoiceSignal, capacity: Int = 400_000) throws {
        let ends = try RingEnds<Float>(minimumCapacity: capacity)
        ring = ends.consumer
        try unit.setTap(signal, ends.producer)
    }

    func read() -> [Float] {
        var all: [Float] = []
        var block = [Float](repeating: 0, count: 4096)
        while true {
            let count = block.withUnsafeMutableBufferPointer { ring.read(into: $0.baseAddress!, count: 4096) }
            if count == 0 { return all }
            all += block[..<count]
        }
    }
}
