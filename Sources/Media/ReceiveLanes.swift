import Codecs
import Glibc
import JitterBuffer
import RTP
import Realtime

/// A received stream through its changes of codec: what came in each, one after the other.
///
/// ```
/// packet -> lane of its payload type's format;  the lane that plays --fade--> the next one
/// ```
/// The lane before plays what it has and conceals until the next one's first packet is due; then one fades into the other.
/// So nothing is dropped, and no decoder's beginning is heard. A stream that keeps its codec has one lane and pays nothing.
struct ReceiveLanes {
    /// Longest cross-fade from one codec to the next, in milliseconds.
    static let fadeMilliseconds = 10
    /// Codecs that wait for their turn; a sender that changes faster than it is heard loses packets.
    private static let longestQueue = 4
    /// A lane is not waited for longer than this, in milliseconds: its packets claim a time that never comes.
    private static let patienceMilliseconds = 1000.0

    /// Formats that may come; the first is that of a payload type that is not among them any more.
    var formats: [MediaFormat] { didSet { usualType = nil } }
    /// The one that plays first, the one that receives last; never empty.
    private var lanes: [ReceiveLane] { didSet { usualType = nil } }
    /// What the lanes that are over counted.
    private var before = JitterBufferStatistics()
    /// The payload type whose packets are known to be the newest lane's; nil: it has to be looked for.
    private var usualType: UInt8?
    private let streamRate: Int
    private var next: [Float] = []
    /// A decoder costs more than a packet: whoever changes with each packet is not followed.
    private var changes = EventLimit(burst: 4, perSecond: 2)

    init(
        _ formats: [MediaFormat], streamRate: Int, configuration: JitterBufferConfiguration, isHeard: Bool = true,
        decoding: DecodingSwitch? = nil
    ) throws(CodecError) {
        self.formats = formats
        self.streamRate = streamRate
        let lane = try ReceiveLane(
            formats[0], streamRate: streamRate, configuration: configuration, isHeard: isHeard, decoding: decoding)
        lanes = [lane]
    }

    /// What is heard now.
    var playing: ReceiveLane { lanes[0] }

    /// Totals of the stream.
    var statistics: JitterBufferStatistics {
        guard lanes.count > 1 || before.inserted > 0 else { return lanes[0].buffer.statistics }
        var sum = before
        for lane in lanes { sum.add(lane.buffer.statistics) }
        return sum
    }

    private var newest: ReceiveLane { lanes[lanes.count - 1] }

    private func format(of payloadType: UInt8) -> MediaFormat {
        formats.first { $0.payloadType == payloadType } ?? formats[0]
    }

    // MARK: - Packets

    /// This machine stood still, or was late.
    func excuse(_ stop: MachineStop) {
        for lane in lanes { lane.buffer.excuse(stop) }
    }

    /// The sender's machine stood still, as it told at `arrival`: what the newest lane learns goes on from those before it.
    func senderStood(_ stops: [MachineStop], toldAt arrival: HostTime) {
        newest.buffer.senderStood(stops, toldAt: arrival)
    }

    /// The player asks so many milliseconds later from now on; negative: earlier.
    func movePulls(by milliseconds: Double) {
        for lane in lanes { lane.buffer.movePulls(by: milliseconds) }
    }

    /// Another source begins, in the format of `payloadType`, or in the same one as before where that is nil.
    mutating func beginSource(payloadType: UInt8?) {
        usualType = nil
        for lane in lanes { lane.isClosed = true }
        let isSame = payloadType.map { format(of: $0).sharesDecoder(with: newest.format) } ?? true
        guard isSame else { return }
        newest.isClosed = false
        // The first source begins the stream; only another one interrupts it.
        if newest.buffer.statistics.inserted > 0 { newest.buffer.reset(.newSource) }
    }

