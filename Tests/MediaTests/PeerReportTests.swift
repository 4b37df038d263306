import Codecs
import Media
import RTP
import Realtime
import Reporting
import Testing

@Suite("What two endpoints tell each other by RTCP") struct PeerReportTests {
    /// A call of `seconds` in which `listener` loses packets of `talker` as `isLost` says by number.
    private func call(
        _ codec: Codec = .opus, seconds: Double, redundancy: UInt8? = nil, maximumBitrate: Int? = nil,
        interval: Double = 1, isLost: (Int) -> Bool
    ) throws -> (talker: Endpoint, listener: Endpoint, sent: [[UInt8]]) {
        func adjust(_ configuration: inout CallConfiguration) {
            configuration.redundancyPayloadType = redundancy
            configuration.reportIntervalSeconds = interval
            configuration.maximumBitrate = maximumBitrate
        }
        let talker = try Endpoint(
            codec, seeds: [51], microphone: sine(600, amplitude: 0.2, rate: codec.sampleRate), adjust: adjust)
        let listener = try Endpoint(codec, seeds: [52], adjust: adjust)
        var number = 0
        var sent: [[UInt8]] = []
        everyTenMilliseconds(to: seconds) { now in
            talker.step(now: now)
            listener.step(now: now)
            for packet in talker.links[0].rtp {
                sent.append(packet)
                if !isLost(number) { packet.withUnsafeBytes { listener.call.receive(rtp: $0, arrival: now) } }
                number += 1
            }
            talker.links[0].carryControl(to: listener.call, now: now)
            listener.links[0].carry(to: talker.call, now: now)
        }
        return (talker, listener, sent)
    }

    @Test("is kept apart: what we hear, and what the peer hears of us")
    func apart() throws {
        let (talker, listener, _) = try call(.pcmu, seconds: 12) { $0 % 10 == 0 }
        let mine = talker.call.statistics
        let theirs = listener.call.statistics
        #expect(mine.lostRatio == 0 && mine.local?.lostRatio == 0)
        #expect(abs((mine.remote?.lostRatio ?? 0) - 0.1) < 0.05)
        #expect(abs((theirs.local?.lostRatio ?? 0) - 0.1) < 0.02 && theirs.remote?.lostRatio == 0)
        // MOS-LQ of what they hear of us is worse than that of what we hear of them, and both sides know both.
        let heard = try #require(mine.mosLQ)
        let told = try #require(mine.remote?.mosLQ)
        #expect(heard > told + 0.2 && mine.local?.mosLQ == heard, "\(heard), \(told)")
        #expect(abs(told - (theirs.mosLQ ?? 0)) < 0.3)
        #expect(theirs.remote?.mosLQ ?? 0 > 4.3)
        // The delay from mouth to ear is known, so the rating is too.
        #expect(mine.rFactor ?? 0 > 80 && mine.remote?.rFactor != nil && mine.mosCQ != nil)
    }

    /// The last VoIP metrics (RFC 3611 section 4.7) of who hears packets of `heard` ms, sends such of `sent` ms, and loses three of
    /// twenty in a row.
    private func metrics(heard: Int, sent: Int) throws -> VoIPMetrics {
        func adjust(_ milliseconds: Int) -> (inout CallConfiguration) -> Void {
            { configuration in
                configuration.encoder.frameMilliseconds = milliseconds
                configuration.reportIntervalSeconds = 1
            }
        }
        let voice = sine(600, amplitude: 0.2, rate: 8_000)
        let talker = try Endpoint(.pcmu, seeds: [51], microphone: voice, adjust: adjust(heard))
        let listener = try Endpoint(.pcmu, seeds: [52], adjust: adjust(sent))
        var metrics: VoIPMetrics?
        var number = 0
        everyTenMilliseconds(to: 20) { now in
            talker.step(now: now)
            listener.step(now: now)
            for packet in talker.links[0].rtp {
                if number % 20 < 17 { packet.withUnsafeBytes { listener.call.receive(rtp: $0, arrival: now) } }
                number += 1
            }
            talker.links[0].carryControl(to: listener.call, now: now)
            for compound in listener.links[0].rtcp {
                let packets = compound.withUnsafeBytes { (try? RTCPCompound.parse($0)) ?? [] }
                for case .extendedReport(_, let blocks) in packets {
                    for case .voipMetrics(let latest) in blocks { metrics = latest }
                }
            }
            listener.links[0].carry(to: talker.call, now: now)
        }
        return try #require(metrics)
    }

