import Codecs
import Media
import Realtime
import Simulation
import Testing

@Suite("The end of a call") struct EndingTests {
    @Test("BYE of one side ends the other as soon as its voice stays out too, which then sends no more")
    func bye() throws {
        let call = try OfflineCall(quietPlan(.pcmu, seconds: 10, network: "delay=30"))
        var sent = 0
        try call.run { now in
            if now == HostTime(milliseconds: 4000) { call.sides[0].perform(.hangUp(.localHangup), now: now) }
            if now == HostTime(milliseconds: 4300) { sent = call.sides[1].statistics.packetsSent ?? 0 }
        }
        let near = try #require(call.sides[0].ending)
        let far = try #require(call.sides[1].ending)
        #expect(near.reason == .localHangup && abs(near.seconds - 4) < 0.05)
        #expect(far.reason == .remoteHangup && abs(far.seconds - 4.2) < 0.05)
        #expect(call.sides[1].statistics.packetsSent == sent)
        #expect(call.sides[1].heard(from: 4.4, to: 10).allSatisfy { $0 == 0 })
    }

    @Test("comes 30 s after the last packet when the network dies", arguments: [Codec.pcmu, .l16])
    func mediaTimeout(codec: Codec) throws {
        let call = try OfflineCall(quietPlan(codec, seconds: 45))
        try call.run { now in if now == HostTime(milliseconds: 5000) { call.unplug() } }
        for side in call.sides {
            let ending = try #require(side.ending)
            #expect(ending.reason == .mediaTimeout)
            #expect(abs(ending.seconds - 35) < 0.1)
            // It was quiet before: that the rest is missing, and no pause, the time-out alone tells.
            let figures = side.statistics
            #expect(abs((figures.concealedByReason["conceal_long"] ?? 0) - 30_000) < 500)
            #expect(abs((figures.gapsByCause?.network.milliseconds ?? 0) - 30_000) < 500)
            #expect((figures.concealedRatio ?? 0) > 0.8)
        }
    }

    @Test("is reached by a caller whom nobody answers, but not by a listener whom nobody calls")
    func nobody() throws {
        var plan = try quietPlan(.pcmu, seconds: 40)
        plan.adjust = { side, configuration in configuration.policy.waitsForCaller = side == 1 }
        let call = try OfflineCall(plan)
        call.unplug()
        try call.run()
        #expect(call.sides[0].ending?.reason == .mediaTimeout)
        #expect(call.sides[1].call.state == .ended(.duration))
    }

    @Test("is final: what is asked of an ended call is ignored")
    func final() throws {
        let call = try OfflineCall(quietPlan(.pcmu, seconds: 6))
        try call.run { now in
            guard now >= HostTime(milliseconds: 2000) else { return }
            for command in [CallCommand.hangUp(.localHangup), .direction(.sendReceive), .digits("1"), .mute(true), .volume(2)] {
                call.sides[0].perform(command, now: now)
            }
        }
        let endings = call.sides.map { side in
            side.events.filter { if case .ended = $0.event { true } else { false } }.count
        }
        #expect(endings == [1, 1])
        #expect(call.sides[0].call.state == .ended(.localHangup))
        #expect(call.sides[1].call.state == .ended(.remoteHangup))
    }
}
