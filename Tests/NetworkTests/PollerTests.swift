import Glibc
import Network
import Realtime
import Testing

@Suite struct PollerTests {
    @Test func theDeadlineEndsTheWait() {
        let poller = Poller([])
        let start = HostTime.monotonicNow()
        let isReady = poller.wait(until: start.advanced(byMilliseconds: 20))
        #expect(!isReady && HostTime.monotonicNow().milliseconds(since: start) >= 20)
        let isStillReady = poller.wait(until: start)
        #expect(!isStillReady, "a deadline in the past does not wait")
    }

    @Test func theReadyDescriptorIsNamed() throws {
        let first = try UDPSocket(binding: SocketAddress(loopback, port: 0))
        let second = try UDPSocket(binding: SocketAddress(loopback, port: 0))
        let poller = Poller([first.fileDescriptor, second.fileDescriptor, -1])
        #expect(first.send([1], to: second.local) == 0)
        let isReady = poller.wait(until: HostTime.monotonicNow().advanced(byMilliseconds: 2000))
        let which = [0, 1, 2, 3, -1].map { poller.isReady($0) }
        #expect(isReady && which == [false, true, false, false, false])
    }
}
