import CSpeexDSP

/// SpeexDSP's spectral suppressor: background noise, and the residual echo that the canceller leaves.
///
/// It always runs, with attenuations of 0 dB for what is switched off, so that switching never moves the audio.
/// Its overlap delays the signal by one block of 10 ms.
struct Suppressor: ~Copyable {
    private let state: OpaquePointer
    private let echo: OpaquePointer
    private let noiseDecibels: Int32
    private var suppressesNoise = true
    private var suppressesEcho = true

    init(
        blockFrames: Int, sampleRate: Int, echo: OpaquePointer, settings: SpeexDSPSettings, noiseDecibels: Double
    ) throws(AudioUnitError) {
        guard let state = speex_preprocess_state_init(Int32(blockFrames), Int32(sampleRate)) else {
            throw .noResources(reason: "suppressor")
        }
        self.state = state
        self.echo = echo
        self.noiseDecibels = Int32(noiseDecibels)
        set(SPEEX_PREPROCESS_SET_DENOISE, 1)
        set(SPEEX_PREPROCESS_SET_AGC, 0)
        set(SPEEX_PREPROCESS_SET_DEREVERB, 0)
        set(SPEEX_PREPROCESS_SET_NOISE_SUPPRESS, self.noiseDecibels)
        set(SPEEX_PREPROCESS_SET_ECHO_SUPPRESS, Int32(settings.residualSuppressionDecibels))
        set(SPEEX_PREPROCESS_SET_ECHO_SUPPRESS_ACTIVE, Int32(settings.doubleTalkSuppressionDecibels))
        cspeex_preprocess_set_echo_state(state, echo)
    }

    deinit { speex_preprocess_state_destroy(state) }

    /// Processes one block in place.
    @_noLocks
    mutating func process(_ block: UnsafeMutablePointer<Int16>, noise: Bool, residualEcho: Bool) {
        if noise != suppressesNoise {
            suppressesNoise = noise
            set(SPEEX_PREPROCESS_SET_NOISE_SUPPRESS, noise ? noiseDecibels : 0)
        }
        if residualEcho != suppressesEcho {
            suppressesEcho = residualEcho
            cspeex_preprocess_set_echo_state(state, residualEcho ? echo : nil)
        }
        cspeex_preprocess_run(state, block)
    }

    @_noLocks
    private func set(_ request: Int32, _ value: Int32) { cspeex_preprocess_set(state, request, value) }
}
