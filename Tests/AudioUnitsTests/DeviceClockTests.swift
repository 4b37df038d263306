import AudioUnits
import Realtime
import Testing

@Suite("Device clock")
struct DeviceClockTests {
    @Test("finds a drift through jittered stamps", arguments: [-300.0, 0, 50, 400])
    func drift(ppm: Double) throws {
        var clock = DeviceClock(nominalRate: 48_000)
        var noise = Noise(seed: 77)
        let rate = 48_000 * (1 + ppm * 1e-6)
        #expect(clock.rateRatio == nil)
        var worst = 0.0
        for block in 0..<6_000 {
            let sample = Int64(block * 480)
            let exact = 5 + Double(sample) / rate
            let stamp = exact + Double(noise.next()) * 0.001
            clock.update(sampleTime: sample, hostTime: HostTime(nanoseconds: Int64(stamp * 1e9)))
            if block > 3_000 { worst = max(worst, abs(clock.seconds(at: sample) - exact)) }
        }
        let found = (try #require(clock.rateRatio) - 1) * 1e6
        print("drift \(ppm) ppm: found \(found), worst stamp error \(worst * 1e6) us")
        #expect(abs(found - ppm) < 15)
        #expect(worst < 0.0003)
        #expect(clock.resets == 0)
    }

    @Test("begins anew when the stamps jump, and never runs away on nonsense")
    func jump() {
        var clock = DeviceClock(nominalRate: 8_000)
        var seconds = 1.0
        for block in 0..<200 {
            if block == 100 { seconds += 3 }
            let stamp = seconds + Double(block) * 0.01
            clock.update(sampleTime: Int64(block * 80), hostTime: HostTime(nanoseconds: Int64(stamp * 1e9)))
        }
        #expect(clock.resets == 1)
        #expect(abs(clock.seconds(at: 16_000) - 6) < 1e-6)
        clock.update(sampleTime: 5, hostTime: HostTime(nanoseconds: .max))
        clock.update(sampleTime: .max, hostTime: HostTime(nanoseconds: .min))
        #expect(clock.seconds(at: 0).isFinite)
    }
}
