import AudioUnits
import DSP
import Glibc
import LiveMedia
import Realtime
import Threads

/// `yodel devices --test`: a tone on the loudspeaker, the level at the microphone.
struct DeviceTest {
    private static let toneHertz = 440.0
    private static let toneAmplitude = 0.1
    private static let rate = 48_000

    private let endpoint: AudioEndpoint

    init(unit: any InputOutputUnit) throws(CallError) {
        endpoint = try AudioEndpoint(unit: unit, sampleRate: Self.rate, frameLength: Self.rate / 50)
    }

    /// Runs until `isInterrupted`, and tells the level in dBov five times a second.
    func run(isInterrupted: () -> Bool, onLevel: (Double) -> Void) throws(CallError) {
        do {
            try endpoint.unit.start()
        } catch {
            throw .audioUnit(error)
        }
        defer { endpoint.unit.dispose() }
        var meter = LevelMeter(sampleRate: Self.rate)
        var phase = 0.0
        var next = HostTime.monotonicNow()
        while !isInterrupted() {
            for _ in 0..<20 {
                endpoint.exchange(
                    captured: { meter.add($0) },
                    playout: { block in
                        for i in block.indices {
                            block[i] = Float(Self.toneAmplitude * sin(phase))
                            phase += 2 * .pi * Self.toneHertz / Double(Self.rate)
                        }
                        phase.formTruncatingRemainder(dividingBy: 2 * .pi)
                    })
                next = next.advanced(byMilliseconds: 10)
                next.sleepUntil()
            }
            onLevel(meter.levelDBov)
        }
    }
}
