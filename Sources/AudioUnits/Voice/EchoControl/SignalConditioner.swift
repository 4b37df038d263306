import DSP

/// Brings microphone and reference into the shape that echo control works on: finite, without rumble, at the processing
/// rate, the microphone 1.25 ms late.
///
/// That delay is what the block's synthesis leaves of 10 ms; it lets an echo be found that seems to come before its
/// reference. Where the rate is lowered it is the decimator's own.
struct SignalConditioner: ~Copyable {
    /// The microphone at the processing rate, before and after `DCNotch`; the reference; a block each.
    let plain: UnsafeMutablePointer<Float>
    let microphone: UnsafeMutablePointer<Float>
    let reference: UnsafeMutablePointer<Float>
    /// The microphone at the unit's rate, in step with the others, and the reference, that much earlier.
    let wide: UnsafeMutablePointer<Float>
    let wideReference: UnsafeMutablePointer<Float>
    private let block: Int
    private let wideBlock: Int
    private let raw: UnsafeMutablePointer<Float>
    private var microphoneHighPass: HighPass
    private var referenceHighPass: HighPass
    private var notch: DCNotch
    private var wideNotch: DCNotch
    private var delay: DelayLine
    /// For microphone and reference, where the rate is lowered.
    private let decimators: UnsafeMutablePointer<Decimator>?

    /// - Parameters:
    ///   - rate: of the blocks that come, in Hz.
    ///   - factor: how many times the processing rate is lower; 1 or 2...6.
    init(rate: Int, factor: Int, tuning: ConditionerTuning) throws(AudioUnitError) {
        let lead = OverlapWindow.lead(block: rate / 100)
        decimators = try Self.makeDecimators(factor: factor, delay: lead, block: rate / 100)
        wideBlock = rate / 100
        block = wideBlock / factor
        plain = cleared(block)
        microphone = cleared(block)
        reference = cleared(block)
        wide = cleared(wideBlock)
        wideReference = cleared(wideBlock)
        raw = cleared(wideBlock)
        microphoneHighPass = HighPass(rate: rate, cutoff: tuning.highPass)
        referenceHighPass = microphoneHighPass
        notch = DCNotch(rate: rate / factor, isGentle: true)
        wideNotch = DCNotch(rate: rate, decimated: factor)
        delay = DelayLine(delay: lead, block: wideBlock)
    }

    private static func makeDecimators(
        factor: Int, delay: Int, block: Int
    ) throws(AudioUnitError) -> UnsafeMutablePointer<Decimator>? {
        guard factor > 1 else { return nil }
        do {
            let first = try Decimator(factor: factor, delay: delay, blockLength: block)
            let second = try Decimator(factor: factor, delay: delay, blockLength: block)
            let pair = UnsafeMutablePointer<Decimator>.allocate(capacity: 2)
            pair.initialize(to: first)
            (pair + 1).initialize(to: second)
            return pair
        } catch {
            throw .noResources(reason: "decimator: \(error)")
        }
    }

    deinit {
        for place in [plain, microphone, reference, wide, wideReference, raw] { place.deallocate() }
        decimators?.deinitialize(count: 2)
        decimators?.deallocate()
    }

    /// What the decimators leave of each of the first `bins` bins' amplitude, 50 Hz apart.
    func amplitudes(bins: Int) -> [Float] {
        (0..<bins).map { bin in
            Float(decimators?.pointee.amplitude(at: Double(bin) / Double(2 * wideBlock)) ?? 1)
        }
    }

    /// One block of each at the unit's rate.
    @_noLocks
    mutating func process(microphone mic: UnsafePointer<Float>, reference far: UnsafePointer<Float>) {
        sanitize(far)
        referenceHighPass.process(raw, count: wideBlock, into: wideReference)
        if let decimators {
            (decimators + 1).pointee.process(wideReference, into: reference)
        } else {
            for index in 0..<block { reference[index] = wideReference[index] }
        }
        sanitize(mic)
        microphoneHighPass.process(raw, count: wideBlock, into: raw)
        delay.process(raw, into: wide)
        if let decimators {
            decimators.pointee.process(raw, into: plain)
            wideNotch.process(wide, count: wideBlock)
        } else {
            for index in 0..<block { plain[index] = wide[index] }
        }
        for index in 0..<block { microphone[index] = plain[index] }
        notch.process(microphone, count: block)
        if decimators == nil {
            for index in 0..<block { wide[index] = microphone[index] }
        }
    }

    /// Only numbers, of which nothing that is computed from them overflows.
    @_noLocks
    private func sanitize(_ input: UnsafePointer<Float>) {
        for index in 0..<wideBlock {
            let sample = input[index]
            // NaN fails both comparisons.
            raw[index] = sample > -4 ? (sample < 4 ? sample : 4) : (sample <= -4 ? -4 : 0)
        }
    }
}
