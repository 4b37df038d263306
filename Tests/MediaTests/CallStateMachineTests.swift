import Link
import Media
import Realtime
import Testing

@Suite("The call's state machine, nobody signalling") struct CallStateMachineTests {
    private func machine(waits: Bool = false) -> CallStateMachine {
        var policy = CallPolicy.unsignalled
        policy.waitsForCaller = waits
        return CallStateMachine(now: .zero, policy: policy)
    }

    @Test("becomes active with the first media, and says so once")
    func active() {
        var machine = machine()
        #expect(machine.state == .connecting)
        #expect(machine.heardMedia(at: seconds(1)) == .mediaStarted)
        #expect(machine.state == .active)
        #expect(machine.heardMedia(at: seconds(1.1)) == .none)
    }

    @Test("ends after 30 s without RTP and RTCP; either of them counts")
    func timeout() {
        var machine = machine()
        _ = machine.heardMedia(at: seconds(1))
        machine.heardControl(at: seconds(20))
        #expect(machine.advance(to: seconds(49.999)) == .none)
        #expect(machine.advance(to: seconds(50)) == .end(.mediaTimeout))
        #expect(machine.state == .ended(.mediaTimeout))
        #expect(machine.advance(to: seconds(99)) == .none)
    }

    @Test("ends a caller whom nobody answers; a listener waits for its first media without an end")
    func unanswered() {
        var caller = machine()
        #expect(caller.advance(to: seconds(30)) == .end(.mediaTimeout))
        var listener = machine(waits: true)
        #expect(listener.advance(to: seconds(100_000)) == .none)
        #expect(listener.heardMedia(at: seconds(100_000)) == .mediaStarted)
        #expect(listener.advance(to: seconds(100_030)) == .end(.mediaTimeout))
    }

    @Test("pauses the time-out while held and starts it anew when resumed", arguments: [MediaDirection.inactive, .sendOnly])
    func hold(direction: MediaDirection) {
        var machine = machine()
        _ = machine.heardMedia(at: seconds(1))
        machine.setWish(direction, at: seconds(2))
        #expect(machine.state == .held(by: .us))
        #expect(machine.direction == direction)
        #expect(machine.advance(to: seconds(1000)) == .none)
        machine.setWish(.sendReceive, at: seconds(1000))
        #expect(machine.state == .active)
        #expect(machine.advance(to: seconds(1029.9)) == .none)
        #expect(machine.advance(to: seconds(1030)) == .end(.mediaTimeout))
    }

    @Test("who only listens is not on hold, and still times out")
    func listening() {
        var machine = machine()
        _ = machine.heardMedia(at: seconds(1))
        machine.setWish(.receiveOnly, at: seconds(2))
        #expect(machine.state == .active && machine.direction == .receiveOnly)
        #expect(machine.advance(to: seconds(31)) == .end(.mediaTimeout))
    }

    @Test("held before any media, it connects when media comes and it is resumed")
    func heldEarly() {
        var machine = machine()
        machine.setWish(.inactive, at: seconds(1))
        #expect(machine.heardMedia(at: seconds(2)) == .mediaStarted)
        #expect(machine.state == .held(by: .us))
        machine.setWish(.sendReceive, at: seconds(3))
        #expect(machine.state == .active)
        var silent = self.machine()
        silent.setWish(.inactive, at: seconds(1))
        silent.setWish(.sendReceive, at: seconds(2))
        #expect(silent.state == .connecting)
    }

    @Test("knows no ringing, early media or answer, but an end and a direction")
    func ignoredSignals() {
        var machine = machine()
        for signal in [CallSignal.ringing, .earlyMedia, .answered] {
            #expect(machine.take(signal, at: seconds(1)) == .none)
            #expect(machine.state == .connecting && machine.direction == .sendReceive)
        }
        _ = machine.take(.direction(.inactive), at: seconds(2))
        #expect(machine.state == .held(by: .peer))
        #expect(machine.take(.ended(.network), at: seconds(3)) == .end(.network))
    }

    @Test("is over once: the first reason stays, and nothing revives it")
    func over() {
        var machine = machine()
        #expect(machine.end(.remoteHangup) == .end(.remoteHangup))
        #expect(machine.end(.localHangup) == .none)
        #expect(machine.take(.ended(.busy), at: seconds(1)) == .none)
        #expect(machine.heardMedia(at: seconds(1)) == .none)
        machine.setWish(.inactive, at: seconds(2))
        machine.setWish(.sendReceive, at: seconds(3))
        #expect(machine.state == .ended(.remoteHangup))
        #expect(machine.direction == .inactive)
    }

    @Test("does not run backwards: an old arrival does not shorten the time-out")
    func oldArrival() {
        var machine = machine()
        _ = machine.heardMedia(at: seconds(20))
        _ = machine.heardMedia(at: seconds(5))
        machine.heardControl(at: seconds(6))
        #expect(machine.advance(to: seconds(49)) == .none)
    }
}

func seconds(_ value: Double) -> HostTime { HostTime(milliseconds: value * 1000) }
