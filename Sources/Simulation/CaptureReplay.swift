import JitterBuffer
import Link
import LiveMedia
import Media
import Metrics
import PacketCapture
import RTP
import Realtime

/// A captured call through the production receive path, in virtual time.
///
/// A capture of ours is followed in the order of its file, pulls, holds and all: what is heard is what was heard, sample by sample.
/// In another one the player asks for 10 ms each 10 ms from the first packet's arrival on.
///
/// Captures come from strangers, and a few bytes can claim years: what is rendered is bounded (`ReplayLimits`), and what was
/// left out is told (`leftOut`).
public final class CaptureReplay {
    private static let blockMilliseconds = 10.0
    /// The player goes on for so long after the last packet; a shorter stretch without packets is no pause.
    private static let tailMilliseconds = 1000.0
    /// Calls pull 5 ms at once; files that claim more than this are wrong.
    private static let longestPullMilliseconds = 20

    /// What was heard, at the codec's rate.
    public private(set) var heard: [Float] = []
    /// One row for each block that was pulled.
    public private(set) var rows: [ReplayRow] = []
    /// Whether the capture goes on to the end of its call: only then are the figures those of the call.
    public private(set) var isWhole = false
    /// Whether the capture was blanked: what is heard is nothing that was said.
    public var isBlanked: Bool { reader.settings[SoundOfCapture.key] == SoundOfCapture.blanked }
    /// Samples a second of `heard`.
    public var sampleRate: Int { call.sampleRate }
    /// What of the capture was not played; `nil` when all of it was.
    public var leftOut: ReplayOmission? {
        var all = omission
        all.lossMarks = packets.leftOut
        (all.fragments, all.cut) = (reader.skipped.fragments, reader.skipped.cut)
        if !reader.isOurs { all.otherTypes = call.statistics.drops[RTPDropReason.unknownPayloadType.rawValue] ?? 0 }
        return all == ReplayOmission() ? nil : all
    }

    private let limits: ReplayLimits
    private var omission = ReplayOmission()
    /// Of stretches without packets, in milliseconds.
    private var playedGaps = 0.0
    private let reader: CaptureReader
    private let ssrc: UInt32?
    /// In place of the sound of a blanked capture.
    private let decisions: SoundDecisions?
    private let call: Call
    private var block: [Float]
    private var firstPull: HostTime?
    private var firstArrival: HostTime?
    private var lastArrival = HostTime.zero
    private var nextPull = HostTime.zero
    private var octets = 0
    private var rendered = 0
    private var pulls = 0
    /// Packets that were decoded when a gap was passed over; `nil` once sound has followed it: where that lies is known.
    private var decodedBeforeGap: Int?
    private var packets = CaptureArrivals()
    /// RTP clocks in Hz of the payload types of the sound: other packets' time stamps mean other things.
    private var clockRates: [UInt8: Int] = [:]

    /// - Parameters:
    ///   - reader: at its beginning.
    ///   - ssrc: the source to play; `nil` plays what a receiver of all of it would hear.
    ///   - configuration: of the receiver.
    ///   - limits: what is rendered at most.
    public init(
        _ reader: CaptureReader, ssrc: UInt32?, configuration: CallConfiguration, limits: ReplayLimits = ReplayLimits()
    ) throws(CallError) {
        self.limits = limits
        self.reader = reader
        self.ssrc = ssrc
        var configuration = configuration
        if reader.settings[SoundOfCapture.key] == SoundOfCapture.blanked {
            configuration.jitterBuffer.decisions = SoundDecisions(areGiven: true)
        }
        decisions = configuration.jitterBuffer.decisions
        do { call = try Call(configuration: configuration, link: NoLink(), now: .zero) } catch { throw .codec(error) }
        block = [Float](repeating: 0, count: call.sampleRate * Int(Self.blockMilliseconds) / 1000)
        take(configuration.receivedFormats)
        for redundancy in configuration.redundancyPayloadTypes { clockRates[redundancy] = configuration.format.clockRate }
    }

