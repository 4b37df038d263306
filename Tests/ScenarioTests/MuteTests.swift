import AudioUnits
import Codecs
import Realtime
import Simulation
import Testing

@Suite("While one side is muted") struct MuteTests {
    private static let muted = 4.0..<8.0

    private func run(_ plan: LoopbackPlan, mute: (OfflineSide, Bool, HostTime) -> Void) throws -> OfflineCall {
        let call = try OfflineCall(plan)
        try call.run { now in
            if now == HostTime(milliseconds: Self.muted.lowerBound * 1000) { mute(call.sides[0], true, now) }
            if now == HostTime(milliseconds: Self.muted.upperBound * 1000) { mute(call.sides[0], false, now) }
        }
        return call
    }

    @Test(
        "the other hears digital silence, packets go on, and the voice comes back",
        arguments: Codec.allCases, [false, true])
    func silence(codec: Codec, inUnit: Bool) throws {
        var plan = try quietPlan(codec, seconds: 12)
        plan.voiceProcessing = inUnit
        plan.room.noiseDecibels = -50
        // Speaks all the time, so that the voice is missed when it is muted.
        plan.speech = { side, rate in
            var talker = SyntheticTalker(sampleRate: rate, pitch: 110, seed: UInt64(side))
            return talker.speak(seconds: 12)
        }
        let call = try run(plan) { side, muted, now in
            if inUnit {
                (side.unit as? VoiceProcessingIO)?.isMuted = muted
            } else {
                side.perform(.mute(muted), now: now)
            }
        }
        let far = call.sides[1]
        let heard = far.heard(from: 4.4, to: 8)
        switch codec {
        case .l16, .pcmu: #expect(heard.allSatisfy { $0 == 0 })
        // A-law has no zero: its smallest step is 8 of 32768 (ITU-T G.711 table 1a).
        case .pcma: #expect(heard.allSatisfy { abs($0) <= 8 / 32768 })
        // Its two bands idle around zero.
        case .g722: #expect(far.heardLevel(from: 4.4, to: 8) < -75)
        default: #expect(far.heardLevel(from: 4.4, to: 8) < -90)
        }
        #expect(far.heardLevel(from: 1, to: 4) > -40)
        #expect(far.heardLevel(from: 8.4, to: 11.5) > -40)
        #expect(far.statistics.packetsLost == 0)
        #expect(far.statistics.concealedRatio == 0)
        #expect(abs((far.statistics.packetsReceived ?? 0) - 600) <= 3)
        // The muted one goes on hearing.
        #expect(call.sides[0].heardLevel(from: 4, to: 8) > -40)
    }

    @Test(
        "its echo canceller goes on learning: the other side's voice is down at once when the mute ends",
        arguments: [Codec.l16, .opus])
    func cancellerStaysAdapted(codec: Codec) throws {
        var plan = LoopbackPlan()
        plan.codec = codec
        plan.seconds = 16
        plan.room.noiseDecibels = nil
        // Only the far side speaks. What comes back to it is the near room's echo.
        plan.speech = { side, rate in
            guard side == 1 else { return [Float](repeating: 0, count: rate) }
            var talker = SyntheticTalker(sampleRate: rate, pitch: 200, seed: 5)
            return talker.speak(seconds: 16)
        }
        let call = try OfflineCall(plan)
        try call.run { now in
            // Muted from the first moment on: all it knows at the end it has learnt meanwhile.
            (call.sides[0].unit as? VoiceProcessingIO)?.isMuted = now < HostTime(milliseconds: 10_000)
        }
        let voice = level(of: call.sides[1].spoken, rate: call.sides[1].deviceRate, from: 10, to: 15.5)
        let echo = call.sides[1].heardLevel(from: 10.2, to: 15.7)
        // 10 dB the room takes itself.
        #expect(voice - echo > 10 + 25, "voice \(voice) dBov, its echo \(echo) dBov")
        #expect(call.sides[0].convergedSeconds.map { $0 < 10 } == true)
    }
}
