#define _GNU_SOURCE
#include "shortage.h"
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Mappings and descriptors, which a creator may be refused as it may be refused memory. A sanitizer has its own. */
#ifndef AUDIT_SANITIZED
static int descriptor(long result) {
    if (result >= 0) shortage_made(&result);
    return (int)result;
}

int memfd_create(const char *name, unsigned flags) {
    return shortage_grants() ? descriptor(syscall(SYS_memfd_create, name, flags)) : -1;
}

int eventfd(unsigned count, int flags) { return shortage_grants() ? descriptor(syscall(SYS_eventfd2, count, flags)) : -1; }

int epoll_create1(int flags) { return shortage_grants() ? descriptor(syscall(SYS_epoll_create1, flags)) : -1; }

int socket(int family, int type, int protocol) {
    return shortage_grants() ? descriptor(syscall(SYS_socket, family, type, protocol)) : -1;
}

int bind(int socket, const struct sockaddr *address, socklen_t length) {
    return shortage_grants() ? (int)syscall(SYS_bind, socket, address, length) : -1;
}

int ftruncate(int file, off_t length) { return shortage_grants() ? (int)syscall(SYS_ftruncate, file, length) : -1; }

int close(int file) {
    int result = (int)syscall(SYS_close, file);
    if (result == 0) shortage_gave_back();
    return result;
}

void *mmap(void *place, size_t length, int protection, int flags, int file, off_t offset) {
    if (!shortage_grants()) return MAP_FAILED;
    void *base = (void *)syscall(SYS_mmap, place, length, protection, flags, file, offset);
    /* one in place of another is none more */
    if (base != MAP_FAILED && !(flags & MAP_FIXED)) shortage_made(base);
    return base;
}

int munmap(void *base, size_t length) {
    int result = (int)syscall(SYS_munmap, base, length);
    if (result == 0) shortage_gave_back();
    return result;
}
#endif
