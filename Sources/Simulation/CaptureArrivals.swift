import RTP
import Realtime

/// When the packets of one stream of a capture came, and which never did.
///
/// Their time stamps tell when they were sent; numbers nobody bears between two others are packets lost on the way.
struct CaptureArrivals {
    private struct Packet {
        var sequence: Int64
        var sentMilliseconds: Double
        var arrivalMilliseconds: Double
        /// Whether it is sound, and shown.
        var isSound: Bool
    }

    /// RTP clock units per second of the sound.
    private var clockRate = 1
    private var ssrc: UInt32?
    private var newest = UInt16(0)
    private var extended: Int64 = 0
    private var timestamp: UInt32 = 0
    private var elapsed: Int64 = 0
    private var packets: [Packet] = []
    private var received = 0
    /// Of streams that ended before: lost packets that are shown, and that are not.
    private var shownBefore = 0
    private var leftOutBefore = 0
    /// Streams that ended before: another source, or numbers that jumped.
    private var before: [ReplayArrival] = []

    /// Most lost packets that are shown between two that came: more cannot be told apart in a picture.
    private static let mostBetween = 100
    /// Lost packets that are always shown; beyond them no more than packets that came.
    private static let alwaysShown = 100_000

    /// - Parameters:
    ///   - clockRate: RTP clock units per second; `nil`: the packet is no sound. It has its number among the others, and is
    ///     not shown.
    ///   - time: arrival in milliseconds on the replay's time line.
    mutating func add(_ header: RTPHeader, clockRate: Int?, at time: Double) {
        let step = Int16(bitPattern: header.sequence &- newest)
        let goesOn = ssrc == header.ssrc && abs(Int(step)) <= 3000
        // What is no sound says nothing of where a stream begins.
        guard goesOn || clockRate != nil else { return }
        received += 1
        if let clockRate, !goesOn || clockRate != self.clockRate {
            begin(header, clockRate: clockRate, at: time)
        } else {
            proceed(header, step, isSound: clockRate != nil, at: time)
        }
    }

    private mutating func begin(_ header: RTPHeader, clockRate: Int, at time: Double) {
        before += Self.inOrder(packets, received: received, leftOut: &leftOutBefore, shown: &shownBefore)
        packets = [Packet(sequence: 0, sentMilliseconds: time, arrivalMilliseconds: time, isSound: true)]
        self.clockRate = clockRate
        ssrc = header.ssrc
        newest = header.sequence
        extended = 0
        timestamp = header.timestamp
        elapsed = Int64(time * Double(clockRate) / 1000)
    }

    private mutating func proceed(_ header: RTPHeader, _ step: Int16, isSound: Bool, at time: Double) {
        // What is no sound stands with the sound before it.
        let sent = isSound ? elapsed &+ Int64(Int32(bitPattern: header.timestamp &- timestamp)) : elapsed
        packets.append(
            Packet(
                sequence: extended &+ Int64(step), sentMilliseconds: Double(sent) * 1000 / Double(clockRate),
                arrivalMilliseconds: time, isSound: isSound))
        guard step > 0 else { return }
        extended &+= Int64(step)
        newest = header.sequence
        guard isSound else { return }
        timestamp = header.timestamp
        elapsed = sent
    }

    /// All of them in the order they were sent; the lost ones stand evenly between their neighbours.
    var all: [ReplayArrival] {
        var (lost, shown) = (0, shownBefore)
        return before + Self.inOrder(packets, received: received, leftOut: &lost, shown: &shown)
    }
    /// Lost packets that `all` does not have.
    var leftOut: Int {
        var (lost, shown) = (leftOutBefore, shownBefore)
        _ = Self.inOrder(packets, received: received, leftOut: &lost, shown: &shown)
        return lost
    }

    /// The packets of one stream.
    private static func inOrder(
        _ packets: [Packet], received: Int, leftOut: inout Int, shown: inout Int
    ) -> [ReplayArrival] {
        var arrivals: [ReplayArrival] = []
        var last: Packet?
        for packet in packets.sorted(by: { $0.sequence < $1.sequence }) where packet.sequence != last?.sequence {
            if let last {
                let missing = Int(packet.sequence - last.sequence - 1)
                let marks = min(missing, mostBetween, max(0, alwaysShown + received - shown))
                let step = (packet.sentMilliseconds - last.sentMilliseconds) / Double(marks + 1)
                for number in 0..<marks {
                    let sent = last.sentMilliseconds + step * Double(number + 1)
                    arrivals.append(ReplayArrival(sentMilliseconds: sent, arrivalMilliseconds: nil))
                }
                shown += marks
                leftOut += missing - marks
            }
            last = packet
            guard packet.isSound else { continue }
            arrivals.append(
                ReplayArrival(
                    sentMilliseconds: packet.sentMilliseconds, arrivalMilliseconds: packet.arrivalMilliseconds))
        }
        return arrivals
    }
}
