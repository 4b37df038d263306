import Media
import Realtime
import Testing

@Suite("The call's state machine") struct CallStateMachineTests {
    private func seconds(_ value: Double) -> HostTime { HostTime(milliseconds: value * 1000) }
    private func machine(waits: Bool = false) -> CallStateMachine {
        CallStateMachine(now: .zero, timeoutMilliseconds: 30_000, waitsForCaller: waits)
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

    @Test("pauses the time-out while held and starts it anew when resumed")
    func hold() {
        var machine = machine()
        _ = machine.heardMedia(at: seconds(1))
        machine.setHeld(true, at: seconds(2))
        #expect(machine.state == .held)
        #expect(machine.advance(to: seconds(1000)) == .none)
        machine.setHeld(false, at: seconds(1000))
        #expect(machine.state == .active)
        #expect(machine.advance(to: seconds(1029.9)) == .none)
        #expect(machine.advance(to: seconds(1030)) == .end(.mediaTimeout))
    }

    @Test("held before any media, it connects when media comes and it is resumed")
    func heldEarly() {
        var machine = machine()
        machine.setHeld(true, at: seconds(1))
        #expect(machine.heardMedia(at: seconds(2)) == .mediaStarted)
        #expect(machine.state == .held)
        machine.setHeld(false, at: seconds(3))
        #expect(machine.state == .active)
        var silent = self.machine()
        silent.setHeld(true, at: seconds(1))
        silent.setHeld(false, at: seconds(2))
        #expect(silent.state == .connecting)
    }

    @Test("is over once: the first reason stays, and nothing revives it")
    func over() {
        var machine = machine()
        #expect(machine.end(.remoteHangup) == .end(.remoteHangup))
        #expect(machine.end(.localHangup) == .none)
        #expect(machine.heardMedia(at: seconds(1)) == .none)
        machine.setHeld(true, at: seconds(2))
        machine.setHeld(false, at: seconds(3))
        #expect(machine.state == .ended(.remoteHangup))
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
