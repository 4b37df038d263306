import Link
import Media
import Realtime
import Testing

@Suite("The call's state machine, with signalling") struct SignalledStateTests {
    private func machine(_ signals: CallSignal...) -> CallStateMachine {
        var machine = CallStateMachine(now: .zero, policy: .signalled)
        for signal in signals { _ = machine.take(signal, at: .zero) }
        return machine
    }

    @Test("goes through ringing and early media to the answer; media alone does not answer it")
    func phases() {
        var machine = machine()
        #expect(machine.state == .connecting && machine.direction == .inactive)
        _ = machine.take(.ringing, at: seconds(1))
        #expect(machine.state == .ringing && machine.direction == .inactive)
        #expect(machine.heardMedia(at: seconds(2)) == .mediaStarted)
        #expect(machine.state == .ringing && machine.direction == .inactive && !machine.hasBegun)
        _ = machine.take(.earlyMedia, at: seconds(3))
        #expect(machine.state == .earlyMedia && machine.direction == .sendReceive && !machine.hasBegun)
        _ = machine.take(.answered, at: seconds(4))
        #expect(machine.state == .active && machine.direction == .sendReceive && machine.hasBegun)
    }

    @Test("takes signals that come too late, or twice, for nothing")
    func lateSignals() {
        var machine = machine(.answered)
        for signal in [CallSignal.ringing, .earlyMedia, .answered] {
            #expect(machine.take(signal, at: seconds(1)) == .none)
            #expect(machine.state == .active)
        }
        var early = self.machine(.earlyMedia, .ringing)
        #expect(early.state == .earlyMedia)
        #expect(early.end(.cancelled) == .end(.cancelled))
        #expect(early.take(.answered, at: seconds(2)) == .none)
        #expect(early.state == .ended(.cancelled))
    }

    @Test("has no media time-out before the answer, and one from the answer on")
    func timeout() {
        var machine = machine(.ringing)
        #expect(machine.advance(to: seconds(200)) == .none)
        _ = machine.take(.earlyMedia, at: seconds(200))
        #expect(machine.advance(to: seconds(400)) == .none)
        _ = machine.take(.answered, at: seconds(400))
        #expect(machine.advance(to: seconds(429.9)) == .none)
        #expect(machine.advance(to: seconds(430)) == .end(.mediaTimeout))
    }

    @Test("the other side's hold is told apart from ours, and each is undone by who made it")
    func holders() {
        var machine = machine(.answered)
        _ = machine.take(.direction(.sendOnly), at: seconds(1))
        #expect(machine.state == .held(by: .peer) && machine.direction == .receiveOnly)
        machine.setWish(.sendOnly, at: seconds(2))
        #expect(machine.state == .held(by: .both) && machine.direction == .inactive)
        _ = machine.take(.direction(.sendReceive), at: seconds(3))
        #expect(machine.state == .held(by: .us) && machine.direction == .sendOnly)
        machine.setWish(.sendReceive, at: seconds(4))
        #expect(machine.state == .active && machine.direction == .sendReceive)
    }

    @Test("who holds us may send music or nothing: the time-out waits as long as the hold lasts")
    func timeoutOnHold() {
        var music = machine(.answered, .direction(.sendOnly))
        #expect(music.advance(to: seconds(10_000)) == .none)
        var silent = machine(.answered, .direction(.inactive))
        #expect(silent.advance(to: seconds(10_000)) == .none)
        _ = silent.take(.direction(.sendReceive), at: seconds(10_000))
        #expect(silent.advance(to: seconds(10_029)) == .none)
        #expect(silent.advance(to: seconds(10_030)) == .end(.mediaTimeout))
    }

    @Test("every end that signalling knows ends it, in every state", arguments: EndReason.allCases)
    func ends(reason: EndReason) {
        for signals in [[], [.ringing], [.earlyMedia], [.answered], [CallSignal.answered, .direction(.inactive)]] {
            var machine = machine()
            for signal in signals { _ = machine.take(signal, at: seconds(1)) }
            #expect(machine.take(.ended(reason), at: seconds(2)) == .end(reason))
            #expect(machine.state == .ended(reason))
        }
    }

    @Test("directions agree as RFC 3264 has it: each is sent what it takes")
    func agreement() {
        for ours in MediaDirection.allCases {
            #expect(ours.reversed.reversed == ours)
            for theirs in MediaDirection.allCases {
                let here = ours.agreed(with: theirs)
                #expect(here == theirs.agreed(with: ours).reversed)
                #expect(here.sends == (ours.sends && theirs.receives) && here.receives == (ours.receives && theirs.sends))
            }
        }
    }
}
