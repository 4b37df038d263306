import Codecs
import Media
import Realtime
import Testing

/// RFC 3556: the other side says how much RTCP it wants.
@Suite("The bandwidth of RTCP") struct ControlBandwidthTests {
    /// Two sides that hear each other.
    private func talk(_ sides: (Endpoint, Endpoint), from: Double, to: Double) {
        everyTenMilliseconds(from: from, to: to) { now in
            sides.0.step(now: now)
            sides.1.step(now: now)
            sides.0.links[0].carry(to: sides.1.call, now: now)
            sides.1.links[0].carry(to: sides.0.call, now: now)
        }
    }

    @Test("of 0: no report goes out, and no goodbye; the other side's go on") func none() throws {
        let silent = try Endpoint(.pcmu, seeds: [51], adjust: { $0.stream.rtcpBandwidth = 0 })
        let other = try Endpoint(.pcmu, seeds: [52])
        talk((silent, other), from: 0, to: 30)
        let now = HostTime(milliseconds: 30_000)
        silent.perform(.hangUp(.localHangup), now: now)
        #expect(silent.links[0].reports == 0)
        #expect(other.links[0].reports >= 3)
        let before = other.links[0].reports
        other.perform(.hangUp(.localHangup), now: now)
        #expect(other.links[0].reports == before + 1)
    }

    @Test("may change while the call runs: reports stop, and begin again") func changes() throws {
        let (one, other) = (try Endpoint(.pcmu, seeds: [51]), try Endpoint(.pcmu, seeds: [52]))
        talk((one, other), from: 0, to: 20)
        let before = one.links[0].reports
        #expect(before > 0)
        one.perform(.controlBandwidth(0), now: HostTime(milliseconds: 20_000))
        talk((one, other), from: 20, to: 60)
        #expect(one.links[0].reports == before)
        one.perform(.controlBandwidth(nil), now: HostTime(milliseconds: 60_000))
        talk((one, other), from: 60, to: 80)
        #expect(one.links[0].reports > before)
    }
}
