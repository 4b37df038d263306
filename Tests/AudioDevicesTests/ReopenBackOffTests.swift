import AudioDevices
import Realtime
import Testing

@Suite struct ReopenBackOffTests {
    private func time(_ milliseconds: Double) -> HostTime { HostTime.zero.advanced(byMilliseconds: milliseconds) }

    @Test func whatIsLostIsTriedSoonAndThenEverMoreSeldom() {
        var backOff = ReopenBackOff()
        #expect(backOff.next == nil)
        var now = 0.0
        backOff.lost(at: time(now))
        var waits: [Double] = []
        for _ in 0..<7 {
            let next = backOff.next?.milliseconds(since: .zero) ?? 0
            waits.append((next - now).rounded())
            now = next
            backOff.failed(at: time(now))
        }
        #expect(waits == [100, 200, 400, 800, 1600, 2000, 2000])
        backOff.succeeded()
        #expect(backOff.next == nil)
        backOff.lost(at: time(50_000))
        #expect(backOff.next == time(50_100), "and soon again the next time")
    }

    @Test func aSecondLossDoesNotPutTheAttemptOff() {
        var backOff = ReopenBackOff()
        backOff.lost(at: time(0))
        backOff.lost(at: time(90))
        #expect(backOff.next == time(100))
    }

    @Test func newsHastensWhatIsLostOnly() {
        var backOff = ReopenBackOff()
        backOff.hasten(at: time(5))
        #expect(backOff.next == nil)
        backOff.lost(at: time(10))
        for _ in 0..<5 { backOff.failed(at: time(20)) }
        backOff.hasten(at: time(30))
        #expect(backOff.next == time(30))
        backOff.failed(at: time(30))
        #expect(backOff.next == time(230))
    }
}
