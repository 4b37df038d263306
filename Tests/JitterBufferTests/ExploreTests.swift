import Codecs
import Glibc
import JitterBuffer
import Testing

@Suite struct ExploreTests {
    func show(_ name: String, _ r: StreamSimulation.Result, from: Double = 10, to: Double = 60) {
        let s = r.statistics
        let added = r.delay(from, to)
        func f(_ x: Double) -> String { "\((x * 10).rounded() / 10)" }
        print("### \(name): delay@2 \(f(r.delay(1.5, 2.5))) @5 \(f(r.delay(4.5, 5.5))) end \(f(added)) transit \(f(r.meanTransit)) sum \(f(added + r.meanTransit)) target \(f(r.pulls.last!.outcome.targetMs)) conc \(r.concealed(from)) gap/min \(r.gapMilliseconds(from, to) * 60 / (to - from)) late \(s.late) under \(s.underruns) fec \(s.fecUsed) acc \(s.acceleratedMs) dec \(s.deceleratedMs) short \(s.concealShortMs) long \(s.concealLongMs) drift \(f(r.driftPPM ?? -1))")
    }
    @Test func explore() throws {
        for codec in [CodecKind.pcmu, .opus] {
            for pull in [5.0, 10] {
                var s = StreamSimulation(codec: codec, seconds: 60, signal: Signal.tone(500))
                s.pullMilliseconds = pull
                for voice in [false, true] {
                if voice { s.signal = Signal.voice }
                for (rate, hint) in codec == .opus ? [(28000, 0), (28000, 3), (36000, 3), (28000, 20)] : [(28000, 3)] {
                    s.settings.bitrate = rate
                    s.settings.expectedLossPercent = hint
                    s.network = { p, r in [r.unit() * 3] }
                    let clean = try s.run()
                    var bad = false
                    s.network = { p, r in
                        bad = bad ? r.unit() >= 0.5 : r.unit() < 0.5 * 0.05 / 0.95
                        return bad ? [] : [r.unit() * 3] }
                    show("loss \(codec) \(pull) \(rate) \(hint) voice \(voice) cleangap \(clean.gapMilliseconds(10, 60))", try s.run())
                }
                }
            }
        }
    }
}
