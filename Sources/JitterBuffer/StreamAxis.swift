import Realtime

/// One axis for host time and one for media, both from small numbers: nanoseconds and RTP units become milliseconds and
/// samples since an epoch.
package struct StreamAxis {
    /// Timestamps further than this from the epoch are no stream's (16 days at 48 kHz).
    static let furthest: Int64 = 1 << 36

    let clockRate: Int64
    package let sampleRate: Int64
    let hostEpoch: HostTime
    private var mediaEpoch: Int64
    /// Added to media time, so that delays of a new stream continue those of the old one.
    private var offset: Double
    private let mediaOrigin: Double

    /// - Parameters:
    ///   - delay: relative delay that the packet with this timestamp and arrival shall have, in milliseconds.
    ///   - mediaOrigin: media time at which the axis begins, in milliseconds since the first stream's first packet.
    package init(
        clockRate: Int, sampleRate: Int, hostEpoch: HostTime, timestamp: Int64, arrival: HostTime, delay: Double,
        mediaOrigin: Double = 0
    ) {
        self.clockRate = Int64(clockRate)
        self.sampleRate = Int64(sampleRate)
        self.hostEpoch = hostEpoch
        mediaEpoch = timestamp
        self.mediaOrigin = mediaOrigin
        offset = arrival.milliseconds(since: hostEpoch) - delay
    }

    /// First sample of a timestamp; nil when it cannot belong to the stream.
    package func position(of timestamp: Int64) -> Int64? {
        let (difference, overflow) = timestamp.subtractingReportingOverflow(mediaEpoch)
        guard !overflow, abs(Double(difference)) < Double(Self.furthest) else { return nil }
        return difference * sampleRate / clockRate
    }

    package func hostMilliseconds(_ time: HostTime) -> Double { time.milliseconds(since: hostEpoch) }
    package func mediaMilliseconds(_ position: Int64) -> Double { milliseconds(position) + offset }
    package func milliseconds(_ samples: Int64) -> Double { Double(samples) * 1000 / Double(sampleRate) }
    /// Media time of a sample in milliseconds since the first stream's first packet.
    package func streamMilliseconds(_ position: Int64) -> Double { mediaOrigin + milliseconds(position) }
}