    /// These are sound too, whatever else there was before.
    private func take(_ formats: [MediaFormat]) {
        for format in formats { clockRates[format.payloadType] = format.clockRate }
    }

    /// Runs it all.
    ///
    /// - Throws: where the capture breaks off; what was heard until then stays.
    public func run() throws(CaptureError) {
        while !omission.isCutOff, !isWhole, let event = try reader.next() {
            switch event {
            case .pull(let time, let samples): pull(samples, now: time)
            case .stop(let end, let length):
                call.excuse(MachineStop(end: end, microseconds: (length * 1000).rounded()))
            case .pullsMoved(_, let length): movePulls(by: length)
            case .change(let time, let text): change(text, now: time)
            case .datagram(let datagram): receive(datagram)
            }
        }
        guard !reader.isOurs, firstArrival != nil else { return }
        // Nothing is missing after the last packet.
        call.stream.expectsMedia = false
        pullBlocks(until: lastArrival.advanced(byMilliseconds: Self.tailMilliseconds))
    }

    /// What was asked of the call, or became of it; what makes no sense is passed over.
    private func change(_ text: String, now: HostTime) {
        if let part = SoundOfCapture.part(text) {
            if isBlanked { decisions?.add(part) }
            return
        }
        switch StreamChange(captured: text) {
        case .gain(let gain): call.perform(.volume(gain), now: now, ntp: NTPTime(unixNanoseconds: 0))
        case .formats(let formats):
            take(formats)
            call.perform(.receive(formats), now: now, ntp: NTPTime(unixNanoseconds: 0))
        case .expectsMedia(let isExpected):
            let direction = MediaDirection(sends: true, receives: isExpected)
            call.perform(.signal(.direction(direction)), now: now, ntp: NTPTime(unixNanoseconds: 0))
        case .ended: isWhole = true
        case nil: break
        }
    }

    private func receive(_ datagram: CapturedDatagram) {
        guard datagram.direction != .sent else { return }
        if datagram.isControl {
            // Goodbyes count, and they are of the one source that a capture of ours is about.
            guard reader.isOurs, ssrc == nil else { return }
            datagram.bytes.withUnsafeBytes { call.receive(rtcp: $0, arrival: datagram.time) }
            _ = call.takeEvents()
            return
        }
        let isWanted = datagram.bytes.withUnsafeBytes { bytes in
            guard let packet = try? RTPPacket(parsing: bytes) else { return false }
            return ssrc == nil || packet.header.ssrc == ssrc
        }
        // A capture of ours has whatever the receiver had to cope with.
        guard isWanted || reader.isOurs && ssrc == nil else { return }
        if !reader.isOurs {
            if firstArrival == nil { nextPull = datagram.time }
            passGap(until: datagram.time)
            pullBlocks(until: datagram.time)
        }
        // A capture may begin before the clock's zero.
        if firstArrival == nil { begin(at: datagram.time) }
        lastArrival = max(lastArrival, datagram.time)
        octets += max(0, datagram.bytes.count - RTPHeader.fixedLength)
        note(datagram)
        datagram.bytes.withUnsafeBytes { call.receive(rtp: $0, arrival: datagram.time) }
        _ = call.takeEvents()
    }

    /// The time line begins with the first packet: blocks that were asked for sooner lie before it.
    private func begin(at time: HostTime) {
        (firstArrival, lastArrival) = (time, time)
        guard let firstPull else { return }
        let wait = time.milliseconds(since: firstPull)
        for index in rows.indices { rows[index].milliseconds -= wait }
    }

    private func note(_ datagram: CapturedDatagram) {
        guard let firstArrival else { return }
        datagram.bytes.withUnsafeBytes { bytes in
            guard let packet = try? RTPPacket(parsing: bytes) else { return }
            packets.add(
                packet.header, clockRate: clockRates[packet.header.payloadType],
                at: datagram.time.milliseconds(since: firstArrival))
        }
    }

