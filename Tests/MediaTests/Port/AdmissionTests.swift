import Media
import Realtime
import Testing

@Suite("Admission by lateness") struct AdmissionTests {
    /// Turns of 5 ms from `start` for `milliseconds`, each so late and with so much work.
    private func run(
        _ admission: inout Admission, from start: Double, milliseconds: Double, late: (Int) -> Double, busy: Double = 1
    ) {
        for turn in 0..<Int(milliseconds / 5) {
            let now = HostTime(milliseconds: start + Double(turn) * 5)
            admission.note(lateMilliseconds: late(turn), at: now)
            admission.note(busyMilliseconds: busy, at: now)
        }
    }

    @Test("a quiet machine lets everybody in")
    func quiet() {
        var admission = Admission()
        #expect(admission.admits)
        run(&admission, from: 0, milliseconds: 5000, late: { _ in 0.3 })
        #expect(admission.admits && admission.lateShare == 0)
        #expect(abs(admission.load - 0.2) < 0.03)
    }

    @Test("one standstill of 60 ms a second is no overload")
    func standsStillNowAndThen() {
        var admission = Admission()
        run(&admission, from: 0, milliseconds: 10_000, late: { $0 % 200 < 12 ? 60 : 0.3 })
        #expect(admission.admits)
    }

    @Test("turns that are late again and again close the door, and it opens two seconds after it is over")
    func overload() {
        var admission = Admission()
        run(&admission, from: 0, milliseconds: 1000, late: { $0 % 4 == 0 ? 15 : 2 })
        #expect(!admission.admits)
        run(&admission, from: 1000, milliseconds: 2000, late: { _ in 0.3 })
        #expect(!admission.admits, "it is not known yet that it is over")
        run(&admission, from: 3000, milliseconds: 2000, late: { _ in 0.3 })
        #expect(admission.admits)
    }

    @Test("work all the time closes the door before anything is late")
    func busy() {
        var admission = Admission()
        run(&admission, from: 0, milliseconds: 2000, late: { _ in 4 }, busy: 4.8)
        #expect(!admission.admits && admission.load > 0.9)
    }

    @Test("calls that fill three quarters of the time do not keep the door shut once an overload is over")
    func manyRemain() {
        var admission = Admission()
        run(&admission, from: 0, milliseconds: 1000, late: { _ in 15 }, busy: 4.8)
        #expect(!admission.admits)
        run(&admission, from: 1000, milliseconds: 4000, late: { _ in 0.3 }, busy: 3.75)
        #expect(admission.admits)
    }

    @Test("who may use a third of a core only, and uses it, lets nobody in although it is rarely busy")
    func shortProcessor() {
        var admission = Admission()
        for turn in 0..<400 {
            let now = HostTime(milliseconds: Double(turn) * 5)
            admission.note(processorMilliseconds: 1.55 / 0.33, at: now)
            admission.note(lateMilliseconds: 2, at: now)
            admission.note(busyMilliseconds: 1.6, calls: 100, at: now)
        }
        #expect(!admission.admits && admission.load > 0.9 && admission.mostCalls < 100)
    }

    @Test("it is told how many there may be, by what those who are there take; not by what those took who came")
    func mostCalls() {
        var admission = Admission()
        #expect(admission.mostCalls == .max, "nothing is known yet")
        for turn in 0..<400 {
            admission.note(
                busyMilliseconds: 3.5, joining: turn % 2 == 0 ? 1 : 0, calls: 20, at: HostTime(milliseconds: Double(turn) * 5))
        }
        // 3 ms in 5 for 20: 27 fill four fifths.
        #expect((25...28).contains(admission.mostCalls), "\(admission.mostCalls)")
    }

    @Test("where half of the time is left, calls that begin and end at some cost keep nobody out")
    func comeAndGo() {
        var admission = Admission()
        for turn in 0..<400 {
            admission.note(busyMilliseconds: 2, calls: 20, at: HostTime(milliseconds: Double(turn) * 5))
        }
        #expect(admission.mostCalls == .max && admission.admits)
    }

    @Test("an hour's jump of the clock decides nothing")
    func clockJump() {
        var admission = Admission()
        run(&admission, from: 0, milliseconds: 1000, late: { _ in 0.3 })
        admission.note(lateMilliseconds: 3_600_000, at: HostTime(milliseconds: 3_601_000))
        run(&admission, from: 3_601_000, milliseconds: 1000, late: { _ in 0.3 })
        #expect(admission.admits)
    }

    @Test("lateness is told as it was")
    func meter() {
        var meter = LatenessMeter()
        #expect(meter.quantile(0.5) == nil && meter.mean == nil)
        for value in 1...100 { meter.add(Double(value) / 10) }
        #expect(abs((meter.quantile(0.5) ?? 0) - 5) < 0.11)
        #expect(abs((meter.quantile(0.99) ?? 0) - 9.9) < 0.11)
        meter.add(5000)
        meter.add(-3)
        var other = LatenessMeter()
        other.add(7000)
        other.add(meter)
        #expect(other.count == meter.count + 1 && other.maximum == 7000 && other.quantile(0.5) == meter.quantile(0.5))
        #expect(meter.maximum == 5000 && meter.quantile(1) == 5000 && meter.quantile(0) == 0.1)
        meter.reset()
        #expect(meter.count == 0 && meter.maximum == 0 && meter.quantile(0.5) == nil)
    }
}
