import LiveMedia
import Media
import Realtime
import Testing

@Suite("The limit on events") struct EventLimitTests {
    @Test("lets a burst through, then its rate, and counts the rest") func rate() {
        var limit = EventLimit(burst: 5, perSecond: 2)
        var admitted = 0
        var leftOut = 0
        for millisecond in 0..<10_000 {
            let now = HostTime(milliseconds: Double(millisecond))
            if limit.admit(at: now) { admitted += 1 }
            leftOut += limit.takeLeftOut(at: now)
        }
        #expect((24...26).contains(admitted))
        leftOut += limit.takeLeftOut(at: HostTime(milliseconds: 20_000))
        #expect(admitted + leftOut == 10_000)
        leftOut += limit.takeLeftOut(at: HostTime(milliseconds: 30_000))
        #expect(admitted + leftOut == 10_000)
    }

    @Test("tells what it left out once a second at most") func notices() {
        var limit = EventLimit(burst: 1, perSecond: 0)
        var notices = 0
        for millisecond in 0..<5_000 {
            let now = HostTime(milliseconds: Double(millisecond))
            _ = limit.admit(at: now)
            if limit.takeLeftOut(at: now) > 0 { notices += 1 }
        }
        #expect((4...6).contains(notices))
    }

    @Test("takes a time that goes back as the same time") func backwards() {
        var limit = EventLimit(burst: 1, perSecond: 1)
        let admitted = [5000, 0, 5500, 6001].map { limit.admit(at: HostTime(milliseconds: $0)) }
        #expect(admitted == [true, false, false, true])
    }

    @Test("of a call holds for what the other side causes, each kind for itself, and never for the rest") func kinds() {
        var gate = CallEventGate()
        let now = HostTime(milliseconds: 1)
        var told = 0
        for number in 0..<1000 where gate.admit(.call(.sourceChanged(from: 1, to: UInt32(number))), at: now) { told += 1 }
        #expect(told == 8)
        let digit = gate.admit(.call(.digitReceived("1", durationMilliseconds: 80)), at: now)
        #expect(digit)
        var others = 0
        for _ in 0..<100
        where gate.admit(.warning("x"), at: now) && gate.admit(.call(.ended(.remoteHangup)), at: now) { others += 1 }
        #expect(others == 100)
        let notices = gate.takeNotices(at: now)
        #expect(notices.count == 1)
        guard case .warning(let text)? = notices.first else { return }
        #expect(text.hasPrefix("992 "), "\(text)")
    }
}
