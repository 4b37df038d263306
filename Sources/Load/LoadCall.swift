import Codecs
import Link
import RTP
import Realtime

/// One call of a load: what it sends next, and what it measures of what comes back. Sans-I/O.
struct LoadCall {
    /// Sound that is compared at once, in seconds.
    private static let windowSeconds = 1.0
    /// Longest way out and back that is looked for, in seconds.
    static let longestDelaySeconds = 0.6
    /// Interval between packets beyond their own time from which sound is missing, in milliseconds.
    static let gapMilliseconds = 40.0
    private static let sentKept = 256

    let number: Int
    let local: SocketAddress
    let ssrc: UInt32
    private(set) var sender: RTPSender
    /// The packet of the speech that it began with.
    private let firstPacket: Int
    private(set) var packetsSent = 0
    private var sentAt = [HostTime](repeating: .zero, count: LoadCall.sentKept)
    private var clockUnits: UInt32 = 0
    private(set) var firstSent: HostTime?

    // What came back
    private(set) var firstHeard: HostTime?
    private var lastHeard: HostTime?
    private(set) var received = 0
    private(set) var duplicates = 0
    private(set) var gaps = 0
    private(set) var gapsExcused = 0
    private(set) var remoteSSRC: UInt32?
    private var firstSequence: Int64 = 0
    private(set) var highest: Int64 = 0
    private(set) var jitterMilliseconds = 0.0
    private var lastTransit: Double?
    /// The other side said goodbye, at that time.
    private(set) var endedByPeer: HostTime?
    /// Packets of ours that are missing at the other side, by its reports.
    private(set) var lostThere: Int?
    private var window: [Float] = []
    private var arrivals: [HostTime] = []
    private var windowStart = 0
    private(set) var delaySum = 0.0
    private(set) var delays = 0
    private(set) var correlationSum = 0.0
    private(set) var windowsFound = 0
    private(set) var windowsLost = 0

    init(number: Int, local: SocketAddress, payloadType: UInt8, clockRate: Int, firstPacket: Int, random: inout SplitMix64) {
        self.number = number
        self.local = local
        self.firstPacket = firstPacket
        ssrc = UInt32(truncatingIfNeeded: random.next())
        sender = RTPSender(
            ssrc: ssrc, payloadType: payloadType, clockRate: clockRate,
            sequence: UInt16(truncatingIfNeeded: random.next()) & 0x7fff, timestamp: UInt32(truncatingIfNeeded: random.next()))
    }

    /// Packets that should have come back and did not.
    var lost: Int { remoteSSRC == nil ? 0 : max(0, Int(highest - firstSequence) + 1 - received) }
    /// From the first packet sent until the first heard, in milliseconds.
    var setupMilliseconds: Double? {
        guard let firstSent, let firstHeard else { return nil }
        return firstHeard.milliseconds(since: firstSent)
    }
    var delayMilliseconds: Double? { delays > 0 ? delaySum / Double(delays) : nil }
    var correlation: Double? { windowsFound > 0 ? correlationSum / Double(windowsFound) : nil }

    // MARK: - Sending

    /// Writes the next packet; its length.
    mutating func write(_ speech: LoadSpeech, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let isFirst = packetsSent == 0
        let length = speech.withPayload(firstPacket + packetsSent) {
            sender.packetize($0, timestamp: clockUnits, marker: isFirst, into: buffer)
        }
        clockUnits &+= UInt32(sender.clockRate * speech.packetMilliseconds / 1000)
        return length
    }

    /// The packet that was written has left.
    mutating func noteSent(at time: HostTime) {
        sentAt[packetsSent % Self.sentKept] = time
        if firstSent == nil { firstSent = time }
        packetsSent += 1
    }

    // MARK: - Hearing

