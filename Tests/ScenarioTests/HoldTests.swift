import Codecs
import Media
import Realtime
import Simulation
import Testing

@Suite("A call on hold") struct HoldTests {
    @Test("sends nothing but RTCP, plays nothing, outlives the media time-out, and goes on when it is resumed")
    func holdAndResume() throws {
        var plan = try quietPlan(.pcmu, seconds: 60)
        plan.speech = { side, rate in
            var talker = SyntheticTalker(sampleRate: rate, pitch: side == 0 ? 110 : 200, seed: UInt64(side))
            return talker.speak(seconds: 60)
        }
        let call = try OfflineCall(plan)
        var sentAtHold = 0
        var sentAtResume = 0
        try call.run { now in
            switch now {
            case HostTime(milliseconds: 5000):
                call.sides[0].perform(.direction(.inactive), now: now)
                sentAtHold = call.sides[0].statistics.packetsSent ?? 0
            case HostTime(milliseconds: 50_000):
                #expect(call.sides[0].call.state == .held(by: .us))
                sentAtResume = call.sides[0].statistics.packetsSent ?? 0
                call.sides[0].perform(.direction(.sendReceive), now: now)
            default: break
            }
        }
        #expect(sentAtHold > 200)
        #expect(sentAtResume == sentAtHold)
        // 45 s without a packet of its voice: RTCP alone kept the other side from giving up.
        #expect(call.sides.allSatisfy { $0.ending?.reason == nil || ($0.ending?.seconds ?? 0) >= 60 })
        #expect(call.sides[0].heard(from: 5.2, to: 50).allSatisfy { $0 == 0 })
        for side in call.sides {
            #expect(side.heardLevel(from: 1, to: 5) > -40)
            #expect(side.heardLevel(from: 51, to: 59) > -40)
        }
        let delay = try #require(call.delay(of: 0, from: 51))
        #expect(delay < 80)
        #expect((call.sides[1].statistics.packetsLost ?? 1) == 0)
    }

    @Test("does not time out even when the network is dead; the side that is not held does")
    func deadNetwork() throws {
        let call = try OfflineCall(quietPlan(.pcmu, seconds: 60))
        try call.run { now in
            guard now == HostTime(milliseconds: 5000) else { return }
            call.sides[0].perform(.direction(.inactive), now: now)
            call.unplug()
        }
        #expect(call.sides[0].call.state == .ended(.duration))
        #expect(call.sides[1].call.state == .ended(.mediaTimeout))
    }

    @Test("times out after it was resumed into a dead network, counted from then")
    func resumedIntoDeadNetwork() throws {
        let call = try OfflineCall(quietPlan(.pcmu, seconds: 60))
        try call.run { now in
            switch now {
            case HostTime(milliseconds: 5000):
                call.sides[0].perform(.direction(.inactive), now: now)
                call.unplug()
            case HostTime(milliseconds: 20_000): call.sides[0].perform(.direction(.sendReceive), now: now)
            default: break
            }
        }
        let ending = try #require(call.sides[0].ending)
        #expect(ending.reason == .mediaTimeout)
        #expect(abs(ending.seconds - 50) < 0.1)
    }
}
