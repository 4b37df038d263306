#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Counts what the render contract forbids, on the calling thread and between audit_begin and audit_end only. The test
   program's own malloc and pthread_mutex_lock win over the C library's, so that libraries are counted as well.
   The other header here has a disk that fills up. */
typedef struct {
    uint64_t allocations; /* malloc, calloc, realloc and the aligned ones */
    uint64_t frees;       /* free; a realloc counts as an allocation */
    uint64_t locks;       /* pthread_mutex_lock, contended or not */
} audit_counts;

/* Starts counting from 0. With YODEL_AUDIT_TRAP in the environment the first finding traps, for a debugger to name it. */
void audit_begin(void);
/* Stops counting. */
audit_counts audit_end(void);
/* False under a sanitizer, which brings its own malloc: nothing is counted then. */
bool audit_available(void);

/* Takes the right to real-time scheduling from the calling thread and from those it starts, for ever. False if the system
   would grant it to anybody (RLIMIT_RTPRIO above 0), or on failure. */
bool audit_drop_realtime_right(void);
