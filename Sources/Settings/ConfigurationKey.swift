internal import Codecs
internal import JitterBuffer

/// One thing that can be configured: the row from which its flag, variable, file entry and documentation come.
public struct ConfigurationKey: Sendable, Equatable {
    /// What a value may be.
    public enum Kind: Sendable, Equatable {
        case text
        case choice([String])
        case integer(ClosedRange<Int>)
        case number(ClosedRange<Double>)
        case boolean
        /// Texts separated by commas; a YAML sequence in the file.
        case list
    }

    /// In the file; the flag and the variable are made of it.
    public let name: String
    public let kind: Kind
    /// As it would be written; `nil` when nothing is chosen unless someone chooses.
    public let defaultValue: String?
    /// One sentence, with the unit.
    public let help: String

    /// The command-line option, such as `--log-level`.
    public var flag: String { "--" + name.replacing("_", by: "-") }
    /// The environment variable, such as `YODEL_LOG_LEVEL`.
    public var variable: String { "YODEL_" + name.uppercased() }

    /// What a valid value looks like, for messages and the annotated file.
    public var expectation: String {
        switch kind {
        case .text: "a name"
        case .choice(let values): values.joined(separator: ", ")
        case .integer(let range): "a whole number \(range.lowerBound)...\(range.upperBound)"
        case .number(let range): "a number \(range.lowerBound)...\(range.upperBound)"
        case .boolean: "true or false"
        case .list: "a list"
        }
    }

    /// Whether `value` may be used.
    public func accepts(_ value: String) -> Bool {
        switch kind {
        case .text: !value.isEmpty && !value.utf8.contains(0)
        case .choice(let values): values.contains(value)
        case .integer(let range): Int(value).map(range.contains) ?? false
        case .number(let range): Double(value).map { $0.isFinite && range.contains($0) } ?? false
        case .boolean: value == "true" || value == "false"
        case .list: !value.utf8.contains(0)
        }
    }
}

extension ConfigurationKey {
    public static let device = ConfigurationKey(
        name: "device", kind: .text, defaultValue: "default",
        help: "Microphone and loudspeaker: alsa:NAME, file:PATH, pipe:-, room:MODEL, null, default")
    public static let input = ConfigurationKey(
        name: "input", kind: .text, defaultValue: nil, help: "Microphone, when it is not `device`")
    public static let output = ConfigurationKey(
        name: "output", kind: .text, defaultValue: nil, help: "Loudspeaker, when it is not `device`")
    public static let rate = ConfigurationKey(
        name: "rate", kind: .integer(8_000...192_000), defaultValue: nil,
        help: "Rate of the device in Hz; unset takes what the device likes best")
    public static let period = ConfigurationKey(
        name: "period", kind: .number(1...100), defaultValue: nil,
        help: "Period of the device in ms; unset takes the shortest that is safe")
    public static let realtime = ConfigurationKey(
        name: "realtime", kind: .boolean, defaultValue: "true",
        help: "Ask for real-time priority; without the permission yodel runs at ordinary priority and says so")
    public static let voiceProcessing = ConfigurationKey(
        name: "voice_processing", kind: .boolean, defaultValue: "true",
        help: "Echo cancellation, noise suppression and gain control")
    public static let duck = ConfigurationKey(
        name: "duck", kind: .boolean, defaultValue: "true",
        help: "Lower what other programs play on the same output by 20 dB during a call")
    public static let codec = ConfigurationKey(
        name: "codec", kind: .choice(CodecKind.allCases.map(\.rawValue)), defaultValue: "opus",
        help: "Codec of both directions")
    public static let bitrate = ConfigurationKey(
        name: "bitrate", kind: .integer(6_000...510_000), defaultValue: "28000", help: "Bit rate of Opus in bit/s")
    public static let maxBitrate = ConfigurationKey(
        name: "max_bitrate", kind: .integer(6_000...1_000_000), defaultValue: nil,
        help: "Bit rate in bit/s that protection and copies never exceed; unset is 64000, or `bitrate` if that is more")
    public static let redundancy = ConfigurationKey(
        name: "redundancy", kind: .integer(96...127), defaultValue: nil,
        help: "RTP payload type of redundant audio (RFC 2198), the same at both ends; unset sends none and takes none")
    public static let rtcpInterval = ConfigurationKey(
        name: "rtcp_interval", kind: .number(1...5), defaultValue: "5",
        help: "Mean seconds between RTCP reports: 5, or down to 1 where the other side allows feedback timing (RFC 4585)")
    public static let complexity = ConfigurationKey(
        name: "complexity", kind: .integer(0...10), defaultValue: "10",
        help: "Effort of the Opus encoder: 0 costs least CPU, 10 sounds best")
    public static let ptime = ConfigurationKey(
        name: "ptime", kind: .choice(["10", "20", "40", "60"]), defaultValue: "20", help: "Length of a packet in ms")
    public static let latency = ConfigurationKey(
        name: "latency", kind: .choice(LatencyProfile.allCases.map(\.rawValue)), defaultValue: "balanced",
        help: "How the jitter buffer weighs delay against loss")
    public static let bind = ConfigurationKey(
        name: "bind", kind: .text, defaultValue: nil, help: "Local address to send from and listen on; unset is all")
    public static let allow = ConfigurationKey(
        name: "allow", kind: .list, defaultValue: nil,
        help: "Networks (CIDR) whose packets are taken; unset takes the first valid source")
    public static let logLevel = ConfigurationKey(
        name: "log_level", kind: .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]),
        defaultValue: "warning", help: "How much is logged to standard error")

    /// Every key, in the order of the annotated file.
    public static let all: [ConfigurationKey] = [
        device, input, output, rate, period, realtime, voiceProcessing, duck, codec, bitrate, maxBitrate, redundancy,
        complexity, ptime, latency, rtcpInterval, bind, allow, logLevel,
    ]
}

extension String {
    /// Every `old` character turned into `new`.
    func replacing(_ old: Character, by new: Character) -> String { String(map { $0 == old ? new : $0 }) }
}
