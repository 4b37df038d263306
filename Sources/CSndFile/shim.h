#pragma once
#include <sndfile.h>

/// Writes the header for what has been written so far, so that the file is playable if the program dies now.
static inline int csndfile_update_header(SNDFILE *file) { return sf_command(file, SFC_UPDATE_HEADER_NOW, NULL, 0); }

/// Samples outside of -1...1 are clipped instead of wrapping around when they become integers.
static inline int csndfile_clip(SNDFILE *file) { return sf_command(file, SFC_SET_CLIPPING, NULL, SF_TRUE); }
