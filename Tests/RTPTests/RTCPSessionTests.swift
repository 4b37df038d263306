import RTP
import Realtime
import Testing

@Suite struct RTCPSessionTests {
    private let info = SenderInfo(rtpTimestamp: 0, packets: 1, octets: 1)
    private func ntp(_ milliseconds: Double) -> NTPTime { NTPTime(unixNanoseconds: Int64(milliseconds * 1e6)) }
    private func block(_ ssrc: UInt32) -> ReportBlock {
        ReportBlock(ssrc: ssrc, fractionLost: 0, cumulativeLost: 0, highestSequence: 0, jitter: 0)
    }

    private func report(
        _ session: inout RTCPSession, at milliseconds: Double, wall: Double? = nil, on ssrcs: [UInt32] = []
    ) -> [UInt8] {
        session.makeReport(
            now: HostTime(milliseconds: milliseconds), ntp: ntp(wall ?? milliseconds), sender: info,
            reports: ssrcs.map(block))
    }

    @Test func everyCompoundCarriesTheNameAndStartsWithAReport() throws {
        var session = RTCPSession(ssrc: 5, cname: "me@here", seed: 1, now: .zero)
        let receiving = session.makeReport(now: .zero, ntp: ntp(0), sender: nil, reports: [])
        #expect(
            try RTCPCompound.parse(receiving) == [
                .receiverReport(ssrc: 5, reports: []),
                .sourceDescription([SourceDescription(ssrc: 5, cname: "me@here")]),
                .extendedReport(ssrc: 5, blocks: [.receiverReferenceTime(ntp(0))]),
            ])
        let bye = try RTCPCompound.parse(session.makeBye(now: .zero, ntp: ntp(0), sender: info, reason: "done"))
        #expect(bye.count == 3 && bye[2] == .bye(ssrcs: [5], reason: "done"))
    }

    @Test func theRoundTripIsWhatTheNetworkTook() {
        // 30 ms there, held 100 ms, 40 ms back; the two wall clocks differ by years.
        var a = RTCPSession(ssrc: 1, cname: "a", seed: 1, now: .zero)
        var b = RTCPSession(ssrc: 2, cname: "b", seed: 2, now: .zero)
        _ = b.receive(report(&a, at: 1000, wall: 1.7e12), at: 1030)
        let events = a.receive(report(&b, at: 1130, wall: 9e11, on: [1]), at: 1170)
        #expect(abs((a.roundTripMilliseconds ?? 0) - 70) < 0.02)
        #expect(a.lastRemoteReport?.reporter == 2)
        #expect(events.contains { if case .remoteReport = $0 { true } else { false } })
        #expect(b.roundTripMilliseconds == nil, "b has no report on itself yet")
    }

    @Test func theExampleOfRFC3550Section641GivesItsResult() throws {
        var session = RTCPSession(ssrc: 1, cname: "a", seed: 1, now: .zero)
        // n: LSR 0xb7052000, DLSR 5.250 s, A 0xb7108000: 46 864.500 - 46 853.125 - 5.250 = 6.125 s.
        _ = session.makeReport(
            now: .zero, ntp: NTPTime(rawValue: 0xb44d_b705_2000_0000), sender: info, reports: [])
        var answer = block(1)
        answer.lastSenderReport = 0xb705_2000
        answer.delaySinceLastSenderReport = 0x5_4000
        _ = session.receive(RTCPPacket.receiverReport(ssrc: 2, reports: [answer]).bytes, at: 11_375)
        #expect(session.roundTripMilliseconds == 6125)
    }

    @Test func anAnswerToNoReportOfOursGivesNoRoundTrip() {
        var session = RTCPSession(ssrc: 1, cname: "a", seed: 1, now: .zero)
        _ = report(&session, at: 0)
        var answer = block(1)
        answer.lastSenderReport = 0x1234_5678
        _ = session.receive(RTCPPacket.receiverReport(ssrc: 2, reports: [answer]).bytes, at: 50)
        #expect(session.roundTripMilliseconds == nil && session.lastRemoteReport != nil)
        answer.lastSenderReport = ntp(0).compact
        answer.delaySinceLastSenderReport = .max
        _ = session.receive(RTCPPacket.receiverReport(ssrc: 2, reports: [answer]).bytes, at: 50)
        #expect(session.roundTripMilliseconds == nil, "held longer than the whole trip took")
    }

    @Test func aPeerThatReportsEveryFiveSecondsIsKeptInMindByOneThatReportsEverySecond() throws {
        var configuration = RTCPSession.Configuration()
        configuration.minimumInterval = 1
        var session = RTCPSession(ssrc: 1, cname: "a", seed: 1, configuration: configuration, now: .zero)
        let theirs = RTCPPacket.senderReport(
            ssrc: 2, ntp: NTPTime(rawValue: 0x1111_2222_3333_4444), info: info, reports: [])
        _ = session.receive(theirs.bytes, at: 0)
        var last: [UInt8] = []
        for milliseconds in stride(from: 0.0, to: 12_000, by: 10)
        where session.isReportDue(now: HostTime(milliseconds: milliseconds)) {
            last = report(&session, at: milliseconds, on: [2])
        }
        guard case .senderReport(_, _, _, let reports)? = try RTCPCompound.parse(last).first else {
            Issue.record("not a sender report")
            return
        }
        #expect(reports[0].lastSenderReport == 0x2222_3333 && reports[0].delaySinceLastSenderReport > 65_536 * 9)
    }

    @Test func onlyBlocksOnOurStreamAreRemoteReports() {
        var session = RTCPSession(ssrc: 1, cname: "a", seed: 1, now: .zero)
        _ = session.receive(RTCPPacket.receiverReport(ssrc: 2, reports: [block(9)]).bytes, at: 0)
        #expect(session.lastRemoteReport == nil)
    }

    @Test func delaySinceTheLastReportIsInUnitsOf1To65536Seconds() throws {
        var session = RTCPSession(ssrc: 1, cname: "a", seed: 1, now: .zero)
        let theirs = RTCPPacket.senderReport(
            ssrc: 2, ntp: NTPTime(rawValue: 0x1111_2222_3333_4444), info: info, reports: [])
        _ = session.receive(theirs.bytes, at: 1000)
        let ours = try RTCPCompound.parse(report(&session, at: 1500, on: [2, 3]))
        guard case .senderReport(_, _, _, let reports)? = ours.first else {
            Issue.record("not a sender report")
            return
        }
        #expect(reports[0].lastSenderReport == 0x2222_3333 && reports[0].delaySinceLastSenderReport == 32_768)
        #expect(reports[1].lastSenderReport == 0 && reports[1].delaySinceLastSenderReport == 0)
    }

    /// Seconds between the first 20,000 reports of a lone sender.
    private func intervals(_ session: inout RTCPSession) -> [Double] {
        var previous = 0.0
        var intervals: [Double] = []
        while intervals.count < 20_000 {
            let now = session.nextDeadline
            guard session.isReportDue(now: now) else { continue }
            _ = session.makeReport(now: now, ntp: ntp(0), sender: info, reports: [])
            intervals.append(now.milliseconds(since: .zero) / 1000 - previous)
            previous = now.milliseconds(since: .zero) / 1000
        }
        return intervals
    }

    @Test func theIntervalBetweenReportsIsFiveSecondsOnAverage() {
        for minimum in [5.0, 1.0] {
            var configuration = RTCPSession.Configuration()
            configuration.minimumInterval = minimum
            var session = RTCPSession(ssrc: 1, cname: "a", seed: 7, configuration: configuration, now: .zero)
            let intervals = intervals(&session)
            let rest = intervals.dropFirst()
            let mean = rest.reduce(0, +) / Double(rest.count)
            #expect(abs(mean - minimum) < 0.01 * minimum, "mean \(mean) s, seed 7")
            #expect((rest.min() ?? 0) >= 0.5 * minimum / 1.2183 && (rest.max() ?? 9e9) <= 1.5 * minimum / 1.2182)
            #expect((0.25 * minimum / 1.2183...0.75 * minimum / 1.2182).contains(intervals[0]), "first after half")
        }
    }

    @Test(
        "the reduced minimum is 360 / (bandwidth in kbit/s), as random as the fixed one, never longer, and not for the first report",
        arguments: [(128_000.0, 5.0, 2.8125), (128_000, 1, 1), (64_000, 5, 5)])
    func reducedMinimum(bandwidth: Double, fixed: Double, expected: Double) {
        var configuration = RTCPSession.Configuration()
        configuration.sessionBandwidth = bandwidth
        configuration.minimumInterval = fixed
        var session = RTCPSession(ssrc: 1, cname: "a", seed: 7, configuration: configuration, now: .zero)
        let first = session.nextDeadline
        session.usesReducedMinimum = true
        #expect(session.nextDeadline == first, "what is drawn stays")
        let intervals = intervals(&session)
        #expect((0.25 * fixed / 1.2183...0.75 * fixed / 1.2182).contains(intervals[0]), "half the fixed one")
        let rest = intervals.dropFirst()
        let mean = rest.reduce(0, +) / Double(rest.count)
        #expect(abs(mean - expected) < 0.01 * expected, "mean \(mean) s, seed 7")
        #expect((rest.min() ?? 0) >= 0.5 * expected / 1.2183 && (rest.max() ?? 9e9) <= 1.5 * expected / 1.2182)
    }

    @Test("a bandwidth that was told (RFC 3556) makes the interval as long as that wants, also beyond what a call's would be")
    func toldBandwidth() {
        var configuration = RTCPSession.Configuration()
        configuration.rtcpBandwidth = 40
        var session = RTCPSession(ssrc: 1, cname: "a", seed: 7, configuration: configuration, now: .zero)
        let octets = session.makeReport(now: .zero, ntp: ntp(0), sender: info, reports: []).count + 28
        let expected = Double(octets) / 5
        #expect(expected > 10)
        // The mean of the sizes begins with a guess.
        let rest = intervals(&session).dropFirst(200)
        let mean = rest.reduce(0, +) / Double(rest.count)
        #expect(abs(mean - expected) < 0.02 * expected, "mean \(mean) s, seed 7")
    }

    @Test("a bandwidth of 0 lets no report come due, until another one is told") func noBandwidth() {
        var configuration = RTCPSession.Configuration()
        configuration.rtcpBandwidth = 0
        var session = RTCPSession(ssrc: 1, cname: "a", seed: 7, configuration: configuration, now: .zero)
        let later = HostTime(milliseconds: 86_400_000)
        #expect(session.isSilent && session.nextDeadline > later)
        let isDue = session.isReportDue(now: later)
        #expect(!isDue)
        session.limit(to: nil, now: later)
        #expect(!session.isSilent && session.nextDeadline > later)
        #expect(session.nextDeadline <= later.advanced(byMilliseconds: 7500))
        session.limit(to: 0, now: later)
        let isDueAgain = session.isReportDue(now: later.advanced(byMilliseconds: 86_400_000))
        #expect(!isDueAgain)
    }

    @Test func oneSeedRepeatsAndAnotherDiffers() {
        let deadlines = [3, 3, 4].map { RTCPSession(ssrc: 1, cname: "a", seed: $0, now: .zero).nextDeadline }
        #expect(deadlines[0] == deadlines[1] && deadlines[0] != deadlines[2])
    }

    @Test func askedTooEarlyNothingIsDue() {
        var session = RTCPSession(ssrc: 1, cname: "a", seed: 1, now: .zero)
        let deadline = session.nextDeadline
        let isDue = session.isReportDue(now: deadline.advanced(byMilliseconds: -1))
        #expect(!isDue && session.nextDeadline == deadline)
    }

    @Test func manyNewMembersPutTheReportOffAndTheirLeavingBringsItBack() {
        var configuration = RTCPSession.Configuration()
        configuration.sessionBandwidth = 8000
        var session = RTCPSession(ssrc: 1, cname: "a", seed: 1, configuration: configuration, now: .zero)
        for ssrc in UInt32(100)..<150 {
            _ = session.receive(RTCPPacket.receiverReport(ssrc: ssrc, reports: []).bytes, at: 10)
        }
        let first = session.nextDeadline
        let isDue = session.isReportDue(now: first)
        #expect(!isDue, "51 members share 50 octets a second")
        #expect(session.nextDeadline.milliseconds(since: first) > 4000)
        let crowded = session.nextDeadline
        var farewell = RTCPPacket.receiverReport(ssrc: 100, reports: []).bytes
        farewell += RTCPPacket.bye(ssrcs: Array(100..<125), reason: nil).bytes
        _ = session.receive(farewell, at: first.milliseconds(since: .zero))
        #expect(session.nextDeadline < crowded, "reverse reconsideration")
    }

    @Test func sixtyFourInventedMembersWithGreatReportsDoNotSilenceUs() {
        var session = RTCPSession(ssrc: 1, cname: "a", seed: 1, now: .zero)
        var now = 0.0
        var reports = 0
        while now < 60_000 {
            now += 100
            let block = ReportBlock(
                ssrc: 9, fractionLost: 0, cumulativeLost: 0, highestSequence: 0, jitter: 0)
            for ssrc in UInt32(100)..<164 {
                _ = session.receive(
                    RTCPPacket.receiverReport(ssrc: ssrc, reports: Array(repeating: block, count: 31)).bytes, at: now)
            }
            let time = HostTime(milliseconds: now)
            guard session.isReportDue(now: time) else { continue }
            _ = session.makeReport(now: time, ntp: NTPTime(unixNanoseconds: 0), sender: nil, reports: [])
            reports += 1
        }
        #expect(reports >= 4, "\(reports) in a minute")
    }

    @Test func onlyTheHeardSourceIsAMemberAndMaySayGoodbye() {
        var session = RTCPSession(ssrc: 1, cname: "a", seed: 1, now: .zero)
        var bytes = RTCPPacket.receiverReport(ssrc: 2, reports: []).bytes
        bytes += RTCPPacket.bye(ssrcs: [2], reason: nil).bytes
        let events = bytes.withUnsafeBytes { session.receive($0, arrival: .zero, heard: 3) }
        #expect(events.isEmpty, "\(events)")
    }

    @Test func byeNamesTheSourcesAndOurOwnSSRCIsNoOne() {
        var session = RTCPSession(ssrc: 1, cname: "a", seed: 1, now: .zero)
        var bytes = RTCPPacket.receiverReport(ssrc: 2, reports: []).bytes
        bytes += RTCPPacket.bye(ssrcs: [1, 2], reason: "lunch").bytes
        let events = session.receive(bytes, at: 0)
        #expect(
            events.contains {
                if case .bye(let ssrcs, let reason) = $0 { ssrcs == [2] && reason == "lunch" } else { false }
            })
        let own = report(&session, at: 10)
        let loop = session.receive(own, at: 20)
        #expect(loop.isEmpty, "our own report came back: a loop")
        #expect(session.statistics.ownSource == 3)
    }

    @Test("who keeps the SSRC that we gave up is believed under it once he is heard; our own goodbye that comes back is not")
    func formerSource() {
        var session = RTCPSession(ssrc: 7, cname: "a", seed: 1, now: .zero)
        let ours = session.makeBye(
            replacedBy: 8, now: HostTime(milliseconds: 1000), ntp: ntp(1000), sender: info, reason: "SSRC collision")
        var theirs = RTCPPacket.senderReport(ssrc: 7, ntp: ntp(4000), info: info, reports: [block(8)]).bytes
        theirs += RTCPPacket.bye(ssrcs: [7], reason: nil).bytes
        let echo = ours.withUnsafeBytes { session.receive($0, arrival: HostTime(milliseconds: 1300), heard: 7) }
        #expect(echo.isEmpty, "\(echo)")
        let unheard = theirs.withUnsafeBytes { session.receive($0, arrival: HostTime(milliseconds: 4000), heard: nil) }
        #expect(unheard.isEmpty && session.lastRemoteReport == nil, "\(unheard)")
        let heard = theirs.withUnsafeBytes { session.receive($0, arrival: HostTime(milliseconds: 4100), heard: 7) }
        #expect(heard.contains { if case .senderReport(let ssrc, _, _) = $0 { ssrc == 7 } else { false } }, "\(heard)")
        #expect(heard.contains { if case .bye(let ssrcs, _) = $0 { ssrcs == [7] } else { false } }, "\(heard)")
        #expect(session.lastRemoteReport?.reporter == 7)
    }

    @Test func malformedAndUnknownPacketsAreCounted() {
        var session = RTCPSession(ssrc: 1, cname: "a", seed: 1, now: .zero)
        let events = session.receive([0x80, 0xca], at: 0)
        #expect(events.contains { if case .malformed(.truncated) = $0 { true } else { false } })
        _ = session.receive(RTCPPacket.receiverReport(ssrc: 2, reports: []).bytes + hex("80d00000"), at: 0)
        let statistics = session.statistics
        #expect(statistics.malformed == 1 && statistics.unknown == 1 && statistics.received == 1)
    }
}
