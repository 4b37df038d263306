#pragma once
#include <sndfile.h>

/// Writes the header for what has been written so far, so that the file is playable if the program dies now.
static inline int csndfile_update_header(SNDFILE *file) { return sf_command(file, SFC_UPDATE_HEADER_NOW, NULL, 0); }

/// Samples outside of -1...1 are clipped instead of wrapping around when they become integers.
static inline int csndfile_clip(SNDFILE *file) { return sf_command(file, SFC_SET_CLIPPING, NULL, SF_TRUE); }

/// Floating point files bear no PEAK chunk: it holds the time of day, and what is rendered twice should be the same twice.
static inline int csndfile_without_peak(SNDFILE *file) { return sf_command(file, SFC_SET_ADD_PEAK_CHUNK, NULL, SF_FALSE); }

/// Makes what an encoder writes readable as it comes: Ogg pages of at most 200 ms (Opus; Vorbis has no such setting), MP3 at
/// a constant bit rate, whose length needs no index.
static inline void csndfile_stream(SNDFILE *file) {
    double milliseconds = 200;
    int mode = SF_BITRATE_MODE_CONSTANT;
    sf_command(file, SFC_SET_OGG_PAGE_LATENCY_MS, &milliseconds, sizeof milliseconds);
    sf_command(file, SFC_SET_BITRATE_MODE, &mode, sizeof mode);
}