    /// Nobody would still be there after so long without a packet: the rest of the gap is passed over.
    private func passGap(until time: HostTime) {
        guard firstArrival != nil else { return }
        let whole = Self.gap(from: lastArrival, to: time)
        guard whole > Self.tailMilliseconds else { return }
        let played = min(whole, 1000 * limits.gapSeconds, max(Self.tailMilliseconds, 1000 * limits.allGapsSeconds - playedGaps))
        playedGaps += played
        guard played < whole else { return }
        pullBlocks(until: lastArrival.advanced(byMilliseconds: played))
        let gap = Self.gap(from: nextPull, to: time)
        guard gap > 0 else { return }
        omission.gaps += 1
        omission.gapSeconds += gap / 1000
        nextPull = time
        decodedBeforeGap = call.jitterBufferStatistics.decoded
    }

    /// Milliseconds from one time to another. A file may claim times whose distance is no number of nanoseconds.
    private static func gap(from earlier: HostTime, to time: HostTime) -> Double {
        (Double(time.nanoseconds) - Double(earlier.nanoseconds)) / 1e6
    }

    private func pullBlocks(until time: HostTime) {
        while nextPull < time, !omission.isCutOff {
            pull(block.count, now: nextPull)
            let following = nextPull.advanced(byMilliseconds: Self.blockMilliseconds)
            // The last time that a number of nanoseconds tells.
            guard following > nextPull else { return }
            nextPull = following
        }
    }

    /// A file may claim anything.
    private func movePulls(by milliseconds: Double) {
        if milliseconds <= MachineLateness.mostMilliseconds { call.movePulls(by: milliseconds) }
    }

    private func pull(_ samples: Int, now: HostTime) {
        // A file may claim anything.
        guard samples > 0, samples <= call.sampleRate * Self.longestPullMilliseconds / 1000 else {
            omission.pulls += 1
            return
        }
        guard Double(rendered + samples) <= limits.seconds * Double(call.sampleRate), pulls < limits.rows else {
            omission.isCutOff = true
            return
        }
        if block.count != samples { block = [Float](repeating: 0, count: samples) }
        let outcome = block.withUnsafeMutableBufferPointer { call.pull(into: $0, now: now) }
        (rendered, pulls) = (rendered + samples, pulls + 1)
        guard limits.keepsSound else { return }
        heard += block
        if firstPull == nil { firstPull = now }
        let time = now.milliseconds(since: firstArrival ?? firstPull ?? now)
        let length = 1000 * Double(samples) / Double(call.sampleRate)
        let position = position(outcome)
        rows.append(
            ReplayRow(
                milliseconds: time, reason: outcome?.reason ?? .waiting, targetMs: outcome?.targetMs ?? 0,
                levelMs: outcome?.levelMs ?? 0, delayMs: position.map { time + length - $0 }, mediaMilliseconds: position))
    }

    /// Where in the stream a block ends, on the time line of the rows; `nil` where that is not known.
    private func position(_ outcome: PullOutcome?) -> Double? {
        if let before = decodedBeforeGap {
            guard call.jitterBufferStatistics.decoded > before else { return nil }
            decodedBeforeGap = nil
        }
        guard let media = outcome?.mediaMilliseconds, let firstArrival, let begin = call.stream.firstArrival else { return nil }
        // The first packet of the capture need not be one of sound.
        return begin.milliseconds(since: firstArrival) + media
    }

    /// When each packet was sent and came, as far as their numbers tell.
    public var arrivals: [ReplayArrival] { packets.all }

    /// The call's own figures, as far as what came decides them.
    public var statistics: CallStatistics { call.stream.statistics(isOver: true) }

    /// What the replay found; delays are beyond the first packet's travel, which a capture does not tell.
    public var figures: ReplayFigures {
        let statistics = call.statistics
        var figures = ReplayFigures(
            rows: rows, spokenMilliseconds: firstArrival.map { lastArrival.milliseconds(since: $0) } ?? 0,
            sent: (statistics.packetsReceived ?? 0) + (statistics.packetsLost ?? 0), sentBytes: octets,
            lost: statistics.packetsLost ?? 0, reordered: statistics.packetsReordered ?? 0, buffer: call.jitterBufferStatistics)
        figures.leftOut = leftOut
        return figures
    }
}
