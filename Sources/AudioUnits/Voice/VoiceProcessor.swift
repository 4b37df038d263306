import DSP
import Realtime
import Synchronization

/// The voice-processing stage: collects 10 ms blocks of the microphone and sends each through echo control, gain control,
/// limiter and mute.
///
/// ```
/// mic -> 10 ms blocks -> EchoStage -> GainControl -> TruePeakLimiter -> [bypass?] -> [mute?] -> out
///                           ^ reference <- ReferenceWriter (playback thread)
/// ```
/// Added delay: collecting a block, plus 10 ms for the overlap of the spectral parts. Bypassed there is none, and samples
/// pass untouched, while the processing goes on behind, so that nothing is unlearnt. Switches fade within 10 ms. Only the
/// capture thread uses it.
struct VoiceProcessor: ~Copyable {
    let blockFrames: Int
    private let sampleRate: Double
    private let controls: UnsafePointer<VoiceControls>
    private let echoMeters: UnsafePointer<EchoMeters>
    private let meters: UnsafePointer<UnitMeters>
    private var echo: EchoStage
    private var gain: GainControl
    private var limiter: TruePeakLimiter
    private var monitor: EchoMonitor
    private var health: VoiceHealth
    private let taps: VoiceTaps
    private let buffers: VoiceBuffers
    /// Samples collected towards the next block.
    private var collected = 0
    /// Microphone samples seen since the start, collected ones included.
    private var position: Int64 = 0
    private var worstWait = 0.0
    /// Whether samples pass at once; follows `isBypassed` from block to block, and from the first sample on.
    private var isDirect: Bool?
    private var processing = SwitchFade(isOn: true)
    private var voice = SwitchFade(isOn: true)
    /// Of gain control, as the first block finds it.
    private var gaining: SwitchFade?

    init(
        sampleRate: Double, configuration: VoiceProcessingConfiguration, source: consuming ReferenceSource,
        taps: VoiceTaps, controls: UnsafePointer<VoiceControls>, echoMeters: UnsafePointer<EchoMeters>,
        meters: UnsafePointer<UnitMeters>
    ) throws(AudioUnitError) {
        let tuning = configuration.tuning
        let stage = try EchoStage(
            sampleRate: sampleRate, configuration: configuration, source: source, meters: echoMeters)
        let limiter = try TruePeakLimiter(
            blockFrames: Int(sampleRate / 100), sampleRate: sampleRate, tuning: tuning.gain.limiter)
        blockFrames = Int(sampleRate / 100)
        echo = stage
        self.sampleRate = sampleRate
        self.controls = controls
        self.echoMeters = echoMeters
        self.meters = meters
        gain = GainControl(
            target: linear(configuration.gainTargetDecibels), maximumGain: linear(configuration.maximumGainDecibels),
            releaseMilliseconds: configuration.gainReleaseMilliseconds, tuning: tuning.gain, activity: tuning.activity)
        monitor = EchoMonitor(tuning: tuning.monitor.echo, activity: tuning.activity)
        health = VoiceHealth(tuning: tuning.monitor.health, activity: tuning.activity)
        self.limiter = limiter
        self.taps = taps
        buffers = VoiceBuffers(blockFrames: blockFrames)
    }

    deinit { buffers.free() }

    /// How much older the next sample to come out is than the next one to go in, in frames.
    var delayFrames: Int {
        @_noLocks get { isDirect ?? isBypassed ? 0 : collected &+ blockFrames }
    }

    private var isBypassed: Bool {
        @_noLocks get { controls.pointee.isBypassed.load(ordering: .relaxed) }
    }

    private var isMuted: Bool {
        @_noLocks get { controls.pointee.isMuted.load(ordering: .relaxed) }
    }

