import DSP

/// SpeexDSP's canceller as a second opinion: its echo estimate instead of its output.
package struct SpeexEcho: ~Copyable {
    private let canceller: EchoCanceller
    private let block: Int
    private let microphone: UnsafeMutablePointer<Int16>
    private let reference: UnsafeMutablePointer<Int16>
    private let output: UnsafeMutablePointer<Int16>
    private var relief: NotchRelief

    /// - Parameters:
    ///   - block: samples of a block, at `rate` Hz.
    ///   - tailFrames: samples that the echo path is long.
    package init(block: Int, tailFrames: Int, rate: Int) throws(AudioUnitError) {
        canceller = try EchoCanceller(blockFrames: block, tailFrames: tailFrames, sampleRate: rate)
        self.block = block
        relief = NotchRelief(rate: rate)
        microphone = .allocate(capacity: 3 * block)
        microphone.initialize(repeating: 0, count: 3 * block)
        reference = microphone + block
        output = microphone + 2 * block
    }

    deinit { microphone.deallocate() }

    /// Forgets the path.
    @_noLocks
    package func reset() { canceller.reset() }

    /// Estimates the echo in a block.
    ///
    /// - Parameters:
    ///   - plain: the microphone before the notch, which SpeexDSP applies itself.
    ///   - notched: the same block after the gentle `DCNotch`.
    @_noLocks
    package mutating func process(
        plain: UnsafePointer<Float>, notched: UnsafePointer<Float>, reference far: UnsafePointer<Float>,
        into echo: UnsafeMutablePointer<Float>
    ) {
        SampleConversion.toInt16(plain, count: block, into: microphone)
        SampleConversion.toInt16(far, count: block, into: reference)
        canceller.process(microphone, reference: reference, into: output)
        if relief.isIdle {
            for index in 0..<block { echo[index] = notched[index] - SampleConversion.toFloat(output[index]) }
            return
        }
        for index in 0..<block { echo[index] = notched[index] - relief.next(SampleConversion.toFloat(output[index])) }
        relief.settle()
    }
}
