import Codecs
import Media
import Realtime
import Simulation
import Testing

@Suite("Digits") struct DigitTests {
    private static let keys = "0123456789*#ABCD"

    private func received(_ side: OfflineSide) -> String {
        String(
            side.events.compactMap { _, event in
                if case .digitReceived(let digit, _) = event { digit } else { nil }
            })
    }

    @Test(
        "arrive each once and in order, over a clean network and over a bad one",
        arguments: ["", "delay=20,loss=10,burst=2,jitter=30,reorder=2,duplicate=5"], [Codec.opus, .pcmu])
    func arriveOnce(network: String, codec: Codec) throws {
        let seed: UInt64 = 7
        let call = try OfflineCall(quietPlan(codec, seconds: 12, network: network, seed: seed))
        try call.run { now in
            if now == HostTime(milliseconds: 2000) { call.sides[0].perform(.digits(Self.keys), now: now) }
            if now == HostTime(milliseconds: 8000) { call.sides[1].perform(.digits("11"), now: now) }
        }
        #expect(received(call.sides[1]) == Self.keys, "seed \(seed)")
        #expect(received(call.sides[0]) == "11", "seed \(seed)")
        for case (_, .digitReceived(_, let milliseconds)) in call.sides[1].events {
            #expect((40...200).contains(milliseconds))
        }
    }

    @Test("of the configuration are sent once when media has started")
    func configured() throws {
        var plan = try quietPlan(.pcmu, seconds: 4)
        plan.adjust = { side, configuration in if side == 1 { configuration.digits = "42#" } }
        let call = try OfflineCall(plan)
        try call.run()
        #expect(received(call.sides[0]) == "42#")
        #expect(received(call.sides[1]) == "")
    }

    @Test("that are none are left out, and the call goes on")
    func nonsense() throws {
        let call = try OfflineCall(quietPlan(.pcmu, seconds: 5))
        try call.run { now in
            if now == HostTime(milliseconds: 1000) { call.sides[0].perform(.digits("1x é\u{0}2"), now: now) }
        }
        #expect(["12", ""].contains(received(call.sides[1])))
        #expect(call.sides[1].statistics.packetsLost == 0)
    }
}
