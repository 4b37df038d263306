import JitterBuffer
import Realtime
import Testing

@Suite("A clock that runs otherwise than before") struct ClockChangeTests {
    /// Packets of 20 ms over a line without jitter, from a clock that gains `partsPerMillion`, in the seconds of its life.
    private func makeDelays(seconds: Int, bend: Double? = nil, partsPerMillion: (Double) -> Double) -> (
        drift: Double, targets: [Double]
    ) {
        let axis = StreamAxis(
            clockRate: 8000, sampleRate: 8000, hostEpoch: HostTime(milliseconds: 0), timestamp: 0,
            arrival: HostTime(milliseconds: 0), delay: 0)
        var configuration = JitterBufferConfiguration()
        if let bend { configuration.tuning.drift.bend = bend }
        var delays = DelayManager(configuration: configuration)
        var (gained, targets) = (0.0, [Double]())
        for sequence in 0..<Int64(50 * seconds) {
            gained += 20 * partsPerMillion(Double(sequence) / 50) / 1e6
            delays.learn(
                from: LevelPacket.stored(sequence, arrival: Double(sequence) * 20 + 30 - gained), axis: axis,
                concealsItself: false)
            if sequence % 50 == 49 { targets.append(delays.target.aboveFloor) }
        }
        return (delays.driftPPM ?? .nan, targets)
    }

    @Test("is found within half a minute, and costs no delay", arguments: [(400.0, 150.0), (150, 450), (0, 300), (-200, 200)])
    func change(from before: Double, to after: Double) {
        let steady = makeDelays(seconds: 120) { _ in before }
        let never = makeDelays(seconds: 120, bend: 1e6) { $0 < 60 ? before : after }.targets[60...].max() ?? 0
        let (drift, targets) = makeDelays(seconds: 120) { $0 < 60 ? before : after }
        #expect(abs(drift - after) < 20, "\(drift) ppm")
        let early = makeDelays(seconds: 90) { $0 < 60 ? before : after }
        #expect(abs(early.drift - after) < 40, "\(early.drift) ppm")
        let most = targets[60...].max() ?? 0
        #expect(
            most <= (steady.targets[60...].max() ?? 0) + 4,
            "\(most) ms, \(steady.targets[60...].max() ?? 0) of a steady clock, \(never) where it is not looked for")
        // Faster, all that is remembered lies above what follows.
        if after > before { #expect(never > most + 2, "\(never) ms where it is not looked for") }
        #expect(
            abs((targets.last ?? 0) - (steady.targets.last ?? 0)) < 1.5, "\(targets.last ?? 0) ms, \(steady.targets.last ?? 0)")
    }
}
