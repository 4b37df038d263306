import DSP

/// SpeexDSP's own chain, to compare with: linear canceller, then its suppressor for residual echo and noise; 16 bit.
struct SpeexEchoStage: ~Copyable {
    private let canceller: EchoCanceller
    private var suppressor: Suppressor
    private let blockFrames: Int
    private let microphone: UnsafeMutablePointer<Int16>
    private let reference: UnsafeMutablePointer<Int16>
    private let output: UnsafeMutablePointer<Int16>

    init(
        blockFrames: Int, sampleRate: Int, settings: SpeexDSPSettings, quality: VoiceProcessingConfiguration.Quality,
        noiseDecibels: Double
    ) throws(AudioUnitError) {
        let tail = Int(settings.tailMilliseconds(at: quality) * Double(sampleRate) / 1000)
        let canceller = try EchoCanceller(blockFrames: blockFrames, tailFrames: tail, sampleRate: sampleRate)
        let suppressor = try Suppressor(
            blockFrames: blockFrames, sampleRate: sampleRate, echo: canceller.state, settings: settings,
            noiseDecibels: noiseDecibels)
        self.canceller = canceller
        self.suppressor = suppressor
        self.blockFrames = blockFrames
        func samples() -> UnsafeMutablePointer<Int16> {
            let block = UnsafeMutablePointer<Int16>.allocate(capacity: blockFrames)
            block.initialize(repeating: 0, count: blockFrames)
            return block
        }
        microphone = samples()
        reference = samples()
        output = samples()
    }

    deinit {
        microphone.deallocate()
        reference.deallocate()
        output.deallocate()
    }

    /// One block from `buffers.microphone` to `buffers.output`.
    @_noLocks
    mutating func process(
        _ buffers: VoiceBuffers, hasMoved: Bool, cancels: Bool, suppressesNoise: Bool, taps: VoiceTaps
    ) {
        let count = blockFrames
        SampleConversion.toInt16(buffers.microphone, count: count, into: microphone)
        if hasMoved { canceller.reset() }
        if cancels {
            SampleConversion.toInt16(buffers.reference, count: count, into: reference)
            canceller.process(microphone, reference: reference, into: output)
        } else {
            for index in 0..<count { output[index] = microphone[index] }
        }
        SampleConversion.toFloat(output, count: count, into: buffers.output)
        taps.write(.afterEchoCancellation, buffers.output, count: count)
        suppressor.process(output, noise: suppressesNoise, residualEcho: cancels)
        SampleConversion.toFloat(output, count: count, into: buffers.output)
        taps.write(.afterResidualSuppression, buffers.output, count: count)
    }
}
