#define _GNU_SOURCE
#include "crealtime.h"
#include <link.h>
#include <linux/futex.h>
#include <malloc.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

bool crt_pin_thread(unsigned index) {
    cpu_set_t allowed, wanted;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) == 0) return false;
    unsigned left = index % (unsigned)CPU_COUNT(&allowed);
    for (int core = 0; core < CPU_SETSIZE; core++) {
        if (!CPU_ISSET(core, &allowed) || left-- > 0) continue;
        CPU_ZERO(&wanted);
        CPU_SET(core, &wanted);
        return sched_setaffinity(0, sizeof wanted, &wanted) == 0;
    }
    return false;
}

void *crt_mirror_map(size_t bytes) {
    int fd = memfd_create("yodel-ring", MFD_CLOEXEC);
    if (fd < 0) return NULL;
    if (ftruncate(fd, (off_t)bytes) != 0) { close(fd); return NULL; }
    uint8_t *base = mmap(NULL, 2 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) { close(fd); return NULL; }
    int protection = PROT_READ | PROT_WRITE, flags = MAP_SHARED | MAP_FIXED | MAP_POPULATE;
    bool mapped = mmap(base, bytes, protection, flags, fd, 0) != MAP_FAILED
        && mmap(base + bytes, bytes, protection, flags, fd, 0) != MAP_FAILED;
    close(fd);
    if (!mapped) { munmap(base, 2 * bytes); return NULL; }
    return base;
}

void crt_mirror_unmap(void *base, size_t bytes) { munmap(base, 2 * bytes); }

int crt_event_open(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

void crt_event_signal(int fd) {
    uint64_t one = 1;
    ssize_t written = write(fd, &one, sizeof one);
    (void)written;
}

void crt_event_drain(int fd) {
    uint64_t count;
    ssize_t got = read(fd, &count, sizeof count);
    (void)got;
}

enum { quiet, rung, awaited };  /* a bell's word */

void crt_bell_ring(uint32_t *bell) {
    if (__atomic_exchange_n(bell, rung, __ATOMIC_ACQ_REL) == awaited)
        syscall(SYS_futex, bell, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

bool crt_bell_wait(uint32_t *bell, int64_t deadline_ns) {
    uint32_t expected = quiet;
    if (__atomic_compare_exchange_n(bell, &expected, awaited, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        if (deadline_ns < 0) deadline_ns = 0;
        struct timespec until = {deadline_ns / 1000000000, deadline_ns % 1000000000};
        /* the bit-set form takes an absolute time of CLOCK_MONOTONIC */
        syscall(SYS_futex, bell, FUTEX_WAIT_BITSET_PRIVATE, awaited, &until, NULL, FUTEX_BITSET_MATCH_ANY);
    }
    return __atomic_exchange_n(bell, quiet, __ATOMIC_ACQ_REL) == rung;
}

int64_t crt_monotonic_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void crt_set_timer_slack(uint64_t nanoseconds) { prctl(PR_SET_TIMERSLACK, nanoseconds); }

void crt_give_memory_back(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

static int let_go(struct dl_phdr_info *object, size_t size, void *page_size) {
    (void)size;
    /* the kernel's own object has no file to come back from */
    if (object->dlpi_name[0] != '\0' && object->dlpi_name[0] != '/') return 0;
    uintptr_t page = *(const uintptr_t *)page_size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || (part->p_flags & PF_W)) continue;
        uintptr_t start = object->dlpi_addr + part->p_vaddr;
        uintptr_t first = (start + page - 1) & ~(page - 1), end = (start + part->p_memsz) & ~(page - 1);
        if (end > first) madvise((void *)first, end - first, MADV_DONTNEED);
    }
    return 0;
}

void crt_let_go_of_code(void) {
    uintptr_t page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    dl_iterate_phdr(let_go, &page_size);
}

void crt_set_thread_name(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#define FOLLOWED_BY_SANITIZER
#endif
#endif

void crt_lock_acquired(void *name) {
#ifdef FOLLOWED_BY_SANITIZER
    __tsan_acquire(name);
#else
    (void)name;
#endif
}

void crt_lock_released(void *name) {
#ifdef FOLLOWED_BY_SANITIZER
    __tsan_release(name);
#else
    (void)name;
#endif
}
