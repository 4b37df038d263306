import RTP
import Realtime
import Testing

@Suite("Extended reports (RFC 3611)") struct ExtendedReportTests {
    /// The blocks of the fixture that a script wrote, not this code.
    private func fixture() throws -> [ExtendedReportBlock] {
        let bytes = try #require(RTCPCompoundTests.cases.first { $0.name == "extended_report" }).bytes
        guard case .extendedReport(1, let blocks)? = try RTCPCompound.parse(bytes).last else { return [] }
        return blocks
    }

    /// The VoIP metrics that are the only block of an extended report behind a receiver report.
    private func metrics(in compound: [UInt8]) throws -> VoIPMetrics? {
        guard case .extendedReport(_, let blocks) = try RTCPCompound.parse(compound)[1], blocks.count == 1,
            case .voipMetrics(let metrics) = blocks[0]
        else { return nil }
        return metrics
    }

    @Test("are read field by field")
    func fields() throws {
        let blocks = try fixture()
        try #require(blocks.count == 5)
        guard case .lossRLE(7, 0, let interval) = blocks[0], case .voipMetrics(let metrics) = blocks[4] else {
            Issue.record("\(blocks)")
            return
        }
        #expect(interval.beginSequence == 65_530 && interval.endSequence == 40 && interval.count == 46)
        #expect(interval.chunks == [0x4010, 0xbfff, 0x0003])
        #expect(interval.lossRuns == (2, 4), "16 came, then one was lost, 14 came, 3 were lost; 12 are not told of")
        #expect(blocks[1] == .receiverReferenceTime(NTPTime(rawValue: 0xb44d_b705_2000_0000)))
        #expect(
            blocks[2]
                == .delaySinceLastReceiverReport([
                    ReceiverReferenceAnswer(ssrc: 7, lastReceiverReference: 0xb705_2000, delay: 0x54000)
                ]))
        #expect(
            blocks[3]
                == .statisticsSummary(
                    StatisticsSummary(
                        ssrc: 7, beginSequence: 10, endSequence: 260, lost: 12, duplicates: 3,
                        jitter: StatisticsSummary.Jitter(minimum: 1, maximum: 900, mean: 120, deviation: 80))))
        #expect(metrics.ssrc == 7 && metrics.lossRate == 13.0 / 256 && metrics.discardRate == 5.0 / 256)
        #expect(metrics.burstDensity == 102.0 / 256 && metrics.gapDensity == 3.0 / 256)
        #expect(metrics.burstMilliseconds == 120 && metrics.gapMilliseconds == 1900)
        #expect(metrics.roundTripMilliseconds == 84 && metrics.endSystemMilliseconds == 61)
        #expect(metrics.signalLevel == -20 && metrics.noiseLevel == nil && metrics.echoReturnLoss == nil)
        #expect(metrics.gapThreshold == 16 && metrics.rFactor == 82 && metrics.mosLQ == 4.1 && metrics.mosCQ == 3.9)
        #expect(metrics.concealment == .enhanced && metrics.jitterBufferKind == .adaptive)
        #expect(metrics.jitterBufferNominal == 40 && metrics.jitterBufferMaximum == 60)
        #expect(metrics.jitterBufferAbsoluteMaximum == 500)
    }

    @Test("are written byte for byte as the script wrote them")
    func bytes() throws {
        let compound = try #require(RTCPCompoundTests.cases.first { $0.name == "extended_report" }).bytes
        let packet = RTCPPacket.extendedReport(ssrc: 1, blocks: try fixture())
        #expect(Array(compound.suffix(packet.bytes.count)) == packet.bytes)
    }

    @Test("say unavailable where nothing is known, and are read back as unknown")
    func unknown() throws {
        let metrics = VoIPMetrics(ssrc: 3)
        let bytes = RTCPPacket.extendedReport(ssrc: 1, blocks: [.voipMetrics(metrics)]).bytes
        #expect(Array(bytes[28...35]) == [127, 127, 127, 16, 127, 127, 127, 127])
        let whole = RTCPPacket.receiverReport(ssrc: 1, reports: []).bytes + bytes
        let read = try #require(try self.metrics(in: whole))
        #expect(read == metrics)
    }

    @Test("keep values that no field can hold within their ranges")
    func ranges() throws {
        var metrics = VoIPMetrics(ssrc: 3)
        metrics.lossRate = 7
        metrics.discardRate = -1
        metrics.burstDensity = .nan
        metrics.burstMilliseconds = 1e9
        metrics.gapMilliseconds = -.infinity
        metrics.roundTripMilliseconds = .nan
        metrics.rFactor = 1e300
        metrics.mosLQ = 0.2
        metrics.mosCQ = .infinity
        metrics.signalLevel = .min
        metrics.echoReturnLoss = .max
        let bytes = RTCPPacket.extendedReport(ssrc: 1, blocks: [.voipMetrics(metrics)]).bytes
        let whole = RTCPPacket.receiverReport(ssrc: 1, reports: []).bytes + bytes
        let read = try #require(try self.metrics(in: whole))
        #expect(read.lossRate == 255.0 / 256 && read.discardRate == 0 && read.burstMilliseconds == 65_535)
        #expect(read.rFactor == 100 && read.mosLQ == 1 && read.mosCQ == nil && read.roundTripMilliseconds == nil)
        #expect(read.signalLevel == -126 && read.echoReturnLoss == 126)
    }

    @Test("carry a round trip to whoever sends no sender reports")
    func referenceTimes() throws {
        // a holds the call: only receiver reports. 30 ms there, held 100 ms, 40 ms back.
        var a = RTCPSession(ssrc: 1, cname: "a", seed: 1, now: .zero)
        var b = RTCPSession(ssrc: 2, cname: "b", seed: 2, now: .zero)
        func report(_ session: inout RTCPSession, at milliseconds: Double) -> [UInt8] {
            session.makeReport(
                now: HostTime(milliseconds: milliseconds), ntp: NTPTime(unixNanoseconds: Int64(milliseconds * 1e6)),
                sender: nil, reports: [])
        }
        _ = b.receive(report(&a, at: 1000), at: 1030)
        let events = a.receive(report(&b, at: 1130), at: 1170)
        #expect(abs((a.roundTripMilliseconds ?? 0) - 70) < 0.05)
        #expect(events.contains { if case .roundTrip(let time) = $0 { abs(time - 70) < 0.05 } else { false } })
    }

    @Test("answer no reference time that was never sent, and none of others")
    func forgedAnswers() {
        var session = RTCPSession(ssrc: 1, cname: "a", seed: 1, now: .zero)
        _ = session.makeReport(now: .zero, ntp: NTPTime(unixNanoseconds: 0), sender: nil, reports: [])
        let real = NTPTime(unixNanoseconds: 0).compact
        for answer in [
            ReceiverReferenceAnswer(ssrc: 1, lastReceiverReference: 5, delay: 0),
            ReceiverReferenceAnswer(ssrc: 3, lastReceiverReference: real, delay: 0),
            ReceiverReferenceAnswer(ssrc: 1, lastReceiverReference: real, delay: .max),
        ] {
            var bytes = RTCPPacket.receiverReport(ssrc: 2, reports: []).bytes
            bytes += RTCPPacket.extendedReport(ssrc: 2, blocks: [.delaySinceLastReceiverReport([answer])]).bytes
            _ = session.receive(bytes, at: 50)
            #expect(session.roundTripMilliseconds == nil)
        }
    }

    @Test("on other streams than ours are nobody's report on us")
    func otherStreams() throws {
        var session = RTCPSession(ssrc: 99, cname: "a", seed: 1, now: .zero)
        let bytes = try #require(RTCPCompoundTests.cases.first { $0.name == "extended_report" }).bytes
        #expect(!session.receive(bytes, at: 0).contains { if case .extendedReport = $0 { true } else { false } })
        var ours = RTCPSession(ssrc: 7, cname: "a", seed: 1, now: .zero)
        let events = ours.receive(bytes, at: 0)
        #expect(events.count { if case .extendedReport(1, _) = $0 { true } else { false } } == 3)
    }

    @Test("summarise the jitter of their interval")
    func jitter() throws {
        var receiver = makeReceiver()
        // Alternately 5 ms late: differences of 40 units.
        for sequence in UInt16(0)..<100 {
            _ = receiver.take(packet(sequence), at: Double(sequence) * 20 + (sequence % 2 == 0 ? 0 : 5))
        }
        guard case .statisticsSummary(let summary)? = receiver.makeExtendedReport()?.blocks.last else {
            Issue.record("no summary")
            return
        }
        #expect(summary.jitter == StatisticsSummary.Jitter(minimum: 40, maximum: 40, mean: 40, deviation: 0))
        #expect(summary.lost == 0 && summary.duplicates == 0)
    }

    @Test("of a source whose SSRC we share say goodbye to ours, and count the new one's packets alone")
    func collision() throws {
        var session = RTCPSession(ssrc: 1, cname: "a", seed: 1, now: .zero)
        _ = session.receive(RTCPPacket.receiverReport(ssrc: 1, reports: []).bytes, at: 0)
        #expect(session.statistics.collisions == 1)
        let bye = session.makeBye(
            replacedBy: 2, now: .zero, ntp: NTPTime(unixNanoseconds: 0), sender: nil, reason: "SSRC collision")
        #expect(try RTCPCompound.parse(bye).last == .bye(ssrcs: [1], reason: "SSRC collision"))
        #expect(session.ssrc == 2)
        // Our own goodbye comes back from a reflector: it ends nothing.
        #expect(session.receive(bye, at: 10).isEmpty)
        var sender = RTPSender(ssrc: 1, payloadType: 0, clockRate: 8000, sequence: 5, timestamp: 0)
        var buffer = [UInt8](repeating: 0, count: 100)
        func send() {
            _ = [UInt8](repeating: 0, count: 20).withUnsafeBytes { body in
                buffer.withUnsafeMutableBytes { sender.packetize(body, timestamp: 0, marker: false, into: $0) }
            }
        }
        send()
        sender.changeSource(to: 2)
        #expect(sender.senderInfo(timestamp: 0) == nil)
        send()
        #expect(sender.senderInfo(timestamp: 0)?.packets == 1 && sender.senderInfo(timestamp: 0)?.octets == 20)
        #expect(sender.packetsSent == 2 && sender.ssrc == 2)
    }
}
