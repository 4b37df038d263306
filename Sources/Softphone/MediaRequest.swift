import AudioDevices
import AudioFiles
import Codecs
import JitterBuffer
import Link
import Media
import Settings

/// What is wished of a call's media: device, coding, network, files.
public struct MediaRequest: Sendable {
    /// Microphone and loudspeaker, and what is wished of them.
    public var device: DeviceChoice
    /// Whether an option of the command line chose a device.
    package var isDeviceAnOption = false
    /// Whether the voice is processed: echo cancellation, noise suppression, gain control.
    public var voiceProcessing = true
    /// Where it rings when somebody calls; `nil` does not.
    public var ring: DeviceSpecification?
    /// Whether other programs are lowered during a call.
    public var ducksOthers = true
    /// Codec of both directions.
    public var codec: Codec
    /// Bit rate, complexity and packet length.
    public var encoder: EncoderSettings
    /// Bit rate never exceeded, in bit/s; `nil` is the usual one.
    public var maximumBitrate: Int?
    /// Payload type of redundant audio (RFC 2198), 0...127; `nil` sends and takes none.
    public var redundancyPayloadType: UInt8?
    /// Mean time between RTCP reports, s.
    public var reportIntervalSeconds = 5.0
    /// How the jitter buffer weighs delay against loss.
    public var latency = LatencyProfile.balanced
    /// Local address; `nil` is all.
    public var bind: IPAddress?
    /// Networks whose packets are taken; empty takes the first valid source.
    public var allow: [CIDR] = []
    /// How calls with signalling find their way through NATs.
    public var traversal = NATTraversal()
    /// Audio sent in place of the microphone, a file.
    public var playPath: String?
    /// Whether that file is played again and again. It must be a short one (`SharedSamples`).
    public var playsAgain = false
    /// Whether other calls of the process may play the same file at the same time: a short one is held whole then, once for all.
    public var sharesPlayed = false
    /// Stereo recording of the call, a file: left is sent, right is heard.
    public var recordPath: String?
    /// Where the call's packets are captured (pcapng).
    public var capturePath: String?
    /// Names that file for a call by SIP once there is something to capture, on the thread that begins its media: looking for a place may
    /// wait for a disk. `nil`: `capturePath` stands.
    public var capturePlace: (@Sendable () -> String?)?
    /// Whether the packets of an encrypted call are captured as the call sees them, and not as they are on the wire.
    public var capturesDecrypted = false
    /// Bytes that the capture may have, where it is kept in case it is wanted: later packets are not captured, and a call whose capture
    /// cannot be made goes without. `nil`: somebody asked for all of it.
    public var captureBytes: Int?
    /// Folder for every internal signal.
    public var dumpFolder: String?
    /// Digits sent once media has started: 0-9 * # A-D.
    public var digits = ""
    /// Seed of everything random; `nil` draws one.
    public var seed: UInt64?

    /// A call on `device` with `codec`, everything else at its default.
    public init(device: DeviceChoice, codec: Codec) {
        self.device = device
        self.codec = codec
        encoder = EncoderSettings(frameMilliseconds: codec.defaultFrameMilliseconds)
    }

    /// As the configuration says.
    ///
    /// - Throws: a device's name that means nothing.
    public init(_ configuration: Configuration) throws(SoftphoneError) {
        self.init(device: try DeviceChoice(configuration), codec: configuration[\.media.codec])
        let chosenBy = [
            configuration.source(of: \.audio.device), configuration.source(of: \.audio.input),
            configuration.source(of: \.audio.output),
        ]
        isDeviceAnOption = chosenBy.contains { if case .flag = $0 { true } else { false } }
        voiceProcessing = configuration[\.audio.voiceProcessing]
        ducksOthers = configuration[\.audio.duck]
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
        traversal = try NATTraversal(configuration)
    }

    /// What both ends of a call share.
    /// - `codec`, `packetMilliseconds`: of this party; `nil` is what the request says for all.
    /// - `isCodedAgain`: whether what is sent was coded before: it comes from another call, or goes back to whoever said it.
    package func callConfiguration(
        seed: UInt64, codec: Codec? = nil, packetMilliseconds: Int? = nil, isCodedAgain: Bool = false
    ) -> CallConfiguration {
        var configuration = CallConfiguration(codec: codec ?? self.codec, seed: seed)
        configuration.encoder = encoder
        if let packetMilliseconds { configuration.encoder.frameMilliseconds = packetMilliseconds }
        if isCodedAgain { configuration.encoder.application = .audio }
        configuration.jitterBuffer = JitterBufferConfiguration(latency: latency)
        configuration.redundancyPayloadType = redundancyPayloadType
        configuration.maximumBitrate = maximumBitrate
        configuration.reportIntervalSeconds = reportIntervalSeconds
        return configuration
    }

    /// What is sent in place of the microphone, at `rate` samples a second, whole, for any number of calls; empty: the microphone.
    func announcement(rate: Int) throws(SoftphoneError) -> [Float] {
        guard let playPath else { return [] }
        do { return try AudioFileReader.samples(path: playPath, rate: rate) } catch { throw .audioFile(error) }
    }

    /// The same for one call that is waited for: its beginning is there, and the rest is read while it runs. What others may play too is
    /// there whole, if it is short.
    /// - Parameter rate: in Hz.
    /// - Returns: `nil`: the microphone.
    /// - Throws: `audioFile`; `resources`.
    func announcementStream(rate: Int) throws(SoftphoneError) -> (any SampleStream)? {
        guard let playPath else { return nil }
        let file: FileReadAhead
        do {
            let shared =
                sharesPlayed || playsAgain
                ? try SharedSamples.find(path: playPath, rate: rate) { logger.warning("\($0.explanation)") } : nil
            if let shared { return SharedSamplesPlayer(shared, repeats: playsAgain) }
        } catch {
            throw .audioFile(error)
        }
        do { file = try FileReadAhead(path: playPath, rate: rate) { logger.warning("\($0.explanation)") } } catch {
            throw .audioFile(error)
        }
        do { try file.begin() } catch { throw .resources("\(error)") }
        return file
    }

    /// One number cannot mean two things: of audio, of what goes beside it, of copies. For calls whose numbers nobody negotiates.
    /// - Parameter call: `nil`: as the request says.
    package func checkPayloadTypes(_ call: CallConfiguration? = nil) throws(SoftphoneError) {
        let stream = (call ?? callConfiguration(seed: 0)).stream
        let formats = stream.receivedFormats
        let audio = formats.map { ($0.payloadType, "audio") }
        let beside = formats.flatMap {
            [($0.telephoneEventPayloadType, "telephone events"), ($0.comfortNoisePayloadType, "comfort noise")]
        }
        let wanted: [(number: UInt8?, place: String, others: [(UInt8, String)])] = [
            (stream.payloadType, "pt=\(stream.payloadType)", beside),
            (stream.redundancyPayloadType, "--redundancy", audio + beside),
        ]
        for (number, place, others) in wanted {
            guard let number, let other = others.first(where: { $0.0 == number }) else { continue }
            throw .request("payload type \(number) is that of the \(other.1), in \(place); give another from 96 to 127")
        }
    }
}

/// The file of `--play`.
extension FileReadAhead: SampleStream {}
extension SharedSamplesPlayer: SampleStream {}
