import Codecs
import Link
import Media
import Realtime
import Testing

/// Two calls that hear each other, 600 Hz from the first and 900 Hz from the second.
private struct Pair {
    static let rate = 16_000
    let ends: [Endpoint]

    init(policy: CallPolicy = .unsignalled, adjust: (inout CallConfiguration) -> Void = { _ in }) throws {
        ends = try [(51, 600.0), (52, 900.0)].map { seed, frequency in
            try Endpoint(seeds: [UInt64(seed)], microphone: sine(frequency, amplitude: 0.2, rate: Self.rate)) {
                $0.policy = policy
                adjust(&$0)
            }
        }
    }

    /// Runs from `from` to `to` seconds; gives the RTP packets that each sent.
    @discardableResult
    func run(from: Double, to: Double) -> [Int] {
        var sent = [0, 0]
        run(from: from, to: to) { sent[$0] += $1.rtp.count }
        return sent
    }

    /// Runs likewise; of each report that the first one sent, whether it is a sender's.
    func reports(from: Double, to: Double) -> [Bool] {
        var kinds: [Bool] = []
        // The second octet of a compound is the type of its first packet (RFC 3550 section 6.4).
        run(from: from, to: to) { index, link in if index == 0 { kinds += link.rtcp.map { $0[1] == 200 } } }
        return kinds
    }

    private func run(from: Double, to: Double, see: (_ end: Int, _ sent: QueueLink) -> Void) {
        everyTenMilliseconds(from: from, to: to) { now in
            for (index, end) in ends.enumerated() {
                end.step(now: now)
                see(index, end.links[0])
                end.links[0].carry(to: ends[1 - index].call, now: now)
            }
        }
    }

    func perform(_ command: CallCommand, at time: Double) {
        for end in ends { end.perform(command, now: seconds(time)) }
    }

    /// Amplitude of the other side's tone at one end, between two times in seconds.
    func heard(by end: Int, from: Double, to: Double) -> Double {
        let played = ends[end].device.played
        let last = min(played.count, Int(to * Double(Self.rate)))
        return amplitude(of: end == 0 ? 900 : 600, in: played[Int(from * Double(Self.rate))..<last], rate: Self.rate)
    }
}

