#define _GNU_SOURCE
#include "audit.h"
#include "shortage.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static _Thread_local bool watching;
static _Thread_local audit_counts counts;
static _Thread_local uint64_t until_shortage, shortages;
static bool trapping;

void audit_begin(void) {
    trapping = getenv("YODEL_AUDIT_TRAP") != NULL;
    counts = (audit_counts){0};
    shortages = 0;
    watching = true;
}

void audit_fail_from(uint64_t first, uint64_t count) {
    until_shortage = first;
    shortages = count;
}

void audit_fail_end(void) { shortages = 0; }

bool shortage_grants(void) {
    if (!watching || shortages == 0 || --until_shortage > 0) return true;
    until_shortage = 1;
    --shortages;
    ++counts.failed;
    errno = ENOMEM;
    return false;
}

void shortage_made(const void *thing) {
    if (watching && thing != NULL) ++counts.kept;
}

void shortage_gave_back(void) {
    if (watching) --counts.kept;
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

/* Counts a block that was just made. */
static inline void *made(void *block) {
    if (__builtin_expect(watching, 0)) shortage_made(block);
    return block;
}

void *malloc(size_t size) {
    note(&counts.allocations);
    return shortage_grants() ? made(__libc_malloc(size)) : NULL;
}

void *calloc(size_t count, size_t size) {
    note(&counts.allocations);
    return shortage_grants() ? made(__libc_calloc(count, size)) : NULL;
}

void *realloc(void *block, size_t size) {
    note(&counts.allocations);
    if (!shortage_grants()) return NULL;
    if (block == NULL) return made(__libc_realloc(NULL, size));
    /* which frees it */
    if (size == 0) shortage_gave_back();
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    note(&counts.allocations);
    return shortage_grants() ? made(__libc_memalign(alignment, size)) : NULL;
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    void *aligned = memalign(alignment, size);
    if (aligned == NULL) return ENOMEM;
    *block = aligned;
    return 0;
}

void free(void *block) {
    if (block != NULL) {
        note(&counts.frees);
        shortage_gave_back();
    }
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
