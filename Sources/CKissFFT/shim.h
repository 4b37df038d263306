#pragma once
#include <kissfft/kiss_fftr.h>
#include <stdlib.h>

/* Calls that render threads make. kissfft allocates when a plan is made, and in a transform only for lengths with prime
   factors over 5 or for in-place use, which RealFFT refuses (checked by the counted test). */
#define CKISSFFT_RT_SAFE __attribute__((swift_attr("@_noLocks")))

CKISSFFT_RT_SAFE static inline void ckissfft_forward(kiss_fftr_cfg plan, const float *samples, void *spectrum) {
    kiss_fftr(plan, samples, (kiss_fft_cpx *)spectrum);
}

CKISSFFT_RT_SAFE static inline void ckissfft_inverse(kiss_fftr_cfg plan, const void *spectrum, float *samples) {
    kiss_fftri(plan, (const kiss_fft_cpx *)spectrum, samples);
}