@Suite("Directions of a call") struct DirectionTests {
    @Test("each direction sends and plays what it says, RTCP goes on, and it comes back whole")
    func directions() throws {
        let pair = try Pair()
        pair.run(from: 0, to: 2)
        var time = 2.0
        for direction in [MediaDirection.sendOnly, .receiveOnly, .inactive] {
            pair.ends[0].perform(.direction(direction), now: seconds(time))
            let reports = pair.ends[0].links[0].reports
            let sent = pair.run(from: time, to: time + 8)
            #expect((sent[0] > 0) == direction.sends, "\(direction)")
            #expect((pair.heard(by: 0, from: time + 1, to: time + 8) > 0.15) == direction.receives, "\(direction)")
            #expect((pair.heard(by: 1, from: time + 1, to: time + 8) > 0.15) == direction.sends, "\(direction)")
            #expect(pair.ends[0].links[0].reports > reports, "\(direction)")
            time += 8
        }
        pair.ends[0].perform(.direction(.sendReceive), now: seconds(time))
        pair.run(from: time, to: time + 3)
        for end in [0, 1] { #expect(pair.heard(by: end, from: time + 1, to: time + 3) > 0.15) }
        #expect(pair.ends[0].call.state == .active)
    }

    @Test("who has sent nothing for two reports is no sender any more, and is one again with the first packet")
    func senderNoMore() throws {
        let pair = try Pair()
        #expect(pair.reports(from: 0, to: 20).contains(true))
        pair.ends[0].perform(.direction(.receiveOnly), now: seconds(20))
        let silent = pair.reports(from: 20, to: 80)
        let others = silent.drop { $0 }
        #expect(silent.count - others.count <= 2 && others.count > 3 && !others.contains(true), "\(silent)")
        pair.ends[0].perform(.direction(.sendReceive), now: seconds(80))
        #expect(pair.reports(from: 80, to: 100).dropFirst().allSatisfy { $0 })
    }

    @Test(
        "what is not sent on hold, or in a telephone event's place, is neither lost nor a gap", arguments: ["hold", "digits"])
    func notMissing(kind: String) throws {
        let pair = try Pair()
        pair.run(from: 0, to: 2)
        if kind == "hold" {
            pair.ends[0].perform(.signal(.direction(.sendOnly)), now: seconds(2))
            pair.ends[1].perform(.direction(.inactive), now: seconds(2))
            pair.run(from: 2, to: 14)
            pair.ends[0].perform(.signal(.direction(.sendReceive)), now: seconds(14))
            pair.ends[1].perform(.direction(.sendReceive), now: seconds(14))
            pair.run(from: 14, to: 16)
        } else {
            pair.ends[1].perform(.digits("123456"), now: seconds(2))
            pair.run(from: 2, to: 10)
        }
        let figures = pair.ends[0].call.statistics
        #expect(figures.concealedLong == 0 && figures.packetsLost == 0, "\(figures.concealedByReason)")
        #expect((figures.concealedByReason["conceal_short"] ?? 0) < 60)
        if kind == "hold" { #expect(pair.heard(by: 0, from: 15, to: 16) > 0.15) }
    }

    @Test("the other side's hold stops our sending, and its music is heard")
    func peerHolds() throws {
        let pair = try Pair()
        pair.run(from: 0, to: 2)
        pair.ends[0].perform(.signal(.direction(.sendOnly)), now: seconds(2))
        #expect(pair.ends[0].call.state == .held(by: .peer))
        let sent = pair.run(from: 2, to: 4)
        #expect(sent[0] == 0 && sent[1] > 90)
        #expect(pair.heard(by: 0, from: 2.5, to: 4) > 0.15)
    }

    @Test("a signalled call sends and plays nothing before early media or the answer")
    func beforeTheAnswer() throws {
        let pair = try Pair(policy: .signalled)
        #expect(pair.run(from: 0, to: 1) == [0, 0])
        // One side answers: its voice is not heard where the phone still rings.
        pair.ends[0].perform(.signal(.ringing), now: seconds(1))
        pair.ends[1].perform(.signal(.answered), now: seconds(1))
        let sent = pair.run(from: 1, to: 3)
        #expect(sent[0] == 0 && sent[1] > 90)
        #expect(pair.heard(by: 0, from: 1, to: 3) == 0)
        #expect(pair.ends[0].call.state == .ringing)
        #expect(pair.ends[0].events[0] == [.mediaStarted])
        pair.ends[0].perform(.signal(.earlyMedia), now: seconds(3))
        #expect(pair.run(from: 3, to: 5)[0] > 90)
        #expect(pair.heard(by: 0, from: 3.5, to: 5) > 0.15)
        pair.ends[0].perform(.signal(.answered), now: seconds(5))
        #expect(pair.ends[0].call.state == .active)
    }

    @Test("a signalled call is not ended by an RTCP BYE, but by signalling, with its reason; both say BYE")
    func signalledEnd() throws {
        let pair = try Pair(policy: .signalled)
        pair.perform(.signal(.answered), at: 0)
        pair.run(from: 0, to: 2)
        pair.ends[1].perform(.hangUp(.localHangup), now: seconds(2))
        pair.run(from: 2, to: 8)
        #expect(pair.ends[0].call.state == .active)
        let reports = pair.ends[0].links[0].reports
        pair.ends[0].perform(.signal(.ended(.transferred)), now: seconds(8))
        #expect(pair.ends[0].call.state == .ended(.transferred))
        #expect(pair.ends[0].links[0].reports == reports + 1)
        pair.run(from: 8, to: 8.1)
        #expect(pair.ends[0].events[0].filter { $0 == .ended(.transferred) }.count == 1)
    }

    @Test("when the first sample was captured that is sent is known before its frame is whole; before the answer there is none")
    func voiceStart() throws {
        let end = try Endpoint(seeds: [53], adjust: { $0.policy = .signalled })
        #expect(end.call.frameLength == 320, "two turns of the device are a frame")
        for milliseconds in [10.0, 20] { end.step(now: HostTime(milliseconds: milliseconds)) }
        #expect(end.call.voiceStart == nil)
        end.perform(.signal(.answered), now: HostTime(milliseconds: 20))
        end.step(now: HostTime(milliseconds: 30))
        let start = try #require(end.call.voiceStart)
        #expect(abs(start.milliseconds(since: .zero) - 20) < 0.1 && end.links[0].rtp.isEmpty)
        end.step(now: HostTime(milliseconds: 40))
        #expect(end.links[0].rtp.count == 1 && end.call.voiceStart == start)
    }

    @Test("digits of the start wait for the answer, not for early media")
    func firstDigits() throws {
        let pair = try Pair(policy: .signalled) { $0.digits = "7" }
        func digits() -> [CallEvent] {
            pair.ends[1].events[0].filter { if case .digitReceived = $0 { true } else { false } }
        }
        pair.ends[1].perform(.signal(.answered), now: .zero)
        pair.ends[0].perform(.signal(.earlyMedia), now: .zero)
        pair.run(from: 0, to: 2)
        #expect(digits().isEmpty)
        pair.ends[0].perform(.signal(.answered), now: seconds(2))
        pair.run(from: 2, to: 4)
        #expect(digits().count == 1)
    }
}