    /// Takes `count` samples whose first was at the microphone at host time `seconds`; returns how many came out.
    ///
    /// `capacity` must hold `count` and one block more.
    @_noLocks
    mutating func process(
        _ input: UnsafePointer<Float>, count: Int, seconds: Double, captureClock: DeviceClock,
        into output: UnsafeMutablePointer<Float>, capacity: Int
    ) -> Int {
        if isDirect == nil { begin() }
        var produced = 0
        var used = 0
        while used < count {
            let taken = min(blockFrames &- collected, count &- used)
            guard produced &+ max(blockFrames, taken) <= capacity else { break }
            for index in 0..<taken { buffers.microphone[collected &+ index] = bounded(input[used &+ index]) }
            if isDirect == true {
                for index in 0..<taken { output[produced &+ index] = input[used &+ index] }
                produced = deliver(output, from: produced, count: taken)
            }
            collected &+= taken
            used &+= taken
            position &+= Int64(taken)
            guard collected == blockFrames else { continue }
            collected = 0
            block(startedAt: seconds + Double(used &- blockFrames) / sampleRate, clock: captureClock)
            let wantsBypass = isBypassed
            if isDirect != true {
                processing.mix(buffers.output, over: buffers.microphone, count: blockFrames, isOn: !wantsBypass)
                for index in 0..<blockFrames { output[produced &+ index] = buffers.output[index] }
                produced = deliver(output, from: produced, count: blockFrames)
            }
            isDirect = wantsBypass
        }
        worstWait = max(Double(collected), worstWait * 0.999)
        meters.pointee.processing.store(
            isDirect == true ? 0 : (worstWait + Double(blockFrames)) / sampleRate * 1000)
        return produced
    }

    /// The switches as they are at the first sample hold without a fade.
    @_noLocks
    private mutating func begin() {
        isDirect = isBypassed
        processing = SwitchFade(isOn: !isBypassed)
        voice = SwitchFade(isOn: !isMuted)
    }

    /// Mutes last, after everything that learns; returns where the next samples go.
    @_noLocks
    private mutating func deliver(_ output: UnsafeMutablePointer<Float>, from start: Int, count: Int) -> Int {
        voice.scale(output + start, count: count, isOn: !isMuted, length: blockFrames)
        taps.write(.output, output + start, count: count)
        return start &+ count
    }

    /// Who speaks in the output, as far as gain control may believe it.
    ///
    /// What is left of an echo looks like somebody until the filters track, while nobody is confirmed, where most of the
    /// microphone was echo, and while the room rings on. Without an echo path all that is heard is the near end.
    @_noLocks
    private func nearEnd(_ reading: EchoStage.Reading) -> NearEndActivity {
        guard let presence = reading.presence else {
            return monitor.nearEnd(buffers.output, count: blockFrames)
        }
        if health.hasNoEchoPath { return NearEndActivity(isFarActive: monitor.isFarActive, presence: 1) }
        let isBelieved = reading.phase == .tracking && reading.isConfirmed && monitor.isMostlyNear && !reading.mayBeTail
        return NearEndActivity(
            isFarActive: monitor.isFarActive || reading.mayBeTail, presence: isBelieved ? presence : 0)
    }

    /// One block from `buffers.microphone` to `buffers.output`.
    @_noLocks
    private mutating func block(startedAt seconds: Double, clock: DeviceClock) {
        let count = blockFrames
        let reading = echo.process(
            buffers, position: position &- Int64(count), seconds: seconds, clock: clock, effort: controls.pointee.effort,
            cancels: controls.pointee.echoCancellation.load(ordering: .relaxed),
            suppressesNoise: controls.pointee.noiseSuppression.load(ordering: .relaxed), taps: taps)
        monitor.update(
            far: meanPower(buffers.reference, count: count), microphone: meanPower(buffers.microphone, count: count),
            output: meanPower(buffers.output, count: count), presence: reading.presence, meters: echoMeters)
        health.update(
            microphone: buffers.microphone, reference: buffers.reference, count: count, reading: reading,
            monitor: monitor, meters: echoMeters)
        let isControlled = controls.pointee.automaticGainControl.load(ordering: .relaxed)
        if gaining == nil { gaining = SwitchFade(isOn: isControlled) }
        guard var fade = gaining, isControlled || !fade.isSettled(isOn: false) else { return }
        if !fade.isSettled(isOn: isControlled) {
            for index in 0..<count { buffers.plain[index] = buffers.output[index] }
        }
        gain.process(buffers.output, count: count, nearEnd: nearEnd(reading))
        limiter.process(buffers.output, count: count)
        fade.mix(buffers.output, over: buffers.plain, count: count, isOn: isControlled)
        gaining = fade
    }
}
