import PeerSignalling
import Realtime
import SDP
import Testing

@Suite("A call from person to person, signalled in virtual time") struct PeerDialogTests {
    @Test("an offer is answered, and both agree on the same codec")
    func answered() {
        let wire = LossyWire(seed: 1)
        #expect(wire.run(1000) { wire.isAnswered })
        #expect(LossyWire.codecs(wire.callerEvents) == ["opus"])
        #expect(LossyWire.codecs(wire.calleeEvents) == ["opus"])
        #expect(wire.callerEvents.last == .answered && wire.calleeEvents.last == .answered)
        wire.run(1000)
        #expect(wire.caller.isSettled && wire.callee.isSettled)
        #expect(wire.caller.dropped == 0 && wire.callee.dropped == 0)
    }

    @Test("a call is made, held, resumed and ended over a wire that loses half and doubles a third", arguments: UInt64(1)...40)
    func loss(seed: UInt64) {
        let wire = LossyWire(seed: seed, loss: 0.5, duplication: 0.3)
        #expect(wire.run(60_000) { wire.isAnswered }, "seed \(seed)")
        wire.caller.hold(true, now: wire.now)
        #expect(wire.run(60_000) { LossyWire.holds(wire.calleeEvents) == ["peer"] }, "seed \(seed)")
        #expect(wire.run(60_000) { LossyWire.holds(wire.callerEvents) == ["us"] }, "seed \(seed)")
        wire.callee.hold(true, now: wire.now)
        #expect(wire.run(60_000) { LossyWire.holds(wire.callerEvents).last == "uspeer" }, "seed \(seed)")
        #expect(wire.run(60_000) { LossyWire.holds(wire.calleeEvents).last == "uspeer" }, "seed \(seed)")
        wire.caller.hold(false, now: wire.now)
        wire.callee.hold(false, now: wire.now)
        #expect(
            wire.run(60_000) {
                LossyWire.holds(wire.callerEvents).last == "" && LossyWire.holds(wire.calleeEvents).last == ""
            }, "seed \(seed)")
        wire.callee.hangUp(now: wire.now)
        #expect(wire.run(60_000) { wire.callee.isSettled }, "seed \(seed)")
        #expect(LossyWire.ending(wire.callerEvents) == .hungUpByPeer, "seed \(seed)")
        #expect(wire.callerEvents.filter { $0 == .answered }.count == 1, "seed \(seed)")
        #expect(wire.callee.dropped == 0 && wire.caller.dropped == 0, "seed \(seed)")
    }

    @Test("holds that cross end in the state that both wish", arguments: UInt64(1)...20)
    func crossing(seed: UInt64) {
        let wire = LossyWire(seed: seed, loss: 0.2)
        #expect(wire.run(60_000) { wire.isAnswered }, "seed \(seed)")
        wire.run(5000)
        wire.caller.hold(true, now: wire.now)
        wire.callee.hold(true, now: wire.now)
        wire.run(20_000)
        #expect(LossyWire.holds(wire.callerEvents).last == "uspeer", "seed \(seed)")
        #expect(LossyWire.holds(wire.calleeEvents).last == "uspeer", "seed \(seed)")
    }

    @Test("a hold that is taken back before it was answered leaves nothing held")
    func quickHold() {
        let wire = LossyWire(seed: 3)
        wire.run(1000) { wire.isAnswered }
        wire.caller.hold(true, now: wire.now)
        wire.caller.hold(false, now: wire.now)
        wire.run(5000)
        #expect(LossyWire.holds(wire.callerEvents).last ?? "" == "")
        #expect(LossyWire.holds(wire.calleeEvents).last ?? "" == "")
    }

    @Test("without a common codec the call is refused, and both know why")
    func noCommonCodec() {
        let wire = LossyWire(seed: 4, callerCodecs: [.opus], calleeCodecs: [.pcmu])
        wire.run(2000)
        for events in [wire.callerEvents, wire.calleeEvents] {
            guard case .refused(.noCommonMedia, let text)? = LossyWire.ending(events) else {
                Issue.record("\(events)")
                continue
            }
            #expect(text.contains("codec"), "\(text)")
        }
    }

    @Test("a description of another certificate than the association's is refused")
    func foreignCertificate() {
        let wire = LossyWire(seed: 5, calleeSees: LossyWire.fingerprint(9))
        wire.run(2000)
        guard case .refused(.noCommonMedia, let text)? = LossyWire.ending(wire.callerEvents) else {
            Issue.record("\(wire.callerEvents)")
            return
        }
        #expect(text.contains("certificate"), "\(text)")
        #expect(!wire.calleeEvents.contains(.incoming))
    }

    @Test("a refusal ends the caller's attempt with its reason")
    func refused() {
        let wire = LossyWire(seed: 6, loss: 0.3)
        wire.run(60_000, answers: false) { wire.calleeEvents.contains(.incoming) }
        wire.callee.refuse(.unavailable, "no sound\nhere", now: wire.now)
        #expect(wire.run(60_000, answers: false) { LossyWire.ending(wire.callerEvents) != nil })
        #expect(LossyWire.ending(wire.callerEvents) == .refused(.unavailable, "no sound here"))
    }

    @Test("nobody who is silent keeps the other side for ever")
    func silence() {
        let wire = LossyWire(seed: 7, loss: 1)
        wire.run(PeerDialog.answerMilliseconds + 100)
        #expect(LossyWire.ending(wire.callerEvents) == .noAnswer && LossyWire.ending(wire.calleeEvents) == .noAnswer)
        #expect(wire.sent < 100, "\(wire.sent) datagrams")
        let cut = LossyWire(seed: 8)
        cut.run(1000) { cut.isAnswered }
        cut.run(1000)
        cut.loss = 1
        cut.caller.hold(true, now: cut.now)
        cut.run(PeerDialog.silenceMilliseconds + 100)
        #expect(LossyWire.ending(cut.callerEvents) == .lost)
    }

    @Test("bytes of any kind, and messages out of their turn, neither trap nor end a call", arguments: UInt64(1)...20)
    func garbage(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let wire = LossyWire(seed: seed)
        wire.run(1000) { wire.isAnswered }
        wire.run(1000)
        for _ in 0..<500 {
            var bytes = (0..<Int.random(in: 0...1200, using: &random)).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
            if Bool.random(using: &random), bytes.count > 8 {
                // A frame by its looks, of a number that is not due.
                bytes.replaceSubrange(0..<8, with: [1, 1, 0, 0, 1, 0, 0, 1])
            }
            wire.post(bytes, toCallee: Bool.random(using: &random))
        }
        wire.run(1000)
        #expect(LossyWire.ending(wire.callerEvents) == nil && LossyWire.ending(wire.calleeEvents) == nil, "seed \(seed)")
        #expect(wire.caller.dropped > 0 && wire.callee.dropped > 0, "seed \(seed)")
        wire.caller.hold(true, now: wire.now)
        wire.run(2000)
        #expect(LossyWire.holds(wire.calleeEvents) == ["peer"], "seed \(seed)")
    }

    @Test("an offer that cannot be read is refused at once, and the caller is told")
    func unreadable() {
        var callee = PeerDialog(
            .callee, capabilities: AudioCapabilities(codecs: [.pcmu]), own: LossyWire.other, peer: LossyWire.one, sessionID: 1)
        callee.start(now: .zero)
        callee.receive([1, 1, 0, 0, 0, 1, 0, 1] + Array("offer\nnothing".utf8), now: .zero)
        #expect(callee.isOver)
        let said = callee.takeDatagrams().map { String(decoding: $0.dropFirst(8), as: UTF8.self) }
        #expect(said.contains { $0.hasPrefix("refusal malformed") }, "\(said)")
    }

    /// That a part of a message has arrived.
    private static func receipt(for part: [UInt8]) -> [UInt8] { [1, 2] + Array(part[2..<8]) }

    @Test(
        "a hold that has no answer in time, or none that can be read, is told as refused, and may be wished for again",
        arguments: [false, true])
    func unansweredHold(isAnswered: Bool) {
        let wire = LossyWire(seed: 9)
        #expect(wire.run(1000) { wire.isAnswered })
        wire.run(1000)
        var caller = wire.caller
        caller.hold(true, now: wire.now)
        for part in caller.takeDatagrams() { caller.receive(Self.receipt(for: part), now: wire.now) }
        let limit = wire.now.advanced(byMilliseconds: PeerDialog.answerMilliseconds)
        caller.advance(to: limit.advanced(byMilliseconds: -1))
        let early = caller.nextEvent()
        #expect(early == nil && caller.isSettled)
        if isAnswered {
            caller.receive([1, 1, 0, 0, 0, 2, 0, 1] + Array("answer\nnothing".utf8), now: wire.now)
        } else {
            #expect(caller.nextDeadline == limit)
            caller.advance(to: limit)
        }
        guard case .requestRefused(let text)? = caller.nextEvent() else {
            Issue.record("nothing is told of the hold")
            return
        }
        #expect(text.contains("answer") && !caller.isOver && caller.nextDeadline == nil, "\(text)")
        _ = caller.takeDatagrams()
        caller.hold(true, now: limit)
        let said = caller.takeDatagrams().map { String(decoding: $0.dropFirst(8), as: UTF8.self) }
        #expect(said.contains { $0.hasPrefix("offer") }, "\(said)")
    }

    @Test("a call whose answer cannot be read ends at once, and the reason is told")
    func unreadableAnswer() {
        var caller = PeerDialog(
            .caller, capabilities: AudioCapabilities(codecs: [.pcmu]), own: LossyWire.one, peer: LossyWire.other, sessionID: 1)
        caller.start(now: .zero)
        for part in caller.takeDatagrams() { caller.receive(Self.receipt(for: part), now: .zero) }
        caller.receive([1, 1, 0, 0, 0, 1, 0, 1] + Array("answer\nnothing".utf8), now: .zero)
        guard case .ended(.refused(.malformed, let text))? = caller.nextEvent() else {
            Issue.record("the call goes on")
            return
        }
        #expect(!text.isEmpty)
        let said = caller.takeDatagrams().map { String(decoding: $0.dropFirst(8), as: UTF8.self) }
        #expect(said.contains { $0.hasPrefix("bye") }, "\(said)")
    }

    @Test("parts of a message are bounded: their number, their length, and what waits")
    func bounds() {
        var callee = PeerDialog(
            .callee, capabilities: AudioCapabilities(codecs: [.pcmu]), own: LossyWire.other, peer: LossyWire.one, sessionID: 1)
        callee.start(now: .zero)
        let wrong: [[UInt8]] = [
            [], [1], [2, 1, 0, 0, 0, 1, 0, 1, 65], [1, 9, 0, 0, 0, 1, 0, 1, 65], [1, 1, 0, 0, 0, 0, 0, 1, 65],
            [1, 1, 0, 0, 0, 1, 0, 9, 65], [1, 1, 0, 0, 0, 1, 3, 3, 65], [1, 1, 0, 0, 0, 2, 0, 1, 65],
            [1, 2, 0, 0, 0, 1, 0, 1, 65], [1, 1, 0, 0, 0, 1, 0, 1] + Array(repeating: 65, count: 1001),
        ]
        for bytes in wrong { callee.receive(bytes, now: .zero) }
        #expect(callee.dropped == wrong.count)
        #expect(callee.takeDatagrams().isEmpty)
        // The second part says another number of parts than the first.
        callee.receive([1, 1, 0, 0, 0, 1, 0, 3, 65], now: .zero)
        callee.receive([1, 1, 0, 0, 0, 1, 1, 2, 65], now: .zero)
        #expect(callee.dropped == wrong.count + 1)
    }
}
