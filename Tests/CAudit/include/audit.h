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
    int64_t kept;         /* blocks, mappings and descriptors made and not given back; below 0: more was given back */
    uint64_t failed;      /* how often audit_fail_from had something fail */
} audit_counts;

/* Starts counting from 0. With YODEL_AUDIT_TRAP in the environment the first finding traps, for a debugger to name it. */
void audit_begin(void);
/* Stops counting. */
audit_counts audit_end(void);

/* Has what the calling thread asks of the system fail for want of memory: the `first` request (1: the next) and those behind it,
   `count` altogether. A request is an allocation, a mapping, a new descriptor, or a call that readies one. Swift ends the program
   where it gets no memory: only calls of C may stand between this and audit_fail_end. Within audit_begin and audit_end. */
void audit_fail_from(uint64_t first, uint64_t count);
/* All is granted again. */
void audit_fail_end(void);

/* False under a sanitizer, which brings its own malloc: nothing is counted then. */
bool audit_available(void);

/* Takes the right to real-time scheduling from the calling thread and from those it starts, for ever. False if the system
   would grant it to anybody (RLIMIT_RTPRIO above 0), or on failure. */
bool audit_drop_realtime_right(void);
