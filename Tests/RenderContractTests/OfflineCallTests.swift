import AudioUnits
import CAudit
import Codecs
import Media
import Realtime
import RenderAudit
import Simulation
import Testing

/// A minute's call in virtual time, every callback of both devices audited.
@Suite("The render threads of a call", .enabled(if: audit_available(), "a sanitizer brings its own malloc"))
struct OfflineCallTests {
    struct Setup: CustomTestStringConvertible, Sendable {
        var codec = Codec.opus
        var deviceRate: Int?
        var voiceProcessing = true
        var network = ""
        var driftPPM = 0.0

        var testDescription: String {
            "\(codec.name), device \(deviceRate ?? codec.sampleRate) Hz, "
                + (voiceProcessing ? "voice processing" : "remote I/O") + (network.isEmpty ? "" : ", \(network)")
        }

        func plan(_ book: AuditBook) throws -> LoopbackPlan {
            var plan = LoopbackPlan()
            plan.seconds = 60
            plan.codec = codec
            plan.deviceRate = deviceRate
            plan.voiceProcessing = voiceProcessing
            plan.network = try NetworkConditions(parsing: network)
            plan.room.driftPPM = driftPPM
            plan.wrapDevice = book.wrap
            return plan
        }
    }

    @Test(
        "allocate nothing, free nothing and lock nothing in a minute",
        arguments: [
            Setup(deviceRate: 48_000),
            Setup(deviceRate: 48_000, voiceProcessing: false, network: "loss=5,burst=2,jitter=30"),
            Setup(deviceRate: 44_100, voiceProcessing: false),
            Setup(codec: .l16, deviceRate: 44_100, driftPPM: 80),
        ])
    func minute(setup: Setup) throws {
        let book = AuditBook()
        let call = try OfflineCall(try setup.plan(book))
        try call.run()
        // 60 s in periods of 10 ms, less the one in which the call began.
        #expect(book.complaints(scopes: 5999) == [])
        // The rooms were not silent: something was rendered.
        #expect(call.sides.allSatisfy { side in side.heard.contains { abs($0) > 0.05 } })
    }

    @Test("keep the contract while mute, bypass and the processing are switched each 250 ms")
    func switching() throws {
        let book = AuditBook()
        let call = try OfflineCall(try Setup(codec: .l16, deviceRate: 48_000).plan(book))
        var turn = 0
        try call.run { now in
            guard now.nanoseconds % 250_000_000 == 0 else { return }
            turn += 1
            for side in call.sides {
                guard let unit = side.unit as? VoiceProcessingIO else { continue }
                switch turn % 5 {
                case 0: unit.isMuted.toggle()
                case 1: unit.isBypassed.toggle()
                case 2: unit.echoCancellation.toggle()
                case 3: unit.noiseSuppression.toggle()
                default: unit.automaticGainControl.toggle()
                }
                side.perform(.mute(turn % 7 < 3), now: now)
                side.perform(.direction(turn % 11 == 0 ? .inactive : .sendReceive), now: now)
            }
        }
        #expect(turn == 240)
        #expect(book.complaints(scopes: 5999) == [])
    }

    @Test("keep the contract while both sides change codec, clock and packet length each second")
    func formats() throws {
        let book = AuditBook()
        var plan = try Setup(deviceRate: 48_000, voiceProcessing: false, network: "jitter=20").plan(book)
        plan.adjust = { _, configuration in configuration.alsoReceives = Codec.allCases.map { MediaFormat($0) } }
        let call = try OfflineCall(plan)
        var turn = 0
        try call.run { now in
            guard now.nanoseconds % 1_000_000_000 == 0 else { return }
            turn += 1
            for (index, side) in call.sides.enumerated() {
                let codec = Codec.allCases[(turn + index) % Codec.allCases.count]
                let lengths = codec.sendableFrameMilliseconds
                let encoder = EncoderSettings(frameMilliseconds: lengths[turn % lengths.count])
                side.perform(.send(SendingFormat(MediaFormat(codec), encoder: encoder)), now: now)
            }
        }
        #expect(turn == 60)
        #expect(book.complaints(scopes: 5999) == [])
        for side in call.sides { #expect(side.call.statistics.packetsLost == 0) }
    }
}
