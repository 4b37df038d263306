import AudioDevices
import AudioFiles
import AudioUnits
import Calling
import Codecs
import JitterBuffer
import Network
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
    var codec: CodecKind
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
        voiceProcessing = configuration[.voiceProcessing].text != "false"
        ducksOthers = configuration[.duck].text != "false"
        codec = configuration[.codec].text.flatMap { CodecKind(rawValue: $0) } ?? .opus
        encoder = EncoderSettings()
        if let bitrate = configuration[.bitrate].text.flatMap({ Int($0) }) { encoder.bitrate = bitrate }
        if let complexity = configuration[.complexity].text.flatMap({ Int($0) }) { encoder.complexity = complexity }
        if let length = configuration[.ptime].text.flatMap({ Int($0) }) { encoder.frameMilliseconds = length }
        maximumBitrate = configuration[.maxBitrate].text.flatMap { Int($0) }
        redundancyPayloadType = configuration[.redundancy].text.flatMap { UInt8($0) }
        reportIntervalSeconds = configuration[.rtcpInterval].text.flatMap { Double($0) } ?? 5
        latency = configuration[.latency].text.flatMap { LatencyProfile(rawValue: $0) } ?? .balanced
        bind = nil
        allow = []
        durationSeconds = arguments.duration
        playPath = arguments.play
        recordPath = arguments.record
        capturePath = arguments.capture
        nearPath = arguments.near
        digits = arguments.dtmf ?? ""
        dumpFolder = arguments.dump
        seed = arguments.seed
        try readAddresses(configuration)
        try check()
    }

    private mutating func readAddresses(_ configuration: Configuration) throws(CommandError) {
        do {
            bind = try configuration[.bind].text.map { text throws(NetworkError) in try IPAddress(text) }
            for item in configuration[.allow].items { allow.append(try CIDR(item)) }
        } catch {
            throw CommandError(.usage, error.description)
        }
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
