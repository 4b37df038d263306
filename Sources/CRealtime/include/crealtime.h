#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What Glibc's Swift module does not export or may not be called from render threads. Functions marked RT_SAFE may be:
   they make one non-blocking system call at most. */
#define RT_SAFE __attribute__((swift_attr("@_noLocks")))

/* Maps `bytes` (a multiple of the page size) twice in a row. NULL on failure with errno set. */
void *crt_mirror_map(size_t bytes);
/* Gives both mappings back. */
void crt_mirror_unmap(void *base, size_t bytes);

/* An eventfd that neither blocks nor is inherited; -1 on failure with errno set. */
int crt_event_open(void);
/* Makes it readable. */
RT_SAFE void crt_event_signal(int fd);
/* Takes what was signalled. */
void crt_event_drain(int fd);

/* A bell is one word, 0 at first. Ringing makes the thread that waits for it go on, or its next wait return at once. */
RT_SAFE void crt_bell_ring(uint32_t *bell);
/* Waits until it was rung (true) or until `deadline_ns` of CLOCK_MONOTONIC has passed or a signal came (false). */
bool crt_bell_wait(uint32_t *bell, int64_t deadline_ns);

/* CLOCK_MONOTONIC in nanoseconds. Read by the vDSO: no system call where the clock is the processor's counter. */
RT_SAFE int64_t crt_monotonic_ns(void);

/* Sets the calling thread's timer slack. */
void crt_set_timer_slack(uint64_t nanoseconds);
/* Names the calling thread, 15 bytes at most. */
void crt_set_thread_name(const char *name);

/* Ties the calling thread to one of the cores that the process may use, counted from 0 and around; false where it may not. */
bool crt_pin_thread(unsigned index);

/* Gives memory that was freed back to the system. Takes a while. */
void crt_give_memory_back(void);
/* Takes every page of the program and its libraries that is never written out of the process; the next touch brings a page
   back from its file. */
void crt_let_go_of_code(void);

/* Tell ThreadSanitizer, where it is at work, that the lock known as `name` was taken and is about to be let go. */
void crt_lock_acquired(void *name);
void crt_lock_released(void *name);
