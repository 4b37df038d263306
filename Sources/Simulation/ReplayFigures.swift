import JitterBuffer
import Reporting

/// One block of a replay.
public struct ReplayRow: Sendable {
    /// When the block was asked for, since the first frame was sent; of a capture since the first packet came, and negative for
    /// a block that was asked for before.
    public var milliseconds: Double
    public var reason: PlayoutReason
    /// What the buffer wants a packet of the fastest kind to wait.
    public var targetMs: Double
    /// Sound in hand.
    public var levelMs: Double
    /// When the block's end is heard less when it was sent: network and buffer; `nil` before the stream plays.
    public var delayMs: Double?
    /// Where in the speech the block ends; `nil` before the stream plays.
    public var mediaMilliseconds: Double?

    /// Head of a table of rows.
    public static let header = "time_ms,reason,target_ms,level_ms,delay_ms,media_ms"
    /// The row as a line of comma-separated values.
    public var text: String {
        func number(_ value: Double?) -> String { value.map { String(($0 * 100).rounded() / 100) } ?? "" }
        return "\(number(milliseconds)),\(reason.name),\(number(targetMs)),\(number(levelMs)),"
            + "\(number(delayMs)),\(number(mediaMilliseconds))"
    }
}

/// What a replay found.
public struct ReplayFigures: Sendable {
    /// Mean over the speech of the delay from a frame's sending to its play-out, in milliseconds; `nil` when nothing was
    /// heard. The codec's look-ahead is not in it.
    public var meanDelayMs: Double?
    /// Greatest and least of it.
    public var greatestDelayMs: Double?
    public var leastDelayMs: Double?
    /// Kilobits a second of RTP payload.
    public var kilobitsPerSecond: Double?
    public var packetsSent: Int
    public var packetsLost: Int
    /// Packets that came after a later one, also too late.
    public var packetsReordered: Int
    public var buffer: JitterBufferStatistics
    /// What of a capture was not played; `nil` when all of it was.
    public var leftOut: ReplayOmission?

    init(
        rows: [ReplayRow], spokenMilliseconds: Double, sent: Int, sentBytes: Int, lost: Int, reordered: Int,
        buffer: JitterBufferStatistics
    ) {
        let delays = rows.compactMap { row in
            (row.mediaMilliseconds ?? .infinity) <= spokenMilliseconds ? row.delayMs : nil
        }
        meanDelayMs = delays.isEmpty ? nil : delays.reduce(0, +) / Double(delays.count)
        greatestDelayMs = delays.max()
        leastDelayMs = delays.min()
        kilobitsPerSecond = spokenMilliseconds > 0 ? Double(sentBytes * 8) / spokenMilliseconds : nil
        packetsSent = sent
        packetsLost = lost
        packetsReordered = reordered
        self.buffer = buffer
    }

    /// The figures as an object; what is not known is left out.
    public var json: JSONValue {
        var members: [JSONMember] = []
        func add(_ name: String, _ value: Double?, decimals: Int = 2) {
            if let value { members.append(JSONMember(name, .number(value, decimals: decimals))) }
        }
        func add(_ name: String, _ value: Int) { members.append(JSONMember(name, .integer(value))) }
        add("delay_ms", meanDelayMs)
        add("delay_min_ms", leastDelayMs)
        add("delay_max_ms", greatestDelayMs)
        add("kbps", kilobitsPerSecond)
        add("packets_sent", packetsSent)
        add("packets_lost", packetsLost)
        add("packets_late", buffer.late)
        add("packets_reordered", packetsReordered)
        add("packets_duplicate", buffer.duplicate)
        add("fec_used", buffer.fecUsed)
        add("redundancy_used", buffer.redundancyUsed)
        add("underruns", buffer.underruns)
        add("concealments", buffer.concealments)
        add("concealed_ratio", buffer.concealedRatio, decimals: 5)
        add("accelerated_ms", buffer.acceleratedMs)
        add("decelerated_ms", buffer.deceleratedMs)
        add("resets", buffer.resets)
        let reasons: [PlayoutReason] = [
            .waiting, .normal, .accelerate, .decelerate, .fec, .redundancy, .concealShort, .concealLong, .comfortNoise,
            .discardLate, .discardOverflow,
        ]
        members.append(
            JSONMember("by_reason_ms", .object(reasons.map { JSONMember($0.name, .number(buffer.byReason[$0])) })))
        if let leftOut { members.append(JSONMember("left_out", .string(leftOut.text()))) }
        return .object(members)
    }
}