    @Test("counts bursts of loss by the length of the packets that are heard, whatever length is sent")
    func packetLength() throws {
        let (same, shorter) = (try metrics(heard: 60, sent: 60), try metrics(heard: 60, sent: 20))
        #expect(same.burstMilliseconds >= 180, "\(same.burstMilliseconds) ms")
        #expect(shorter.burstMilliseconds == same.burstMilliseconds && shorter.gapMilliseconds == same.gapMilliseconds)
        let (rated, other) = (try #require(same.mosLQ), try #require(shorter.mosLQ))
        #expect(abs(rated - other) < 0.11, "\(rated), \(other)")
    }

    @Test("tells the late of the packets expected, as it tells the lost")
    func lateRatio() throws {
        let talker = try Endpoint(.pcmu, seeds: [51], microphone: sine(600, amplitude: 0.2, rate: 8_000))
        let listener = try Endpoint(.pcmu, seeds: [52])
        var number = 0
        var held: [(packet: [UInt8], at: HostTime)] = []
        var overtaken = 0
        everyTenMilliseconds(to: 20) { now in
            talker.step(now: now)
            listener.step(now: now)
            for packet in talker.links[0].rtp {
                // Half are lost, and a tenth comes a second late.
                if number % 10 == 1 {
                    held.append((packet, now.advanced(byMilliseconds: 1000)))
                } else if number % 2 == 1 {
                    packet.withUnsafeBytes { listener.call.receive(rtp: $0, arrival: now) }
                }
                number += 1
            }
            while let first = held.first, first.at <= now {
                held.removeFirst()
                overtaken += 1
                first.packet.withUnsafeBytes { listener.call.receive(rtp: $0, arrival: now) }
            }
            talker.links[0].carryControl(to: listener.call, now: now)
            listener.links[0].carry(to: talker.call, now: now)
        }
        let figures = listener.call.statistics
        let (late, lost) = (try #require(figures.packetsLate), try #require(figures.packetsLost))
        let (lateRatio, lostRatio) = (try #require(figures.lateRatio), try #require(figures.lostRatio))
        #expect(late > 50 && lost > 400)
        // Both are shares of one whole.
        #expect(abs(lateRatio * Double(lost) - lostRatio * Double(late)) < 0.01, "\(late): \(lateRatio), \(lost): \(lostRatio)")
        #expect(figures.local?.lateRatio == lateRatio)
        #expect(figures.packetsReordered == overtaken, "what came too late came after others all the same")
    }

    @Test("tells the loss of the whole call, not that of the last report")
    func wholeCall() throws {
        let (talker, _, _) = try call(.pcmu, seconds: 30) { (100..<300).contains($0) && $0 % 2 == 0 }
        let remote = try #require(talker.call.statistics.remote)
        #expect(remote.packetsLost == 100)
        let ratio = try #require(remote.lostRatio)
        #expect(abs(ratio - 100.0 / 1480) < 0.005, "\(ratio)")
    }

    @Test("tells it without extended reports too, never as less than none, and over all our SSRCs")
    func plainReports() throws {
        let talker = try Endpoint(.pcmu, seeds: [51], microphone: sine(600, amplitude: 0.2, rate: 8_000))
        /// The first packet under another SSRC than `former`, of those sent meanwhile.
        func firstPacket(from: Double, to: Double, former: UInt32? = nil) throws -> RTPHeader {
            var first: RTPHeader?
            everyTenMilliseconds(from: from, to: to) { now in
                talker.step(now: now)
                for packet in talker.links[0].rtp where first == nil {
                    let header = packet.withUnsafeBytes { try? RTPPacket(parsing: $0).header }
                    if header?.ssrc != former { first = header }
                }
                talker.links[0].carry(to: nil, now: now)
            }
            return try #require(first)
        }
        /// Packets lost and their share, as told after a report.
        func report(on first: RTPHeader, lost: Int32, of count: UInt32, fraction: UInt8) -> [Double?] {
            let block = ReportBlock(
                ssrc: first.ssrc, fractionLost: fraction, cumulativeLost: lost,
                highestSequence: UInt32(first.sequence) + count - 1, jitter: 0)
            var bytes: [UInt8] = []
            RTCPPacket.receiverReport(ssrc: 99, reports: [block]).append(to: &bytes)
            bytes.withUnsafeBytes { talker.call.receive(rtcp: $0, arrival: HostTime(milliseconds: 4000)) }
            let remote = talker.call.statistics.remote
            return [remote?.packetsLost.map { Double($0) }, remote?.lostRatio]
        }
        let first = try firstPacket(from: 0, to: 3)
        #expect(report(on: first, lost: 75, of: 150, fraction: 128) == [75, 0.5])
        #expect(report(on: first, lost: -2, of: 150, fraction: 0) == [0, 0])
        #expect(report(on: first, lost: 75, of: 300, fraction: 0) == [75, 0.25])
        talker.perform(.send(SendingFormat(MediaFormat(.opus))), now: HostTime(milliseconds: 3000))
        let second = try firstPacket(from: 3, to: 4, former: first.ssrc)
        #expect(report(on: second, lost: 25, of: 100, fraction: 64) == [100, 0.25])
    }

    @Test("comes once a second where that was agreed, every five seconds where not", arguments: [1.0, 5.0])
    func interval(seconds: Double) throws {
        let (talker, _, _) = try call(seconds: 60, interval: seconds) { _ in false }
        let reports = Double(talker.links[0].reports) * seconds
        #expect((45...85).contains(reports), "\(talker.links[0].reports) reports in 60 s")
    }

    @Test("comes sooner while there are stops of the machine to tell, and ten seconds after them as usual")
    func stopsAreNews() throws {
        let (talker, listener) = (try Endpoint(.pcmu, seeds: [51]), try Endpoint(.pcmu, seeds: [52]))
        /// Reports of the talker until `seconds` have passed.
        func reports(from: Double, to seconds: Double, lateBy milliseconds: Double) -> Int {
            let before = talker.links[0].reports
            everyTenMilliseconds(from: from, to: seconds) { now in
                if milliseconds > 0, now.milliseconds(since: .zero).truncatingRemainder(dividingBy: 700) == 0 {
                    talker.call.excuse(MachineStop(begin: now.advanced(byMilliseconds: -milliseconds), end: now))
                }
                talker.step(now: now)
                listener.step(now: now)
                talker.links[0].carry(to: listener.call, now: now)
                listener.links[0].carry(to: talker.call, now: now)
            }
            return talker.links[0].reports - before
        }
        // One each 2.8 s: 360 / (128 kbit/s).
        let sooner = reports(from: 0, to: 60, lateBy: 8)
        #expect((17...26).contains(sooner), "\(sooner) reports in 60 s")
        // A turn that is late, but no stop, is no news.
        for (number, milliseconds) in [0, 2.0].enumerated() {
            let begin = 60 + 75 * Double(number)
            _ = reports(from: begin, to: begin + 15, lateBy: milliseconds)
            let usual = reports(from: begin + 15, to: begin + 75, lateBy: milliseconds)
            #expect((9...17).contains(usual), "\(usual) reports in 60 s")
        }
    }

    @Test("of loss in bursts brings copies, and on a clean line there is none")
    func copies() throws {
        let (talker, listener, sent) = try call(seconds: 20, redundancy: 121) { $0 > 100 && $0 % 20 < 2 }
        let redundant = sent.count { $0[1] & 0x7f == 121 }
        #expect(redundant > 600, "\(redundant) of \(sent.count)")
        #expect(sent.prefix(110).allSatisfy { $0[1] & 0x7f == 111 })
        #expect(listener.call.statistics.redundancyUsed ?? 0 > 20)
        #expect(talker.call.statistics.redundancyUsed == 0)
        let (_, _, clean) = try call(seconds: 10, redundancy: 121) { _ in false }
        #expect(clean.allSatisfy { $0[1] & 0x7f == 111 })
    }

    @Test("brings no copies towards a peer that did not agree")
    func unagreed() throws {
        let (talker, _, sent) = try call(seconds: 10) { $0 % 20 < 4 }
        #expect(sent.allSatisfy { $0[1] & 0x7f == 111 })
        #expect(talker.call.statistics.redundancyUsed == nil)
    }

    @Test("of a codec of fixed rate brings copies when the bit rate allows them")
    func g711() throws {
        let (_, listener, sent) = try call(.pcmu, seconds: 15, redundancy: 121, maximumBitrate: 140_000) { $0 % 5 == 0 }
        #expect(sent.count { $0[1] & 0x7f == 121 } > 400)
        #expect(listener.call.statistics.redundancyUsed ?? 0 > 50)
        let (_, _, capped) = try call(.pcmu, seconds: 10, redundancy: 121) { $0 % 5 == 0 }
        #expect(capped.allSatisfy { $0[1] & 0x7f == 0 })
    }

    @Test("tells when a machine stood still, and whoever claims it all the time is heeded twice a second")
    func stops() throws {
        let (_, listener, sent) = try call(.pcmu, seconds: 12) { _ in false }
        let heard = sent[0][8..<12].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        #expect(listener.call.statistics.remote?.machineStops == nil)
        let latest = Array(
            repeating: DelayLedgerMessage.RecentStops.Stop(agoMilliseconds: 65_535, milliseconds: 65_535), count: 16)
        let message = DelayLedgerMessage(
            sendDelayMilliseconds: 50,
            stops: DelayLedgerMessage.SenderStops(
                count: 70_000, longestMilliseconds: 9000,
                recent: DelayLedgerMessage.RecentStops(
                    count: 16, longestMilliseconds: 65_535, totalMilliseconds: 1000, latest: latest)))
        let now = HostTime(milliseconds: 12_000)
        var session = RTCPSession(ssrc: heard, cname: "flood", seed: 1, now: now)
        for _ in 0..<100 {
            let compound = session.makeReport(
                now: now, ntp: NTPTime(unixNanoseconds: 86_400_000_000_000), sender: nil, reports: [],
                applications: [message.packet(ssrc: heard)])
            compound.withUnsafeBytes { listener.call.receive(rtcp: $0, arrival: now) }
        }
        let remote = try #require(listener.call.statistics.remote)
        #expect(remote.machineStops == 65_535 && remote.machineLongestMilliseconds == 6553.5)
        let stopped = try #require(remote.machineStoppedMilliseconds)
        #expect((3000.0...4000).contains(stopped), "\(stopped) ms of 100 reports")
    }

    @Test("does not name a quality for a codec without published constants, nor before there was audio")
    func unknownQuality() throws {
        let (talker, _, _) = try call(.l16, seconds: 3) { _ in false }
        #expect(talker.call.statistics.mosLQ == nil && talker.call.statistics.rFactor == nil)
        let silent = try Endpoint(.opus, seeds: [61])
        everyTenMilliseconds(to: 1) { silent.step(now: $0) }
        #expect(silent.call.statistics.mosLQ == nil && silent.call.statistics.local?.mosLQ == nil)
    }
}