    /// Takes a packet of audio.
    mutating func insert(_ packet: MediaPacket, isCopy: Bool = false) -> InsertOutcome {
        guard let lane = lane(for: packet) else {
            if isCopy { return .unneeded }
            before.inserted += 1
            before.late += 1
            return .late
        }
        return lane.insert(BufferedPacket(packet, isCopy: isCopy))
    }

    /// Takes comfort noise, which goes with the audio before it.
    mutating func insert(comfortNoise packet: MediaPacket) {
        _ = newest.buffer.insert(BufferedPacket(packet, isComfortNoise: true))
    }

    /// A packet of a telephone event came, under this number of the source's.
    func noteEvent(_ sequence: Int64) { newest.buffer.noteEvent(sequence) }

    /// The sender need not send.
    func noteSilence() { newest.buffer.noteSilence() }

    /// Nothing comes any more, and the sender did not say that it stops.
    func noteBrokenOff() { playing.buffer.noteBrokenOff() }

    /// Hands out the numbers of packets that came and were not played since the last time; those of sources that are over are nobody's.
    func takeDiscarded(_ body: (Int64) -> Void) {
        for lane in lanes { lane.buffer.takeDiscarded { if !lane.isClosed { body($0) } } }
    }

    /// The lane of a packet; nil: it came too late, or cannot be decoded.
    private mutating func lane(for packet: MediaPacket) -> ReceiveLane? {
        if packet.payloadType == usualType { return newest }
        let format = format(of: packet.payloadType)
        if format.sharesDecoder(with: newest.format), !newest.isClosed {
            usualType = packet.payloadType
            return newest
        }
        if let first = newest.firstSequence, !newest.isClosed, packet.extendedSequence < first {
            return lanes.last { !$0.isClosed && $0.format.sharesDecoder(with: format) }
        }
        return begin(format, at: packet.arrival)
    }

    private mutating func begin(_ format: MediaFormat, at arrival: HostTime) -> ReceiveLane? {
        guard lanes.count < Self.longestQueue, changes.admit(at: arrival), let lane = try? ReceiveLane(format, after: newest)
        else { return nil }
        // Before anything came there is nothing to go on from.
        if lanes.count == 1, newest.buffer.statistics.inserted == 0 { lanes = [lane] } else { lanes.append(lane) }
        return lane
    }

    // MARK: - Sound

    /// Produces the next samples, at the stream's rate.
    mutating func pull(into block: UnsafeMutableBufferPointer<Float>, now: HostTime) -> PullOutcome {
        guard lanes.count > 1, mayChange(blockLength: block.count, at: now) else { return lanes[0].pull(into: block, now: now) }
        if next.count != block.count { next = [Float](repeating: 0, count: block.count) }
        let follower = lanes[1]
        let begun = next.withUnsafeMutableBufferPointer { follower.begin(into: $0, now: now) }
        let outcome = lanes[0].pull(into: block, now: now)
        guard let begun else { return outcome }
        fade(block)
        before.add(lanes.removeFirst().buffer.statistics)
        return begun
    }

    /// Whether the lane that plays has less than a block left, or is not waited for any longer.
    private mutating func mayChange(blockLength: Int, at now: HostTime) -> Bool {
        // Of a codec nothing of which could be used there is nothing to wait for.
        while lanes.count > 2, lanes[1].samplesLeft == 0, !lanes[1].buffer.isPlaying {
            before.add(lanes.remove(at: 1).buffer.statistics)
        }
        if let left = lanes[0].samplesLeft, left < blockLength { return true }
        return now.milliseconds(since: lanes[1].firstArrival) > Self.patienceMilliseconds
    }

    /// From what goes on in the block's place (concealed) into the next lane's beginning.
    private func fade(_ block: UnsafeMutableBufferPointer<Float>) {
        let length = min(block.count, streamRate * Self.fadeMilliseconds / 1000)
        for index in block.indices {
            let gain = index < length ? 0.5 - 0.5 * cos(Float.pi * (Float(index) + 1) / Float(length + 1)) : 1
            block[index] += gain * (next[index] - block[index])
        }
    }
}
