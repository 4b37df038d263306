import Media
import Realtime
import Testing

@Suite("What a capture is told of its stream") struct StreamChangeTests {
    private final class Told: MediaTap {
        var changes: [StreamChange] = []
        func add(_ change: StreamChange, at now: HostTime) { changes.append(change) }
    }

    @Test(
        "is the end of its call, once; a place that waits for callers may get another one, who is in the same capture",
        arguments: [false, true])
    func end(waits: Bool) throws {
        let told = Told()
        let listener = try Endpoint(seeds: [1], adjust: { $0.policy.waitsForCaller = waits })
        listener.loop.taps = [told]
        everyTenMilliseconds(to: 1) { now in
            if now == HostTime(milliseconds: 500) { listener.perform(.hangUp(.localHangup), now: now) }
            listener.step(now: now)
        }
        #expect(told.changes.filter { $0 == .ended } == (waits ? [] : [.ended]))
    }
}
