/// The parameters of Opus in `a=fmtp`, RFC 7587 section 6.1: what their writer wants to receive, and what it may send.
public struct OpusParameters: Hashable, Sendable {
    /// Highest sampling rate worth sending to the writer, 8000 to 48000 samples a second.
    public var maximumPlaybackRate = 48_000
    /// Highest sampling rate that the writer may send.
    public var maximumCaptureRate = 48_000
    /// Shortest packet the writer wants to receive, in milliseconds; 3 in the RFC, which rounds 2.5 up.
    public var minimumPacketTime: Int?
    /// Bits a second of payload the writer wants to receive at most, 6000 to 510000; nil: not limited.
    public var maximumAverageBitRate: Int?
    /// The writer prefers to receive two channels.
    public var stereo = false
    /// The writer may send two channels.
    public var sendsStereo = false
    /// The writer wants a constant bit rate.
    public var constantBitRate = false
    /// The writer can use in-band forward error correction.
    public var inbandFEC = false
    /// The writer prefers discontinuous transmission.
    public var discontinuousTransmission = false
    /// Parameters that the RFC does not name, as written.
    public var others: [String] = []

    public init() {}

    /// Reads the text after the payload type; a value outside its range is as good as absent.
    public init(_ text: String) {
        for part in text.split(separator: ";") {
            let trimmed = part.drop { $0 == " " }
            let name = trimmed.prefix { $0 != "=" && $0 != " " }
            guard !name.isEmpty else { continue }
            let value = trimmed.dropFirst(name.count).drop { $0 == "=" || $0 == " " }.prefix { $0 != " " }
            let number = ArraySlice(value.utf8).decimal(upTo: 1_000_000)
            take(String(name).asciiLowercased, number, written: String(trimmed))
        }
    }

    private mutating func take(_ name: String, _ number: Int?, written: String) {
        func within(_ range: ClosedRange<Int>) -> Int? { number.flatMap { range.contains($0) ? $0 : nil } }
        switch name {
        case "maxplaybackrate": maximumPlaybackRate = within(8000...48_000) ?? maximumPlaybackRate
        case "sprop-maxcapturerate": maximumCaptureRate = within(8000...48_000) ?? maximumCaptureRate
        case "minptime": minimumPacketTime = within(3...120) ?? minimumPacketTime
        case "maxaveragebitrate": maximumAverageBitRate = within(6000...510_000) ?? maximumAverageBitRate
        case "stereo": stereo = number == 1
        case "sprop-stereo": sendsStereo = number == 1
        case "cbr": constantBitRate = number == 1
        case "useinbandfec": inbandFEC = number == 1
        case "usedtx": discontinuousTransmission = number == 1
        default: others.append(written)
        }
    }

    /// The text after the payload type, empty when everything is as the RFC assumes.
    public var text: String {
        var parts: [String] = []
        if maximumPlaybackRate != 48_000 { parts.append("maxplaybackrate=\(maximumPlaybackRate)") }
        if maximumCaptureRate != 48_000 { parts.append("sprop-maxcapturerate=\(maximumCaptureRate)") }
        if let minimumPacketTime { parts.append("minptime=\(minimumPacketTime)") }
        if let maximumAverageBitRate { parts.append("maxaveragebitrate=\(maximumAverageBitRate)") }
        if stereo { parts.append("stereo=1") }
        if sendsStereo { parts.append("sprop-stereo=1") }
        if constantBitRate { parts.append("cbr=1") }
        if inbandFEC { parts.append("useinbandfec=1") }
        if discontinuousTransmission { parts.append("usedtx=1") }
        return (parts + others).joined(separator: ";")
    }
}
