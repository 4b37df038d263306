public import Codecs
public import JitterBuffer
internal import RTP

/// How sound is coded, protected and played out.
public struct MediaKeys: ConfigurationSection {
    public static let name = "media"
    public static let title = "Media"

    /// Lengths of a packet that a person may ask for: every codec sends them.
    static let packetMilliseconds = [10, 20, 40, 60]

    public let codec = ConfigurationKey(
        "codec", .codec, default: Codec.opus, help: "Codec of both directions")
    public let bitrate = ConfigurationKey(
        "bitrate", .integer(6_000...510_000, unit: "bit/s", placeholder: "bps"), default: EncoderSettings().bitrate,
        help: "Bit rate of Opus")
    public let dtx = ConfigurationKey(
        "dtx", .toggle, default: false,
        help: "In pauses send only what the background sounds like: Opus by itself, others as comfort noise (RFC 3389)")
    public let maxBitrate = ConfigurationKey(
        "max_bitrate", .integer(6_000...1_000_000, unit: "bit/s", placeholder: "bps"),
        unset: "64000, or `bitrate` if that is more", help: "Bit rate that protection and copies never exceed")
    public let redundancy = ConfigurationKey(
        "redundancy", .integer(96...127, placeholder: "pt"), unset: "none is sent or taken",
        help: "RTP payload type of redundant audio (RFC 2198), the same at both ends; copies are sent against loss")
    public let complexity = ConfigurationKey(
        "complexity", .integer(0...10, placeholder: "n"), default: EncoderSettings().complexity,
        help: "Effort of the Opus encoder: 0 costs least CPU, 10 sounds best")
    public let ptime = ConfigurationKey(
        "ptime", .oneOf(Self.packetMilliseconds, unit: "ms", placeholder: "ms"), default: EncoderSettings().frameMilliseconds,
        help: "Length of a packet in ms")
    public let latency = ConfigurationKey(
        "latency", .cases("profile"), default: JitterBufferConfiguration().latency,
        help: "How the jitter buffer weighs delay against loss")
    public let rtcpInterval = ConfigurationKey(
        "rtcp_interval", .number(1...5, unit: "s", placeholder: "seconds"), default: RTCPSession.usualInterval,
        help: "Mean time between RTCP reports; less than 5 only where the other side allows it (RFC 4585)")

    public init() {}
}

extension ValueForm where Value == Codec {
    /// A codec's name, in capitals too.
    static var codec: ValueForm {
        var form = ValueForm(
            placeholder: "codec", expectation: Codec.names, parse: { Codec($0.lowercased()) }, write: { $0.name })
        form.cases = Codec.allCases.map(\.name)
        return form
    }
}
