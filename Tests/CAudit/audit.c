#define _GNU_SOURCE
#include "audit.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static _Thread_local int depth;
static atomic_long allocations, frees, locks, scopes;

void audit_begin(void) {
    if (depth++ == 0) atomic_fetch_add_explicit(&scopes, 1, memory_order_relaxed);
}

void audit_end(void) { --depth; }

audit_counts audit_totals(void) {
    audit_counts totals = {atomic_load(&allocations), atomic_load(&frees), atomic_load(&locks)};
    return totals;
}

long audit_scopes(void) { return atomic_load(&scopes); }

void audit_reset(void) {
    atomic_store(&allocations, 0);
    atomic_store(&frees, 0);
    atomic_store(&locks, 0);
    atomic_store(&scopes, 0);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED
bool audit_available(void) { return false; }
#else
bool audit_available(void) { return true; }

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static inline void count(atomic_long *what) {
    if (__builtin_expect(depth > 0, 0)) atomic_fetch_add_explicit(what, 1, memory_order_relaxed);
}

void *malloc(size_t size) { count(&allocations); return __libc_malloc(size); }
void *calloc(size_t n, size_t size) { count(&allocations); return __libc_calloc(n, size); }
void *realloc(void *old, size_t size) { count(&allocations); return __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { count(&allocations); return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { count(&allocations); return __libc_memalign(alignment, size); }
int posix_memalign(void **result, size_t alignment, size_t size) {
    count(&allocations);
    *result = __libc_memalign(alignment, size);
    return *result ? 0 : ENOMEM;
}
void free(void *memory) {
    if (memory) count(&frees);
    __libc_free(memory);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    static _Atomic(int (*)(pthread_mutex_t *)) real;
    int (*lock)(pthread_mutex_t *) = atomic_load_explicit(&real, memory_order_relaxed);
    if (!lock) {
        lock = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
        atomic_store_explicit(&real, lock, memory_order_relaxed);
    }
    count(&locks);
    return lock(mutex);
}
#endif
