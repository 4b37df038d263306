#pragma once
#include <speex/speex_echo.h>
#include <speex/speex_preprocess.h>
#include <speex/speex_resampler.h>
#include <stdbool.h>

/* Calls that render threads make. SpeexDSP allocates only when a state is made; running one neither locks nor allocates
   (checked by the counted test), which is what RT_SAFE vouches for to the compiler. */
#define CSPEEX_RT_SAFE __attribute__((swift_attr("@_noLocks")))

CSPEEX_RT_SAFE static inline void cspeex_echo_cancellation(
    SpeexEchoState *state, const int16_t *microphone, const int16_t *reference, int16_t *output) {
    speex_echo_cancellation(state, microphone, reference, output);
}

CSPEEX_RT_SAFE static inline void cspeex_echo_reset(SpeexEchoState *state) { speex_echo_state_reset(state); }

/* Returns the voice activity decision. */
CSPEEX_RT_SAFE static inline int cspeex_preprocess_run(SpeexPreprocessState *state, int16_t *block) {
    return speex_preprocess_run(state, block);
}

CSPEEX_RT_SAFE static inline void cspeex_preprocess_set(SpeexPreprocessState *state, int request, int value) {
    speex_preprocess_ctl(state, request, &value);
}

CSPEEX_RT_SAFE static inline int cspeex_preprocess_get(SpeexPreprocessState *state, int request) {
    int value = 0;
    speex_preprocess_ctl(state, request, &value);
    return value;
}

/* NULL takes residual echo suppression away. */
CSPEEX_RT_SAFE static inline void cspeex_preprocess_set_echo_state(SpeexPreprocessState *state, SpeexEchoState *echo) {
    speex_preprocess_ctl(state, SPEEX_PREPROCESS_SET_ECHO_STATE, echo);
}

/* `in_count` and `out_count` go in as what is there and come out as what was used and made. */
CSPEEX_RT_SAFE static inline void cspeex_resampler_process(
    SpeexResamplerState *state, const float *input, uint32_t *in_count, float *output, uint32_t *out_count) {
    speex_resampler_process_float(state, 0, input, in_count, output, out_count);
}
