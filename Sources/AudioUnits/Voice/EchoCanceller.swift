import CSpeexDSP

/// SpeexDSP's linear echo canceller (MDF: Soo and Pang 1990; step size in double talk: Valin 2007) on 10 ms blocks.
package struct EchoCanceller: ~Copyable {
    /// The C state; the residual suppressor reads its leakage estimate.
    let state: OpaquePointer

    /// - Parameters:
    ///   - blockFrames: samples of a block.
    ///   - tailFrames: samples that the echo path is long.
    ///   - sampleRate: Hz.
    package init(blockFrames: Int, tailFrames: Int, sampleRate: Int) throws(AudioUnitError) {
        guard let state = speex_echo_state_init(Int32(blockFrames), Int32(tailFrames)) else {
            throw .noResources(reason: "echo canceller")
        }
        var rate = Int32(sampleRate)
        speex_echo_ctl(state, SPEEX_ECHO_SET_SAMPLING_RATE, &rate)
        self.state = state
    }

    deinit { speex_echo_state_destroy(state) }

    /// Forgets the room: the reference was moved, so the old path would add an echo of its own.
    @_noLocks
    package func reset() { cspeex_echo_reset(state) }

    /// Takes the echo of `reference` out of `microphone`; one block each, 16 bit.
    @_noLocks
    package func process(
        _ microphone: UnsafePointer<Int16>, reference: UnsafePointer<Int16>, into output: UnsafeMutablePointer<Int16>
    ) {
        cspeex_echo_cancellation(state, microphone, reference, output)
    }
}
