import DSP

/// Takes the echo of the reference out of the microphone: linear filters, residual suppression, comfort noise.
///
/// Works on blocks of 10 ms at `rate`, and adds exactly one block of delay. Rates over 16 kHz that are a multiple of it are
/// judged at 16 kHz (`processingRate`). Samples have full scale 1.
struct EchoController: ~Copyable {
    /// Hz, of the blocks that go in and out.
    let rate: Int
    /// Frames of these blocks: 10 ms.
    let blockFrames: Int
    /// Hz, of `microphoneBlock` and `echoBlock`, and twice the highest frequency of the spectra.
    let processingRate: Int
    /// Frames of `microphoneBlock` and `echoBlock`: 10 ms.
    let processingFrames: Int
    /// What the last block told.
    private(set) var readings = EchoControlReadings()

    /// Whether blocks at `rate` Hz can be processed: 8, 12, 16, 24, 32, 48 kHz.
    static func supports(rate: Int) -> Bool { [8_000, 12_000, 16_000, 24_000, 32_000, 48_000].contains(rate) }

    init(rate: Int, effort: EchoControlEffort) throws(AudioUnitError) {
        guard Self.supports(rate: rate) else {
            throw .formatUnsupported(
                StreamFormat(sampleRate: Double(rate), channels: 1), reason: "echo control runs at 8, 12, 16, 24, 32 or 48 kHz")
        }
        self.rate = rate
        blockFrames = rate / 100
        processingRate = rate > 16_000 && rate % 16_000 == 0 ? 16_000 : rate
        processingFrames = processingRate / 100
    }

    /// Age of the oldest sample of a block that comes out over that of the block that went in: one block.
    var delayFrames: Int {
        @_noLocks get { blockFrames }
    }

    /// The last block of the microphone as the filters see it (delayed by 1.25 ms, without the lowest frequencies); valid
    /// until the next `process`, as the next three.
    var microphoneBlock: UnsafePointer<Float> { @_noLocks get { fatalError() } }
    /// The Kalman filter's estimate of the echo in `microphoneBlock`.
    var echoBlock: UnsafePointer<Float> { @_noLocks get { fatalError() } }
    /// The last two `microphoneBlock`s under the analysis window, `processingFrames + 1` bins.
    var microphoneSpectrum: UnsafePointer<Complex> { @_noLocks get { fatalError() } }
    /// The same of `echoBlock`: with it, all that the drift loop needs.
    var echoSpectrum: UnsafePointer<Complex> { @_noLocks get { fatalError() } }

    /// One block of 10 ms: `microphone`, and the `reference` that was (about) at the loudspeaker while it was taken, aligned
    /// a little early. `output` may be `microphone`.
    @_noLocks
    mutating func process(
        microphone: UnsafePointer<Float>, reference: UnsafePointer<Float>, alignment: ReferenceAlignment,
        into output: UnsafeMutablePointer<Float>
    ) {
    }

    /// Forgets the room.
    @_noLocks
    mutating func reset() {}
}
