import Realtime
import Softphone
import Testing

@Suite("Relays lost in mid-call") struct RelayRenewalTests {
    @Test("are replaced, but one that is lost again within a minute is not")
    func paced() {
        var renewal = RelayRenewal()
        let times: [Double] = [1, 30_000, 59_000, 61_000, 62_000, 200_000]
        let due = times.map { renewal.isDue(now: HostTime.zero.advanced(byMilliseconds: $0)) }
        #expect(due == [true, false, false, true, false, true])
    }
}
