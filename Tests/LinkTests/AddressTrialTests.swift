import Link
import Realtime
import Testing

@Suite("Addresses of one name, tried in turn") struct AddressTrialTests {
    private static let addresses = [1, 2, 3].map { SocketAddress(IPAddress(v4: 0xc000_0200 + $0), port: 5004) }
    private let first = addresses[0]
    private let second = addresses[1]
    private let third = addresses[2]

    private func at(_ milliseconds: Double) -> HostTime { HostTime(milliseconds: milliseconds) }

    @Test("where nothing arrives at one, the next is tried; late words about a former one change nothing")
    func unreachable() {
        var trial = AddressTrial(Self.addresses)
        #expect(trial.current == first && trial.nextDeadline == nil)
        #expect(trial.unreachable(second, now: at(1)) == nil)
        #expect(trial.unreachable(first, now: at(2)) == second && trial.current == second)
        #expect(trial.unreachable(first, now: at(3)) == nil && trial.current == second)
        #expect(trial.advance(to: at(100_000)) == nil, "whoever is called need not answer")
        #expect(trial.unreachable(second, now: at(100_001)) == third)
    }

    @Test("after the last one the first is tried again, and kept for a while")
    func again() {
        var trial = AddressTrial(Self.addresses)
        for (address, next) in zip(Self.addresses, [second, third, first]) {
            #expect(trial.unreachable(address, now: at(10)) == next)
        }
        #expect(trial.unreachable(first, now: at(10 + AddressTrial.restMilliseconds - 1)) == nil && trial.current == first)
        #expect(trial.unreachable(first, now: at(10 + AddressTrial.restMilliseconds)) == second)
        #expect(trial.unreachable(second, now: at(10 + AddressTrial.restMilliseconds)) == third, "only the first is kept")
    }

    @Test("one that says nothing for too long makes room for the next")
    func patience() {
        var trial = AddressTrial([first, second], patienceMilliseconds: 3000, now: at(100))
        #expect(trial.nextDeadline == at(3100) && trial.advance(to: at(3099)) == nil)
        #expect(trial.advance(to: at(3100)) == second && trial.nextDeadline == at(6100))
        #expect(trial.unreachable(second, now: at(4000)) == first)
        #expect(trial.nextDeadline == at(4000 + AddressTrial.restMilliseconds))
        #expect(trial.advance(to: at(8999)) == nil && trial.advance(to: at(9000)) == second)
    }

    @Test("one that was heard is kept, and so is one alone")
    func kept() {
        var trial = AddressTrial(Self.addresses, patienceMilliseconds: 3000, now: .zero)
        #expect(trial.unreachable(first, now: at(1)) == second)
        trial.heard()
        #expect(trial.unreachable(second, now: at(2)) == nil && trial.advance(to: at(10_000)) == nil)
        #expect(trial.current == second && trial.nextDeadline == nil)
        var alone = AddressTrial([first], patienceMilliseconds: 3000, now: .zero)
        #expect(alone.unreachable(first, now: at(1)) == nil && alone.advance(to: at(10_000)) == nil)
        #expect(alone.current == first && alone.nextDeadline == nil)
    }
}
