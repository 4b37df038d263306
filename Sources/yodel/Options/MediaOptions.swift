import AudioDevices
import AudioFiles
import AudioUnits
import Codecs
import JitterBuffer
import Link
import Media
import Settings

/// What a media command works with: every value resolved, checked, and typed. Nothing has been started yet.
struct MediaOptions {
    /// Microphone and loudspeaker, and what is wished of them.
    var device: DeviceChoice
    /// Whether someone chose a device other than the default; `loopback` brings its own room otherwise.
    var choosesDevice: Bool
    var voiceProcessing: Bool
    /// Where it rings when somebody calls; `nil` does not.
    var ring: DeviceSpecification?
    /// Whether other programs are lowered during a call.
    var ducksOthers: Bool
    var codec: Codec
    /// Bit rate, complexity and packet length.
    var encoder: EncoderSettings
    /// Bit rate never exceeded, in bit/s; `nil` is the usual one.
    var maximumBitrate: Int?
    /// Payload type of redundant audio; `nil` sends and takes none.
    var redundancyPayloadType: UInt8?
    /// Mean time between RTCP reports, s.
    var reportIntervalSeconds: Double
    var latency: LatencyProfile
    /// Local address; `nil` is all.
    var bind: IPAddress?
    /// Networks whose packets are taken; empty takes the first valid source.
    var allow: [CIDR]
    /// Media time after which the call is ended, s.
    var durationSeconds: Double?
    /// Audio sent in place of the microphone.
    var playPath: String?
    var recordPath: String?
    /// Where the call's packets are captured.
    var capturePath: String?
    /// Speech of the person in the simulated room.
    var nearPath: String?
    var digits: String
    var dumpFolder: String?
    /// `nil` lets the command choose.
    var seed: UInt64?

    init(_ arguments: MediaArguments, _ configuration: Configuration) throws(CommandError) {
        device = try DeviceChoice(configuration)
        choosesDevice = configuration.choosesDevice
        voiceProcessing = configuration[\.audio.voiceProcessing]
        ducksOthers = configuration[\.audio.duck]
        codec = configuration[\.media.codec]
        encoder = EncoderSettings(
            bitrate: configuration[\.media.bitrate], complexity: configuration[\.media.complexity],
            frameMilliseconds: configuration[\.media.ptime])
        encoder.dtx = configuration[\.media.dtx]
        maximumBitrate = configuration[\.media.maxBitrate]
        redundancyPayloadType = configuration[\.media.redundancy].map { UInt8($0) }
        reportIntervalSeconds = configuration[\.media.rtcpInterval]
        latency = configuration[\.media.latency]
        bind = configuration[\.network.bind]
        allow = configuration[\.network.allow]
        durationSeconds = arguments.call.duration
        playPath = arguments.call.play
        recordPath = arguments.call.record
        capturePath = arguments.call.capture
        nearPath = arguments.call.near
        digits = arguments.call.dtmf ?? ""
        dumpFolder = arguments.output.dump
        seed = arguments.output.seed
        try check()
    }

    /// What no table can know: durations, digits and files.
    private func check() throws(CommandError) {
        if let durationSeconds, !(durationSeconds > 0 && durationSeconds <= 1e7) {
            throw CommandError(.usage, "--duration \(durationSeconds) makes no call; give seconds above 0")
        }
        if let wrong = digits.first(where: { !KeyCommand.digits.contains($0) }) {
            throw CommandError(.usage, "'\(wrong)' is on no keypad, in --dtmf '\(digits)'; use 0-9 * # A-D")
        }
        for path in [playPath, nearPath].compactMap({ $0 }) {
            do {
                _ = try AudioFileReader(path: path)
            } catch {
                throw CommandError(.usage, error.explanation)
            }
        }
        if let recordPath { try PathCheck.writable(recordPath, option: "--record") }
        if let capturePath { try PathCheck.writable(capturePath, option: "--capture") }
        if let dumpFolder { try PathCheck.folder(dumpFolder, option: "--dump") }
    }

    /// One number cannot mean two things.
    func checkRedundancy(_ configuration: CallConfiguration) throws(CommandError) {
        guard let redundancyPayloadType else { return }
        for (number, what) in [
            (configuration.payloadType, "audio"), (configuration.telephoneEventPayloadType, "telephone events"),
        ] where number == redundancyPayloadType {
            throw CommandError(
                .usage, "payload type \(number) is that of the \(what), in --redundancy; give another from 96 to 127")
        }
    }
}

extension MediaOptions {
    /// Microphone.
    var input: DeviceSpecification { device.input }
    /// Loudspeaker.
    var output: DeviceSpecification { device.output }
    /// Rate of the device in Hz; `nil` leaves it to the device.
    var sampleRate: Int? { device.sampleRate }
    /// Period of the device in ms; `nil` leaves it to the device.
    var periodMilliseconds: Double? { device.periodMilliseconds }
    var realtime: Bool { device.realtime }
}
