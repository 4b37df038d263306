import Media
import Realtime
import Testing

@Suite("When the play-out ring is filled again") struct PlayoutScheduleTests {
    private let now = HostTime(milliseconds: 1000)

    @Test("just before the block after the next is taken")
    func inTime() {
        let refill = PlayoutSchedule.refill(next: now.advanced(byMilliseconds: 7), block: 20, margin: 0, now: now)
        #expect(refill == now.advanced(byMilliseconds: 7 + 20 - PlayoutSchedule.leadMilliseconds))
    }

    @Test("nobody plans where a block is short: whoever takes it calls", arguments: [1.0, 5, 10])
    func short(block: Double) {
        #expect(PlayoutSchedule.refill(next: now, block: block, margin: 0, now: now) == nil)
    }

    @Test("sooner after the ring ran dry, but never at once", arguments: [5.0, 60])
    func margin(milliseconds: Double) throws {
        let plain = try #require(PlayoutSchedule.refill(next: now, block: 40, margin: 0, now: now))
        let wary = try #require(PlayoutSchedule.refill(next: now, block: 40, margin: milliseconds, now: now))
        #expect(wary < plain && wary > now)
    }

    @Test("a device that is late is not looked after all the time")
    func late() throws {
        let refill = try #require(
            PlayoutSchedule.refill(next: now.advanced(byMilliseconds: -500), block: 20, margin: 0, now: now))
        #expect(refill.milliseconds(since: now) > 10)
    }
}
