import Codecs
import JitterBuffer

extension StreamConfiguration {
    /// What a replay of the stream's capture must know, as its file keeps it.
    package var captureSettings: [String: String] {
        var settings = [
            "codec": codec.name, "payload_type": String(payloadType),
            "telephone_event": String(telephoneEventPayloadType),
            "comfort_noise": String(comfortNoisePayloadType), "ptime": String(encoder.frameMilliseconds),
            "latency": jitterBuffer.latency.rawValue, "minimum_delay_ms": String(jitterBuffer.minimumDelayMs),
            "maximum_delay_ms": String(jitterBuffer.maximumDelayMs), "buffer_seed": String(jitterBuffer.seed),
        ]
        if let sampleRate { settings["sample_rate"] = String(sampleRate) }
        if let telephoneEventClockRate { settings["telephone_event_clock"] = String(telephoneEventClockRate) }
        if let receivedFormat { settings["receives"] = receivedFormat.captured }
        if !alsoReceives.isEmpty { settings["also_receives"] = alsoReceives.map(\.captured).joined(separator: ", ") }
        settings["seed"] = String(seed)
        if let redundancyPayloadType { settings["redundancy"] = String(redundancyPayloadType) }
        if !alsoReceivesRedundancy.isEmpty {
            settings["also_redundancy"] = alsoReceivesRedundancy.map { String($0) }.joined(separator: ", ")
        }
        return settings
    }

    /// The receiving half of a stream from its capture; `nil` when the settings name no codec. What they do not say, or say
    /// wrongly, is at its default.
    package init?(captureSettings settings: [String: String], seed: UInt64) {
        guard let codec = settings["codec"].flatMap({ Codec($0) }) else { return nil }
        // Who we were counts: what comes from ourselves is a loop.
        self.init(codec: codec, seed: settings["seed"].flatMap { UInt64($0) } ?? seed)
        func number(_ key: String) -> Double? { settings[key].flatMap { Double($0) } }
        func type(_ key: String) -> UInt8? { settings[key].flatMap { UInt8($0) }.flatMap { $0 < 128 ? $0 : nil } }
        sampleRate = settings["sample_rate"].flatMap { Int($0) }.flatMap { codec.runs(at: $0) ? $0 : nil }
        payloadType = type("payload_type") ?? payloadType
        telephoneEventPayloadType = type("telephone_event") ?? telephoneEventPayloadType
        comfortNoisePayloadType = type("comfort_noise") ?? comfortNoisePayloadType
        telephoneEventClockRate = settings["telephone_event_clock"].flatMap { MediaFormat.clock(captured: $0) }
        redundancyPayloadType = type("redundancy")
        alsoReceivesRedundancy = (settings["also_redundancy"] ?? "").split(separator: ",").prefix(128).compactMap {
            UInt8($0.drop { $0 == " " }).flatMap { $0 < 128 ? $0 : nil }
        }
        receivedFormat = [MediaFormat](captured: settings["receives"] ?? "").first
        alsoReceives = [MediaFormat](captured: settings["also_receives"] ?? "")
        if let length = settings["ptime"].flatMap({ Int($0) }), codec.sendableFrameMilliseconds.contains(length) {
            encoder.frameMilliseconds = length
        }
        jitterBuffer = JitterBufferConfiguration(
            latency: settings["latency"].flatMap { LatencyProfile(rawValue: $0) } ?? .balanced,
            minimumDelayMs: number("minimum_delay_ms") ?? 0,
            maximumDelayMs: number("maximum_delay_ms") ?? JitterBufferConfiguration().maximumDelayMs,
            seed: settings["buffer_seed"].flatMap { UInt64($0) } ?? 1)
    }
}

extension CallConfiguration {
    /// The setting that tells by what the packets of a capture are encrypted; without it they are plain.
    package static let captureEncryption = "encryption"

    /// What a replay of the call's capture must know.
    package var captureSettings: [String: String] {
        var settings = stream.captureSettings
        if !policy.endsByGoodbye { settings["goodbye"] = "signalled" }
        return settings
    }

    /// A call out of its capture; `nil` when the settings name no codec.
    /// - Parameters:
    ///   - settings: of the capture.
    ///   - seed: where they name none.
    package init?(captureSettings settings: [String: String], seed: UInt64) {
        guard let stream = StreamConfiguration(captureSettings: settings, seed: seed) else { return nil }
        self.init(stream: stream)
        if settings["goodbye"] == "signalled" { policy.endsByGoodbye = false }
    }
}

extension MediaFormat {
    /// `PAYLOAD-TYPE NAME RATE`, where they are not the usual ones the payload types of telephone events and comfort noise, and
    /// where it is not the audio's the clock of the events.
    var captured: String {
        let usual = MediaFormat(codec)
        let isUsual =
            telephoneEventPayloadType == usual.telephoneEventPayloadType
            && comfortNoisePayloadType == usual.comfortNoisePayloadType && telephoneEventClockRate == nil
        return "\(payloadType) \(codec.name) \(audioRate)"
            + (isUsual ? "" : " \(telephoneEventPayloadType) \(comfortNoisePayloadType)")
            + (telephoneEventClockRate.map { " \($0)" } ?? "")
    }

    /// A clock in Hz that a device can have; a file may claim anything.
    fileprivate static func clock(captured text: some StringProtocol) -> Int? {
        Int(text).flatMap { (1...1_000_000).contains($0) ? $0 : nil }
    }

    fileprivate init?(captured text: Substring) {
        let words = text.split(separator: " ")
        guard words.count == 3 || words.count == 5 || words.count == 6, let payloadType = UInt8(words[0]), payloadType < 128,
            let codec = Codec(String(words[1])), let rate = Int(words[2]), codec.runs(at: rate)
        else { return nil }
        self.init(codec, payloadType: payloadType, sampleRate: rate == codec.sampleRate ? nil : rate)
        guard words.count > 3 else { return }
        guard let digits = UInt8(words[3]), let noise = UInt8(words[4]), max(digits, noise) < 128 else { return nil }
        (telephoneEventPayloadType, comfortNoisePayloadType) = (digits, noise)
        guard words.count == 6 else { return }
        guard let clock = Self.clock(captured: words[5]) else { return nil }
        telephoneEventClockRate = clock
    }
}

extension [MediaFormat] {
    /// Formats with commas between them, 128 at most; those that say nothing are left out.
    init(captured text: some StringProtocol) {
        self = text.split(separator: ",").prefix(128).compactMap { MediaFormat(captured: Substring($0)) }
    }
}
