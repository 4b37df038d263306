import JitterBuffer
import Realtime
import Testing

@Suite("A clock that runs otherwise than before") struct ClockChangeTests {
    /// Packets of 20 ms over a line without jitter, from a clock that gains `partsPerMillion`, in the seconds of its life; and `held` for
    /// so many milliseconds.
    private func makeDelays(
        seconds: Int, bend: Double? = nil, step: Double? = nil, held: (Double) -> Double = { _ in 0 },
        partsPerMillion: (Double) -> Double
    ) -> (drift: Double, targets: [Double]) {
        let axis = StreamAxis(
            clockRate: 8000, sampleRate: 8000, hostEpoch: HostTime(milliseconds: 0), timestamp: 0,
            arrival: HostTime(milliseconds: 0), delay: 0)
        var configuration = JitterBufferConfiguration()
        if let bend { configuration.tuning.drift.bend = bend }
        if let step { configuration.tuning.drift.step = step }
        var delays = DelayManager(configuration: configuration)
        var (gained, targets) = (0.0, [Double]())
        for sequence in 0..<Int64(50 * seconds) {
            let time = Double(sequence) / 50
            gained += 20 * partsPerMillion(time) / 1e6
            let arrival = Double(sequence) * 20 + 30 + held(time) - gained
            delays.learn(from: LevelPacket.stored(sequence, arrival: arrival), axis: axis, concealsItself: false)
            if sequence % 50 == 49 { targets.append(delays.target.aboveFloor) }
        }
        return (delays.driftPPM ?? .nan, targets)
    }

    @Test("is found within half a minute, and costs no delay", arguments: [(400.0, 150.0), (150, 450), (0, 300), (-200, 200)])
    func change(from before: Double, to after: Double) {
        let steady = makeDelays(seconds: 120) { _ in before }
        let never = makeDelays(seconds: 120, bend: 1e6, step: 1e6) { $0 < 60 ? before : after }.targets[60...].max() ?? 0
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

    @Test(
        "is found as fast where what comes before the network holds packets for another time", arguments: [-4.0, -1.5, 1.5, 4])
    func step(by milliseconds: Double) {
        func targets(seen: Bool) -> [Double] {
            makeDelays(
                seconds: 90, step: seen ? nil : 1e6, held: { $0 < 60 ? 0 : milliseconds }, partsPerMillion: { _ in 300 }
            ).targets
        }
        let (seen, unseen) = (targets(seen: true), targets(seen: false))
        #expect(seen[59] < 5, "\(seen[59]) ms before")
        let late = seen[67...].max() ?? 0
        // The histogram has bins of 1 ms.
        #expect(late <= seen[59] + 1, "\(late) ms eight seconds later, \(seen[59]) before")
        let never = unseen[67...].max() ?? 0
        #expect(never >= late + 1, "\(never) ms where it is not looked for")
    }

    @Test("and route changes of a stream that goes on are told apart: what is remembered of the way stands")
    func route() {
        let targets = makeDelays(seconds: 100, held: { $0 < 60 ? 0 : 40 }, partsPerMillion: { _ in 300 }).targets
        #expect(targets[65] > targets[59] + 20, "\(targets[59]) ms, then \(targets[65])")
    }
}
