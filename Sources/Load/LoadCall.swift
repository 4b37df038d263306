import Codecs
import Link
import Media
import RTP
import Realtime

/// One call of a load: what it sends next, and what it measures of what comes back. Sans-I/O.
package struct LoadCall {
    /// Interval between packets beyond their own time from which sound is missing, in milliseconds.
    static let gapMilliseconds = 40.0

    let number: Int
    let local: SocketAddress
    let codec: Codec
    let ssrc: UInt32
    private(set) var sender: RTPSender
    /// The packet of the speech that it began with.
    private let firstPacket: Int
    private(set) var packetsSent = 0
    private var clockUnits: UInt32 = 0
    private(set) var firstSent: HostTime?
    /// How late a packet of it left, at most, milliseconds.
    private(set) var latestMilliseconds = 0.0

    // What came back
    private(set) var firstHeard: HostTime?
    private var lastHeard: HostTime?
    private(set) var received = 0
    private(set) var duplicates = 0
    private(set) var gaps = 0
    private(set) var gapsExcused = 0
    /// When gaps that are not excused ended: the first `GapTimes.mostOfCall`.
    private(set) var gapTimes: [HostTime] = []
    /// How what was lost clusters.
    private(set) var lossRuns = LossRuns()
    private(set) var remoteSSRC: UInt32?
    private var firstSequence: Int64 = 0
    /// Number of the earliest packet of the stream that is heard now.
    private var firstOfStream: Int64 = 0
    /// Of that stream.
    private var recent = RecentPackets()
    private(set) var highest: Int64 = 0
    private(set) var jitterMilliseconds = 0.0
    private var lastTransit: Double?
    /// When we said goodbye: what the other side says then is an answer.
    private(set) var endedAt: HostTime?
    /// Whether the load itself was late shortly before, and whether nothing was to come back then.
    private var wasLateAtEnd = false
    private var wasHeldAtEnd = false
    /// The other side said goodbye first, at that time.
    private(set) var endedByPeer: HostTime?
    /// From its INVITE until the answer, in milliseconds; nil: nobody signals, or nobody has answered.
    private(set) var answerMilliseconds: Double?
    private(set) var isAnswered = false
    /// What signalling told of its end; nil: nothing, we ended it.
    private(set) var ending: LoadEnding?
    /// Packets of ours that are missing at the other side, by its reports.
    private(set) var lostThere: Int?
    /// What came back since `takeHeard`.
    private var heard = HeardStretch(firstSent: 0)

    package init(number: Int, local: SocketAddress, _ codec: Codec, firstPacket: Int, random: inout SplitMix64) {
        self.number = number
        self.local = local
        self.codec = codec
        self.firstPacket = firstPacket
        ssrc = UInt32(truncatingIfNeeded: random.next())
        sender = RTPSender(
            ssrc: ssrc, payloadType: codec.defaultPayloadType, clockRate: codec.rtpClockRate(),
            sequence: UInt16(truncatingIfNeeded: random.next()) & 0x7fff, timestamp: UInt32(truncatingIfNeeded: random.next()))
    }

    /// Packets that should have come back and did not.
    var lost: Int { remoteSSRC == nil ? 0 : max(0, Int(highest - firstSequence) + 1 - received) }
    /// From the first packet sent until the first heard, in milliseconds; 0 where the other side spoke first.
    var setupMilliseconds: Double? {
        guard let firstSent, let firstHeard else { return nil }
        return max(0, firstHeard.milliseconds(since: firstSent))
    }

    // MARK: - Signalling

    /// Somebody answered, so long after the INVITE.
    mutating func noteAnswer(milliseconds: Double?) {
        isAnswered = true
        answerMilliseconds = milliseconds
    }

    /// Signalling told that it is over, before we ended it.
    mutating func noteEnding(_ ending: LoadEnding, at time: HostTime) {
        self.ending = ending
        if isAnswered { endedByPeer = endedByPeer ?? time }
    }

    /// We have said goodbye.
    /// - Parameters:
    ///   - wasLate: whether the load itself was late shortly before.
    ///   - isHeld: whether nothing was to come back then.
    package mutating func noteGoodbye(at time: HostTime, wasLate: Bool = false, isHeld: Bool = false) {
        (endedAt, wasLateAtEnd, wasHeldAtEnd) = (time, wasLate, isHeld)
    }

    /// Nothing is taken any more. What was heard and had fallen silent before our goodbye has a gap up to it: no packet
    /// ends that.
    /// - Parameter packetMilliseconds: the time of a packet.
    package mutating func noteOver(packetMilliseconds: Int) {
        guard let lastHeard, let endedAt, endedByPeer == nil, !wasHeldAtEnd,
            Self.isGap(from: lastHeard, to: endedAt, packetMilliseconds: packetMilliseconds)
        else { return }
        noteGap(endedAt: endedAt, isExcused: wasLateAtEnd)
    }

    // MARK: - Sending

    /// What is sent has that payload type from now on.
    mutating func send(as payloadType: UInt8) { sender.payloadType = payloadType }

    /// Writes the next packet; its length.
    mutating func write(_ speech: LoadSpeech, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let isFirst = packetsSent == 0
        let length = speech.withPayload(firstPacket + packetsSent) {
            sender.packetize($0, timestamp: clockUnits, marker: isFirst, into: buffer)
        }
        clockUnits &+= UInt32(sender.clockRate * speech.packetMilliseconds / 1000)
        return length
    }

    /// The packet that was written has left, so late.
    package mutating func noteSent(at time: HostTime, lateMilliseconds: Double = 0) {
        latestMilliseconds = max(latestMilliseconds, lateMilliseconds)
        heard.noteSent(at: time)
        if firstSent == nil { firstSent = time }
        packetsSent += 1
    }

    // MARK: - Hearing

    /// Takes a packet that came back.
    /// - Parameters:
    ///   - wasLate: whether the load itself was late shortly before, so that a gap may be its own.
    ///   - packetMilliseconds: the time of a packet.
    package mutating func receive(_ packet: RTPPacket, arrival: HostTime, wasLate: Bool, packetMilliseconds: Int) {
        guard let isNext = place(packet.header, arrival: arrival) else {
            duplicates += 1
            return
        }
        if let lastHeard, Self.isGap(from: lastHeard, to: arrival, packetMilliseconds: packetMilliseconds) {
            noteGap(endedAt: arrival, isExcused: wasLate)
        }
        note(packet.header, arrival: arrival)
        lastHeard = max(lastHeard ?? arrival, arrival)
        heard.noteHeard(packet.payload, arrival: arrival, isNext: isNext)
    }

    private static func isGap(from begin: HostTime, to end: HostTime, packetMilliseconds: Int) -> Bool {
        end.milliseconds(since: begin) >= Double(packetMilliseconds) + gapMilliseconds
    }

    private mutating func noteGap(endedAt time: HostTime, isExcused: Bool) {
        guard !isExcused else {
            gapsExcused += 1
            return
        }
        gaps += 1
        if gapTimes.count < GapTimes.mostOfCall { gapTimes.append(time) }
    }

    /// What came back and was sent since the last time, where that is `packets` sent or more.
    mutating func takeHeard(packets: Int) -> HeardStretch? {
        guard heard.sentAt.count >= packets else { return nil }
        defer { heard = HeardStretch(firstSent: packetsSent) }
        return heard
    }

    /// Whether the packet follows the one before; nil: it has been there already.
    private mutating func place(_ header: RTPHeader, arrival: HostTime) -> Bool? {
        if remoteSSRC == nil || remoteSSRC != header.ssrc {
            // Who goes on under another SSRC begins to count anew.
            let before = received + lost
            remoteSSRC = header.ssrc
            firstHeard = firstHeard ?? arrival
            firstSequence = Int64(header.sequence) - Int64(before)
            highest = Int64(header.sequence)
            firstOfStream = highest
            recent = RecentPackets()
            received += 1
            return false
        }
        let step = Int64(Int16(bitPattern: header.sequence &- UInt16(truncatingIfNeeded: highest)))
        if step <= 0, recent.has(before: -step) { return nil }
        let sequence = highest + step
        if sequence < firstOfStream, step > -RecentPackets.reach {
            // Overtaken by the first that was heard.
            (firstSequence, firstOfStream) = (firstSequence - firstOfStream + sequence, sequence)
        }
        received += 1
        recent.note(step)
        lossRuns.note(step)
        guard step > 0 else { return false }
        highest += step
        return step == 1
    }

    /// Interarrival jitter (RFC 3550 appendix A.8).
    private mutating func note(_ header: RTPHeader, arrival: HostTime) {
        let media = Double(header.timestamp) * 1000 / Double(sender.clockRate)
        let transit = arrival.milliseconds(since: .zero) - media
        defer { lastTransit = transit }
        guard let lastTransit, abs(transit - lastTransit) < 10_000 else { return }
        jitterMilliseconds += (abs(transit - lastTransit) - jitterMilliseconds) / 16
    }

    /// Takes RTCP of the other side.
    package mutating func receive(rtcp datagram: UnsafeRawBufferPointer, arrival: HostTime) {
        guard let packets = try? RTCPCompound.parse(datagram) else { return }
        for packet in packets {
            switch packet {
            case .bye(let sources, let reason) where endedAt == nil && remoteSSRC.map { sources.contains($0) } ?? true:
                // Who only changes its SSRC is there still.
                if reason.flatMap({ SourceChangeReason(rawValue: $0) }) == nil { endedByPeer = endedByPeer ?? arrival }
            case .senderReport(_, _, _, let reports), .receiverReport(_, let reports):
                for report in reports where report.ssrc == ssrc { lostThere = Int(report.cumulativeLost) }
            default: break
            }
        }
    }

    /// RTCP that tells what was heard, and with `isLast` says goodbye.
    func report(isLast: Bool, ntp: NTPTime) -> [UInt8] {
        var bytes: [UInt8] = []
        let reports = remoteSSRC.map {
            [
                ReportBlock(
                    ssrc: $0, fractionLost: 0, cumulativeLost: Int32(clamping: lost),
                    highestSequence: UInt32(truncatingIfNeeded: highest),
                    jitter: UInt32(jitterMilliseconds * Double(sender.clockRate) / 1000))
            ]
        }
        if let info = sender.senderInfo(timestamp: clockUnits) {
            RTCPPacket.senderReport(ssrc: ssrc, ntp: ntp, info: info, reports: reports ?? []).append(to: &bytes)
        } else {
            RTCPPacket.receiverReport(ssrc: ssrc, reports: reports ?? []).append(to: &bytes)
        }
        let name = "yodel-load-" + String(ssrc, radix: 36)
        RTCPPacket.sourceDescription([SourceDescription(ssrc: ssrc, cname: name)]).append(to: &bytes)
        if isLast { RTCPPacket.bye(ssrcs: [ssrc], reason: nil).append(to: &bytes) }
        return bytes
    }
}
