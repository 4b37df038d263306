#define _GNU_SOURCE
#include "audit.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define AUDIT_SANITIZED 1
#endif
#endif

static _Thread_local bool watching;
static _Thread_local audit_counts counts;
static bool trapping;

void audit_begin(void) {
    trapping = getenv("YODEL_AUDIT_TRAP") != NULL;
    counts = (audit_counts){0, 0, 0};
    watching = true;
}

audit_counts audit_end(void) {
    watching = false;
    return counts;
}

#ifdef AUDIT_SANITIZED
bool audit_available(void) { return false; }
#else
bool audit_available(void) { return true; }

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static inline void note(uint64_t *counter) {
    if (__builtin_expect(!watching, 1)) return;
    if (trapping) __builtin_trap();
    ++*counter;
}

void *malloc(size_t size) {
    note(&counts.allocations);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    note(&counts.allocations);
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    note(&counts.allocations);
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    note(&counts.allocations);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    void *made = memalign(alignment, size);
    if (made == NULL) return ENOMEM;
    *block = made;
    return 0;
}

void free(void *block) {
    if (block != NULL) note(&counts.frees);
    __libc_free(block);
}

static int (*next_lock)(pthread_mutex_t *);

/* Before main, since dlsym itself takes locks. */
__attribute__((constructor)) static void find_lock(void) {
    next_lock = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    note(&counts.locks);
    if (__builtin_expect(next_lock == NULL, 0)) find_lock();
    return next_lock(mutex);
}
#endif
