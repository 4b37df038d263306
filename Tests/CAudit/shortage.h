#pragma once
#include <stdbool.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define AUDIT_SANITIZED 1
#endif
#endif

/* What the functions that stand in for the C library's ask and tell (audit.c). All of it concerns the calling thread. */

/* Whether what is asked for next is granted; if not, errno is set. */
bool shortage_grants(void);
/* That was made, unless it is NULL. */
void shortage_made(const void *thing);
void shortage_gave_back(void);
