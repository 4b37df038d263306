public import AudioUnits

/// Devices, and what is done with their sound.
public struct AudioKeys: ConfigurationSection {
    public static let name = "audio"
    public static let title = "Audio"

    // Names of devices stay text: what a name means, and whether there is such a device, is the device layer's to say.
    public let device = ConfigurationKey(
        "device", .deviceName, default: "default",
        help: "Microphone and loudspeaker: alsa:NAME, pulse:NAME, file:PATH, pipe:-, room:MODEL, null, default")
    public let input = ConfigurationKey(
        "input", .deviceName, unset: "the microphone of `device`", help: "Microphone, when it is another device")
    public let output = ConfigurationKey(
        "output", .deviceName, unset: "the loudspeaker of `device`", help: "Loudspeaker, when it is another device")
    public let rate = ConfigurationKey(
        "rate", .integer(8_000...192_000, unit: "Hz", placeholder: "hz"), unset: "what the device likes best",
        help: "Rate of the device")
    public let period = ConfigurationKey(
        "period", .number(1...100, unit: "ms", placeholder: "ms"),
        unset: "5 with ALSA and the sound server, 10 with other devices",
        help: "Period of the device")
    public let realtime = ConfigurationKey(
        "realtime", .toggle, default: true,
        help: "Ask for real-time priority; without the permission yodel runs at ordinary priority and says so")
    public let pin = ConfigurationKey(
        "pin", .toggle, default: false, help: "Tie each thread that carries many calls without a device to a core")
    public let voiceProcessing = ConfigurationKey(
        "voice_processing", .toggle, default: true, help: "Cancel echo, suppress noise, control gain")
    public let echoCanceller = ConfigurationKey(
        "echo_canceller", .cases("name"), default: VoiceProcessingConfiguration.Canceller.Name.yodel,
        help: "What takes the echo out; speexdsp is SpeexDSP alone, to compare with")
    public let quality = ConfigurationKey(
        "quality", .cases("level"), default: VoiceProcessingConfiguration().quality,
        help: "How much work the echo canceller may do")
    public let duck = ConfigurationKey(
        "duck", .toggle, default: true, help: "Lower what other programs play on the same output by 20 dB during a call")

    public init() {}
}