    /// Takes a packet that came back, decoded by `decoder` into `samples`.
    /// - Parameters:
    ///   - wasLate: whether the load itself was late shortly before, so that a gap may be its own.
    ///   - onDelay: gets mouth-to-ear delays, in milliseconds.
    mutating func receive(
        _ packet: RTPPacket, arrival: HostTime, wasLate: Bool, speech: LoadSpeech, decoder: any AudioDecoder,
        samples: UnsafeMutableBufferPointer<Float>, finder: inout EchoFinder, onDelay: (Double) -> Void
    ) {
        let isNext = place(packet.header, arrival: arrival)
        guard let isNext else {
            duplicates += 1
            return
        }
        if let lastHeard {
            let spacing = arrival.milliseconds(since: lastHeard)
            if spacing >= Double(speech.packetMilliseconds) + Self.gapMilliseconds {
                if wasLate { gapsExcused += 1 } else { gaps += 1 }
            }
        }
        note(packet.header, arrival: arrival)
        lastHeard = max(lastHeard ?? arrival, arrival)
        if !isNext { clearWindow() }
        guard let count = try? decoder.decode(packet.payload, into: samples), count == speech.frameLength else {
            return clearWindow()
        }
        if window.isEmpty { windowStart = packetsSent }
        arrivals.append(arrival)
        LoadSpeech.analyse(UnsafeBufferPointer(rebasing: samples[..<count]), factor: speech.factor, into: &window)
        guard Double(window.count) >= Self.windowSeconds * speech.referenceRate else { return }
        measure(speech, &finder, onDelay)
        clearWindow()
    }

    /// Whether the packet follows the one before; nil: it has been there already.
    private mutating func place(_ header: RTPHeader, arrival: HostTime) -> Bool? {
        if remoteSSRC == nil || remoteSSRC != header.ssrc {
            // Who goes on under another SSRC begins to count anew.
            let before = received
            remoteSSRC = header.ssrc
            firstHeard = firstHeard ?? arrival
            firstSequence = Int64(header.sequence) - Int64(before)
            highest = Int64(header.sequence)
            received += 1
            return false
        }
        let step = Int64(Int16(bitPattern: header.sequence &- UInt16(truncatingIfNeeded: highest)))
        guard step != 0 else { return nil }
        received += 1
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

    private mutating func clearWindow() {
        window.removeAll(keepingCapacity: true)
        arrivals.removeAll(keepingCapacity: true)
    }

    /// Finds the window in what was sent before its first packet came.
    private mutating func measure(_ speech: LoadSpeech, _ finder: inout EchoFinder, _ onDelay: (Double) -> Void) {
        let length = speech.analysedLength
        let reach = Int(Self.longestDelaySeconds * 1000) / speech.packetMilliseconds + 1
        let firstSearched = max(0, windowStart - reach)
        let packets = min(packetsSent, windowStart + arrivals.count + 1) - firstSearched
        guard packets > arrivals.count, packetsSent - firstSearched < Self.sentKept else { return }
        var said: [Float] = []
        said.reserveCapacity(packets * length)
        for packet in firstSearched..<firstSearched + packets {
            let place = (firstPacket + packet) % speech.packets * length
            said += speech.reference[place..<place + length]
        }
        guard let match = finder.find(window, in: said) else {
            windowsLost += 1
            return
        }
        windowsFound += 1
        correlationSum += match.correlation
        for (index, arrival) in arrivals.enumerated() {
            let sample = match.offset + index * length
            let (packet, within) = (firstSearched + sample / length, sample % length)
            guard packet < packetsSent else { break }
            // A packet leaves when its last sample has been said.
            let spoken = sentAt[packet % Self.sentKept].advanced(
                byMilliseconds: -Double(length - within) * 1000 / speech.referenceRate)
            let delay = arrival.milliseconds(since: spoken)
            delaySum += delay
            delays += 1
            onDelay(delay)
        }
    }

    /// Takes RTCP of the other side.
    mutating func receive(rtcp datagram: UnsafeRawBufferPointer, arrival: HostTime) {
        guard let packets = try? RTCPCompound.parse(datagram) else { return }
        for packet in packets {
            switch packet {
            case .bye(let sources, _) where remoteSSRC.map { sources.contains($0) } ?? true:
                endedByPeer = endedByPeer ?? arrival
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
