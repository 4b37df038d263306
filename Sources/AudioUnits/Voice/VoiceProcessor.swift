import DSP
import Realtime
import Synchronization

/// The voice-processing stage: collects 10 ms blocks of the microphone and sends each through
/// reference alignment, echo cancellation, residual and noise suppression, gain control, limiter and mute.
///
/// ```
/// mic -> [bypass?] -> 10 ms blocks -> EchoCanceller -> Suppressor -> GainControl -> Limiter -> [mute] -> out
///                                          ^ ReferenceAligner <- ReferenceWriter (playback thread)
/// ```
/// Added delay: collecting a block, plus 10 ms for the suppressor's overlap. Bypassed there is none, and samples pass
/// untouched. Only the capture thread uses it.
struct VoiceProcessor: ~Copyable {
    let blockFrames: Int
    private let sampleRate: Double
    private let controls: UnsafePointer<VoiceControls>
    private let echoMeters: UnsafePointer<EchoMeters>
    private let meters: UnsafePointer<UnitMeters>
    private var aligner: ReferenceAligner
    private let canceller: EchoCanceller
    private var suppressor: Suppressor
    private var gain: GainControl
    private var limiter: TruePeakLimiter
    private var monitor = EchoMonitor()
    private let taps: VoiceTaps
    private let buffers: VoiceBuffers
    /// Samples collected towards the next block.
    private var collected = 0
    /// Microphone samples seen since the start, collected ones included.
    private var position: Int64 = 0
    private var worstWait = 0.0

    init(
        sampleRate: Double, configuration: VoiceProcessingConfiguration, aligner: consuming ReferenceAligner,
        taps: VoiceTaps, controls: UnsafePointer<VoiceControls>, echoMeters: UnsafePointer<EchoMeters>,
        meters: UnsafePointer<UnitMeters>
    ) throws(AudioUnitError) {
        let block = Int(sampleRate / 100)
        let tail = Int(configuration.effectiveTailMilliseconds * sampleRate / 1000)
        let canceller = try EchoCanceller(blockFrames: block, tailFrames: tail, sampleRate: Int(sampleRate))
        let suppressor = try Suppressor(
            blockFrames: block, sampleRate: Int(sampleRate), echo: canceller.state, configuration: configuration)
        blockFrames = block
        self.sampleRate = sampleRate
        self.controls = controls
        self.echoMeters = echoMeters
        self.meters = meters
        self.aligner = aligner
        self.canceller = canceller
        self.suppressor = suppressor
        gain = GainControl(
            target: linear(configuration.gainTargetDecibels), maximumGain: linear(configuration.maximumGainDecibels),
            releaseMilliseconds: configuration.gainReleaseMilliseconds)
        limiter = try TruePeakLimiter(blockFrames: block, sampleRate: sampleRate)
        self.taps = taps
        buffers = VoiceBuffers(blockFrames: block)
    }

    deinit { buffers.free() }

    /// How much older the next sample to come out is than the next one to go in, in frames.
    var delayFrames: Int {
        @_noLocks get { collected &+ (isBypassed ? 0 : blockFrames) }
    }

    private var isBypassed: Bool {
        @_noLocks get { controls.pointee.isBypassed.load(ordering: .relaxed) }
    }

    /// Takes `count` samples whose first was at the microphone at host time `seconds`; returns how many came out.
    ///
    /// `capacity` must hold `count` and one block more.
    @_noLocks
    mutating func process(
        _ input: UnsafePointer<Float>, count: Int, seconds: Double, captureClock: DeviceClock,
        into output: UnsafeMutablePointer<Float>, capacity: Int
    ) -> Int {
        if isBypassed {
            meters.pointee.processing.store(0)
            return pass(input, count: count, into: output, capacity: capacity)
        }
        var produced = 0
        var used = 0
        while used < count {
            let taken = min(blockFrames &- collected, count &- used)
            for index in 0..<taken { buffers.microphone[collected &+ index] = input[used &+ index] }
            collected &+= taken
            used &+= taken
            position &+= Int64(taken)
            guard collected == blockFrames, produced &+ blockFrames <= capacity else { continue }
            let start = seconds + Double(used &- blockFrames) / sampleRate
            block(startedAt: start, clock: captureClock)
            for index in 0..<blockFrames { output[produced &+ index] = buffers.output[index] }
            produced &+= blockFrames
            collected = 0
        }
        worstWait = max(Double(collected), worstWait * 0.999)
        meters.pointee.processing.store((worstWait + Double(blockFrames)) / sampleRate * 1000)
        return produced
    }

    /// Bypassed: what had been collected goes first, so that no sample is lost at the switch.
    @_noLocks
    private mutating func pass(
        _ input: UnsafePointer<Float>, count: Int, into output: UnsafeMutablePointer<Float>, capacity: Int
    ) -> Int {
        aligner.drain()
        let held = collected
        let total = min(held &+ count, capacity)
        for index in 0..<held { output[index] = buffers.microphone[index] }
        for index in held..<max(held, total) { output[index] = input[index &- held] }
        collected = 0
        position &+= Int64(total &- held)
        taps.write(.microphone, output, count: total)
        taps.writeSilence(.reference, count: total)
        taps.write(.afterEchoCancellation, output, count: total)
        if controls.pointee.isMuted.load(ordering: .relaxed) { zero(output, frames: total) }
        taps.write(.output, output, count: total)
        return total
    }

    /// One block from `buffers.microphone` to `buffers.output`.
    @_noLocks
    private mutating func block(startedAt seconds: Double, clock: DeviceClock) {
        let count = blockFrames
        let cancels = controls.pointee.echoCancellation.load(ordering: .relaxed)
        let hasReference = aligner.next(
            buffers.reference, count: count, position: position &- Int64(count), micSeconds: seconds,
            captureClock: clock, meters: echoMeters)
        taps.write(.microphone, buffers.microphone, count: count)
        taps.write(.reference, buffers.reference, count: count)
        SampleConversion.toInt16(buffers.microphone, count: count, into: buffers.microphone16)
        if aligner.hasMoved { canceller.reset() }
        if cancels {
            SampleConversion.toInt16(buffers.reference, count: count, into: buffers.reference16)
            canceller.process(buffers.microphone16, reference: buffers.reference16, into: buffers.output16)
        } else {
            for index in 0..<count { buffers.output16[index] = buffers.microphone16[index] }
        }
        if taps.has(.afterEchoCancellation) {
            SampleConversion.toFloat(buffers.output16, count: count, into: buffers.output)
            taps.write(.afterEchoCancellation, buffers.output, count: count)
        }
        suppressor.process(
            buffers.output16, noise: controls.pointee.noiseSuppression.load(ordering: .relaxed),
            residualEcho: cancels)
        SampleConversion.toFloat(buffers.output16, count: count, into: buffers.output)
        monitor.update(
            far: hasReference ? meanPower(buffers.reference, count: count) : 0,
            microphone: meanPower(buffers.microphone, count: count),
            output: meanPower(buffers.output, count: count), meters: echoMeters)
        if controls.pointee.automaticGainControl.load(ordering: .relaxed) {
            gain.process(buffers.output, count: count, nearEnd: monitor.nearEnd(buffers.output, count: count))
            limiter.process(buffers.output, count: count)
        }
        // After everything else: the canceller and the gain go on learning while nobody is heard.
        if controls.pointee.isMuted.load(ordering: .relaxed) { zero(buffers.output, frames: count) }
        taps.write(.output, buffers.output, count: count)
    }
}
