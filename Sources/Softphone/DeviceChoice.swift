import AudioDevices
import AudioSession
import AudioUnits
import LiveMedia
import Settings

/// The device as it was chosen and configured: which, and what is wished of it.
public struct DeviceChoice: Sendable {
    /// Microphone.
    public var input: DeviceSpecification
    /// Loudspeaker.
    public var output: DeviceSpecification
    /// Rate of the device in Hz; `nil` leaves it to the device.
    public var sampleRate: Int?
    /// Period of the device in ms; `nil` leaves it to the device.
    public var periodMilliseconds: Double?
    /// Whether real-time priority is asked for.
    public var realtime = true
    /// Whether threads of many calls without a device are tied to cores.
    public var pinsThreads = false
    /// Which echo canceller, at which quality, where voice is processed.
    public var voice = VoiceProcessingConfiguration()
    /// Whether a device that waits for who writes its file, a named pipe, is to wait any longer.
    public var isWanted: @Sendable () -> Bool = { true }
    /// The device, running already; `nil`: it is opened when it is needed.
    var standby: StandbyDevice?

    /// Everything but the devices at its default.
    public init(input: DeviceSpecification, output: DeviceSpecification) {
        self.input = input
        self.output = output
    }

    /// As the configuration says.
    ///
    /// - Throws: a device's name that means nothing.
    public init(_ configuration: Configuration) throws(SoftphoneError) {
        let names = configuration.deviceNames
        (input, output) = (try Self.device(names.input), try Self.device(names.output))
        sampleRate = configuration[\.audio.rate]
        periodMilliseconds = configuration[\.audio.period]
        realtime = configuration[\.audio.realtime]
        pinsThreads = configuration[\.audio.pin]
        voice = configuration.voice
    }

    /// The threads that calls share whose device lets others move it.
    package var loops: SessionLoops { .shared(pinned: pinsThreads) }

    /// The device of a name.
    public static func device(_ name: String) throws(SoftphoneError) -> DeviceSpecification {
        do { return try DeviceSpecification(parsing: name) } catch { throw .device(error) }
    }

    /// The I/O unit on the device, its wishes set.
    /// - Parameter audio: the session it becomes part of.
    package func makeUnit(
        voiceProcessing: Bool, seed: UInt64 = 1, playbackChannels: Int = 1, audio: AudioSession? = nil
    ) throws(CallError) -> any InputOutputUnit {
        var deviceOptions = DeviceOptions(seed: seed)
        deviceOptions.nearEnd = []
        deviceOptions.isWanted = isWanted
        let device: any HardwareDevice
        do throws(DeviceError) {
            if let standby { device = standby } else { device = try makeDevice(input, output, options: deviceOptions) }
        } catch {
            throw .device(error)
        }
        let processing = voiceProcessing ? VoiceProcessingIO(device: device) : nil
        let unit: any InputOutputUnit = processing ?? RemoteIO(device: device)
        var preferences = self.preferences
        if playbackChannels > 1 { preferences.playbackChannels = playbackChannels }
        do {
            try processing?.setConfiguration(voice)
            if let audio {
                try audio.attach(unit, request: preferences)
            } else {
                try unit.setDevicePreferences(preferences)
            }
        } catch {
            throw .audioUnit(error)
        }
        return unit
    }

    /// The file that takes what is heard, in place of a loudspeaker; `nil`: there is none.
    var playedFile: String? {
        get { if case .file(_, let path, _) = output { path } else { nil } }
        set {
            guard case .file(let capture, _, let loop) = output else { return }
            let isOneDevice = input == output
            output = .file(capture: capture, playback: newValue, loop: loop)
            if isOneDevice { input = output }
        }
    }

    /// The same for these calls: where nobody hears or speaks any rate will do, and at theirs nothing is converted.
    func fitting(_ parties: [CallParty]) -> DeviceChoice {
        let rates = Set(parties.map(\.configuration.stream.audioRate))
        guard input == .null, output == .null, sampleRate == nil, rates.count == 1, let rate = rates.first else { return self }
        var choice = self
        choice.sampleRate = rate
        return choice
    }

    private var preferences: DeviceRequest {
        var preferences = DeviceRequest()
        preferences.sampleRate = sampleRate.map(Double.init)
        preferences.periodMilliseconds = periodMilliseconds
        preferences.realtimePriority = realtime ? CallSession.devicePriority : nil
        return preferences
    }

    /// Whether the device may run before anybody talks. Files and programs wait until somebody does; where there is no device nothing
    /// takes its time to begin.
    var canStandBy: Bool {
        (input != .null || output != .null) && [input, output].allSatisfy { $0.isHardware || $0 == .null }
    }

    /// The device, running before anybody talks, so that nothing is cut off then.
    /// - Returns: nil: it cannot run yet, and is opened when it is needed.
    func makeStandby() -> StandbyDevice? {
        var request = preferences
        (request.capture, request.playback) = (true, true)
        do throws(DeviceError) {
            let device = StandbyDevice(try makeDevice(input, output))
            try device.standBy(request)
            return device
        } catch {
            logger.debug("the device does not run before the answer: \(error)")
            return nil
        }
    }
}

extension Configuration {
    /// How a call's voice is processed: every key that says so, in one place.
    fileprivate var voice: VoiceProcessingConfiguration {
        var voice = VoiceProcessingConfiguration()
        voice.canceller = VoiceProcessingConfiguration.Canceller(self[\.audio.echoCanceller])
        voice.quality = self[\.audio.quality]
        return voice
    }
}
