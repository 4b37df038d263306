import DSP

/// Echo control of the kind that was configured, the alignment of its reference included.
///
/// ```
/// mic ------------------------------+-> EchoController (or SpeexEchoStage) -> out, one block later
/// ReferenceAligner -> reference ----+         |
///        ^------- spectra, for the drift -----+
/// ```
/// Switched off it goes on learning, and the microphone takes the same time to come through, so that a switch never moves
/// the audio.
struct EchoStage: ~Copyable {
    /// What a block told.
    struct Reading: BitwiseCopyable {
        var alignment = ReferenceAlignment()
        /// Near-end voice over the residual echo, 0 ... 1; nil where nothing tells.
        var presence: Float?
        /// Whether somebody was confirmed to be heard lately.
        var isConfirmed = false
        /// Whether what is heard may be the room's tail after an echo.
        var mayBeTail = false
        var phase: EchoControlPhase?

        @_noLocks
        init() {}
    }

    private var aligner: ReferenceAligner
    /// One of these two.
    private let controller: UnsafeMutablePointer<EchoController>?
    private let speex: UnsafeMutablePointer<SpeexEchoStage>?
    private let meters: UnsafePointer<EchoMeters>
    /// Ratio of powers before and after the filters from which they cancel.
    private let cancelsFrom: Float
    private let blockFrames: Int
    private let previous: UnsafeMutablePointer<Float>
    private let linear: UnsafeMutablePointer<Float>
    private var fade = SwitchFade(isOn: true)
    private var isCancelling = false

    init(
        sampleRate: Double, configuration: VoiceProcessingConfiguration, source: consuming ReferenceSource,
        meters: UnsafePointer<EchoMeters>
    ) throws(AudioUnitError) {
        let frames = Int(sampleRate / 100)
        switch configuration.canceller {
        case .yodel:
            let built = try EchoController(
                rate: Int(sampleRate), effort: configuration.quality.effort,
                noiseDecibels: configuration.noiseSuppressionDecibels, tuning: configuration.tuning)
            aligner = try ReferenceAligner(
                source: source, rate: sampleRate, blockFrames: frames, spectrumRate: built.processingRate,
                followsAudio: true, tuning: configuration.tuning)
            controller = .allocate(capacity: 1)
            controller?.initialize(to: built)
            speex = nil
        case .speexdsp(let settings):
            let built = try SpeexEchoStage(
                blockFrames: frames, sampleRate: Int(sampleRate), settings: settings, quality: configuration.quality,
                noiseDecibels: configuration.noiseSuppressionDecibels)
            aligner = try ReferenceAligner(
                source: source, rate: sampleRate, blockFrames: frames, spectrumRate: Int(sampleRate),
                followsAudio: false, tuning: configuration.tuning)
            speex = .allocate(capacity: 1)
            speex?.initialize(to: built)
            controller = nil
        }
        self.meters = meters
        cancelsFrom = configuration.tuning.cancellation.control.cancels
        blockFrames = frames
        previous = cleared(frames)
        linear = cleared(frames)
    }

    deinit {
        controller?.deinitialize(count: 1)
        controller?.deallocate()
        speex?.deinitialize(count: 1)
        speex?.deallocate()
        previous.deallocate()
        linear.deallocate()
    }

    /// Takes what has been rendered while nothing is processed.
    @_noLocks
    mutating func drain() { aligner.drain() }

    /// One block from `buffers.microphone` to `buffers.output`; it begins at `position` of the microphone's stream and host
    /// time `seconds`. `effort` does not count with SpeexDSP alone.
    @_noLocks
    mutating func process(
        _ buffers: VoiceBuffers, position: Int64, seconds: Double, clock: DeviceClock, effort: EchoControlEffort,
        cancels: Bool, suppressesNoise: Bool, taps: VoiceTaps
    ) -> Reading {
        var reading = Reading()
        reading.alignment = aligner.next(
            buffers.reference, microphone: buffers.microphone, count: blockFrames, position: position,
            micSeconds: seconds, captureClock: clock, isCancelling: isCancelling, meters: meters)
        taps.write(.microphone, buffers.microphone, count: blockFrames)
        taps.write(.reference, buffers.reference, count: blockFrames)
        if let controller {
            controller.pointee.setEffort(effort)
            control(
                controller, buffers, &reading, cancels: cancels, suppressesNoise: suppressesNoise, taps: taps)
        } else {
            speex?.pointee.process(
                buffers, hasMoved: reading.alignment.hasMoved, cancels: cancels, suppressesNoise: suppressesNoise,
                taps: taps)
        }
        return reading
    }

    @_noLocks
    private mutating func control(
        _ controller: UnsafeMutablePointer<EchoController>, _ buffers: VoiceBuffers, _ reading: inout Reading, cancels: Bool,
        suppressesNoise: Bool, taps: VoiceTaps
    ) {
        controller.pointee.process(
            microphone: buffers.microphone, reference: buffers.reference, alignment: reading.alignment,
            cancels: cancels, suppressesNoise: suppressesNoise, into: buffers.output,
            linear: taps.has(.afterEchoCancellation) ? linear : nil)
        taps.write(.afterEchoCancellation, linear, count: blockFrames)
        let readings = controller.pointee.readings
        aligner.follow(
            microphone: controller.pointee.microphoneSpectrum, echo: controller.pointee.echoSpectrum,
            presence: readings.nearEndPresence)
        isCancelling = readings.cancellation > cancelsFrom
        reading.presence = readings.nearEndPresence
        reading.isConfirmed = readings.nearEndIsConfirmed
        reading.mayBeTail = readings.mayBeTail
        reading.phase = readings.phase
        taps.write(.afterResidualSuppression, buffers.output, count: blockFrames)
        fade.mix(buffers.output, over: previous, count: blockFrames, isOn: cancels || suppressesNoise)
        for index in 0..<blockFrames { previous[index] = buffers.microphone[index] }
    }
}
