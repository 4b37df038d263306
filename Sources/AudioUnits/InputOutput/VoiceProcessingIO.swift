public import Realtime

/// Voice-processing I/O: Remote I/O plus echo cancellation, residual echo and noise suppression, gain control and mute.
///
/// Processing runs at the application's input rate in mono: 8,000, 12,000, 16,000, 24,000, 32,000 or 48,000 Hz, and with
/// SpeexDSP alone each multiple of 100 between them. The output element must have the same rate, so that what is played
/// serves as reference. Default formats: 48,000 Hz, Float32, mono.
public final class VoiceProcessingIO: InputOutputUnit, CoreUnit {
    /// Lowest and highest rate the processing runs at, in Hz. SpeexDSP alone takes each multiple of 100 in it; the default
    /// canceller 8,000, 12,000, 16,000, 24,000, 32,000 and 48,000.
    public static let sampleRates: ClosedRange<Double> = 8_000...48_000

    let core: IOCore
    private nonisolated(unsafe) let controls: UnsafeMutablePointer<VoiceControls>
    private nonisolated(unsafe) let echoMeters: UnsafeMutablePointer<EchoMeters>
    private nonisolated(unsafe) let taps: VoiceTaps
    private let settings = Lock(VoiceProcessingConfiguration())

    /// A unit over `device`, which it opens at `initialize()` and gives back at `uninitialize()`.
    public init(device: any HardwareDevice) {
        core = IOCore(device: device)
        controls = .allocate(capacity: 1)
        controls.initialize(to: VoiceControls())
        echoMeters = .allocate(capacity: 1)
        echoMeters.initialize(to: EchoMeters())
        taps = VoiceTaps(meters: core.meters)
    }

    deinit {
        core.dispose()
        taps.free()
        controls.deinitialize(count: 1)
        controls.deallocate()
        echoMeters.deinitialize(count: 1)
        echoMeters.deallocate()
    }

    /// Mutes the uplink: the input handler gets zeros, while the canceller and the gain control go on learning.
    public var isMuted: Bool {
        get { controls.pointee.isMuted.load(ordering: .relaxed) }
        set { controls.pointee.isMuted.store(newValue, ordering: .relaxed) }
    }

    /// Passes the microphone untouched, sample for sample what `RemoteIO` delivers (mute still applies).
    ///
    /// Switching on skips the 10 ms that are inside the suppressor; switching off repeats at most that much.
    public var isBypassed: Bool {
        get { controls.pointee.isBypassed.load(ordering: .relaxed) }
        set { controls.pointee.isBypassed.store(newValue, ordering: .relaxed) }
    }

    /// Echo cancellation with residual echo suppression; on by default.
    public var echoCancellation: Bool {
        get { controls.pointee.echoCancellation.load(ordering: .relaxed) }
        set { controls.pointee.echoCancellation.store(newValue, ordering: .relaxed) }
    }

    /// Suppression of steady background noise; on by default.
    public var noiseSuppression: Bool {
        get { controls.pointee.noiseSuppression.load(ordering: .relaxed) }
        set { controls.pointee.noiseSuppression.store(newValue, ordering: .relaxed) }
    }

    /// Automatic gain control (digital) with a limiter behind it; on by default.
    public var automaticGainControl: Bool {
        get { controls.pointee.automaticGainControl.load(ordering: .relaxed) }
        set { controls.pointee.automaticGainControl.store(newValue, ordering: .relaxed) }
    }

    /// How much work the processing may do; at any time. With SpeexDSP alone it counts at `initialize()`.
    public var quality: VoiceProcessingConfiguration.Quality {
        get { settings.withLock { $0.quality } }
        set {
            settings.withLock { $0.quality = newValue }
            controls.pointee.setQuality(newValue)
        }
    }

    /// How the processing is laid out.
    public var configuration: VoiceProcessingConfiguration { settings.withLock { $0 } }

    /// Lays the processing out anew, quality included; before `initialize()`.
    public func setConfiguration(_ configuration: VoiceProcessingConfiguration) throws(AudioUnitError) {
        try configuration.validate()
        try core.configure("voice-processing configuration") { _ in
            settings.withLock { $0 = configuration }
            controls.pointee.setQuality(configuration.quality)
            return nil
        }
    }

    /// How echo control is doing; from any thread.
    public var echoState: EchoState { echoMeters.pointee.state }

    /// Listens to a signal inside the processing, in place of an earlier listener; before `initialize()`.
    ///
    /// What the ring has no room for is dropped and counted. The ring is released when the unit is.
    public func setTap(_ signal: VoiceSignal, _ ring: consuming RingProducer<Float>) throws(AudioUnitError) {
        // A closure cannot consume its capture, so the ring goes in through an optional.
        var pending: RingProducer<Float>? = consume ring
        try core.configure("tap") { _ in
            if let ring = pending.take() { taps.attach(ring, to: signal) }
            return nil
        }
    }

    public var component: AudioComponentDescription { .voiceProcessingIO }

    public func initialize() throws(AudioUnitError) {
        let configuration = self.configuration
        try core.initialize { (control) throws(AudioUnitError) in
            echoMeters.pointee.forget()
            return try VoiceStageBuilder.make(
                control, configuration: configuration, taps: taps, controls: controls, echoMeters: echoMeters,
                meters: core.meters)
        }
    }
}
